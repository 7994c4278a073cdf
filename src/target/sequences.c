/* See sequences.h. */
#include "target/sequences.h"

#include "target/code.h"
#include "target/forms.h"

#include <string.h>

enum { EVERY = 0, SIZE = 0x100 };
#define BITS(n) (SIZE | (n))

static const struct sequence {
    uint16_t op, type;
    enum form form;
    int from, to;
    const char *text;
} sequences[] = {
#define SEQUENCE(op, type, form, from, to, text) {PTX_OP_##op, SEQUENCE_##type, form, from, to, text},
#define SEQUENCE_EVERY EVERY
#define SEQUENCE_BITS(n) BITS(n)
#define SEQUENCE_U16 PTX_U16
#define SEQUENCE_S16 PTX_S16
#define SEQUENCE_U32 PTX_U32
#define SEQUENCE_S32 PTX_S32
#define SEQUENCE_U64 PTX_U64
#define SEQUENCE_S64 PTX_S64
#define SEQUENCE_F16 PTX_F16
#define SEQUENCE_F32 PTX_F32
#define SEQUENCE_TF32 PTX_TF32
#define SEQUENCE_F64 PTX_F64
#include "target/sequences.def"
#undef SEQUENCE
};

static bool fits_type(const struct sequence *q, int type)
{
    return q->type == EVERY || q->type == type || (q->type & SIZE && (q->type & 0xff) == ptx_type_info[type].bits);
}

const char *sequence_text(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, int arch)
{
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        const struct sequence *q = &sequences[i];
        if (q->op == in->op && arch >= q->from && arch <= q->to && form_fits(k, only, in, q->form) && fits_type(q, in->type))
            return q->text;
    }
    return NULL;
}

int sequence_function(const char *name, size_t n)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (!strncmp(code_function_names[i], name, n) && !code_function_names[i][n])
            return i;
    return -1;
}
