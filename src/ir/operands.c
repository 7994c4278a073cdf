/* See operands.h: one place for the builder (immediates), the executors and the verifier. */
#include "ir/operands.h"

enum ptx_type ir_wide_type(enum ptx_type t)
{
    switch (t) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    case PTX_S32: return PTX_S64;
    default: return t;
    }
}

enum ptx_type ir_bits_type(int bits)
{
    switch (bits) {
    case 8: return PTX_B8;
    case 16: return PTX_B16;
    case 32: return PTX_B32;
    case 64: return PTX_B64;
    case 128: return PTX_B128;
    default: return PTX_PRED;
    }
}

struct letters {
    const char *results, *sources;
};

static const struct letters special[PTX_OP_COUNT] = {
#define OPERANDS(op, results, sources) [PTX_OP_##op] = {results, sources},
#define OPERANDS_OF(op, variant, results, sources)
#include "ir/operands.def"
#undef OPERANDS
#undef OPERANDS_OF
};

static const struct {
    uint16_t op;
    uint8_t variant;
    struct letters letters;
} of_variant[] = {
#define OPERANDS(op, results, sources)
#define OPERANDS_OF(op, variant, results, sources) {PTX_OP_##op, variant, {results, sources}},
#include "ir/operands.def"
#undef OPERANDS
#undef OPERANDS_OF
};

const struct ir_own_op ir_own_ops[] = {
#define IR_OP(id, word, results, sources, number, facts) [IR_OP_##id - PTX_OP_COUNT] = {word, results, sources, IR_##number},
#include "ir/ir_ops.def"
#undef IR_OP
};

const char *const ir_number_words[] = {[IR_NOTHING] = "", [IR_PART] = "part", [IR_ROW] = "row", [IR_ARRAY] = "array", [IR_STOP] = "why", [IR_TRIPS] = "trips", [IR_LONG_WAY] = "way"};

/* The letters of an instruction's operands; NULL: there is no row. */
static const char *special_letters(const struct ir_inst *in, bool results)
{
    const struct letters *l = &special[in->op];
    for (size_t i = 0; in->mods->variant && i < sizeof of_variant / sizeof *of_variant; i++)
        if (of_variant[i].op == in->op && of_variant[i].variant == in->mods->variant)
            l = &of_variant[i].letters;
    return results ? l->results : l->sources;
}

static const char *letters_of(const struct ir_inst *in, bool results)
{
    if (ir_is_own(in))
        return results ? ir_own_op(in)->results : ir_own_op(in)->sources;
    switch (ptx_op_info[in->op].form) {
    case PTX_FORM_UN: return "T";
    case PTX_FORM_BIN: return results ? "T" : "TT";
    case PTX_FORM_TRI: return results ? "T" : "TTT";
    case PTX_FORM_SHIFT: return results ? "T" : "Tu";
    case PTX_FORM_CNT: return results ? "u" : "T";
    case PTX_FORM_WIDE2: return results ? "W" : "TT";
    case PTX_FORM_WIDE3: return results ? "W" : "TTW";
    case PTX_FORM_SPECIAL: break;
    }
    return special_letters(in, results);
}

/* A form of a texture or surface: verify.h looks at IR where nothing is sure. */
static bool is_form(const struct ir_inst *in)
{
    return in->mods->variant >= PTX_TEX_1D && in->mods->variant <= PTX_TEX_ACUBE;
}

/* How many operands one letter stands for. */
static int times(const struct ir_inst *in, char letter, bool results)
{
    int parts = results ? in->ndst : in->nsrc;
    switch (letter) {
    case 'n':
    case 'v':
    case 'V': return in->vec;
    case 'm': return parts > 1 ? parts : 1;
    case 'A':
    case 'B':
    case 'C':
    case 'D': return ptx_fragment(in->mods, letter).n;
    case 'x':
    case 'i': return is_form(in) ? ptx_coordinates(in->mods->variant) : 1;
    default: return 1;
    }
}

/* What the letter says of the n-th operand that it stands for. */
static struct ir_operand operand_of(const struct ir_inst *in, char letter, int n, int of)
{
    enum ptx_type t = in->type;
    switch (letter) {
    case '2': return (struct ir_operand){.type = in->type2};
    case 'c': return (struct ir_operand){.type = in->type2, .wider = true};
    case 'e':
    case 'V': return (struct ir_operand){.type = (uint8_t)t, .wider = true};
    case 'n':
    case 'u': return (struct ir_operand){.type = PTX_B32};
    case 'w': return (struct ir_operand){.type = PTX_B32, .predicate_too = true};
    case 'l': return (struct ir_operand){.type = PTX_B64};
    case 'f': return (struct ir_operand){.type = PTX_F32};
    case 'p': return (struct ir_operand){.type = PTX_PRED};
    case 'r': return (struct ir_operand){.type = (uint8_t)t, .any = true};
    case 'a': return (struct ir_operand){.type = PTX_U64, .address = true};
    case 's': return (struct ir_operand){.type = in->mods->parity ? PTX_B32 : PTX_B64};
    case 'x': return (struct ir_operand){.type = n == 0 && ptx_is_layered(in->mods->variant) ? PTX_B32 : in->type2};
    case 'i': return (struct ir_operand){.type = n == 0 && ptx_is_layered(in->mods->variant) ? PTX_B32 : PTX_S32};
    case 'A':
    case 'B':
    case 'C':
    case 'D': return (struct ir_operand){.type = (uint8_t)ptx_fragment(in->mods, letter).type};
    case 'W': return (struct ir_operand){.type = (uint8_t)ir_wide_type(t)};
    case 'm': return (struct ir_operand){.type = (uint8_t)(of > 1 ? ir_bits_type(ptx_type_info[t].bits / of) : t)};
    default: return (struct ir_operand){.type = (uint8_t)t};
    }
}

bool ir_operands(const struct ir_inst *in, bool results, struct ir_operands *out)
{
    const char *letter = in->op != PTX_OP_UNKNOWN ? letters_of(in, results) : NULL;
    bool optional = false;
    out->least = out->most = 0;
    out->on = false;
    for (; letter && *letter; letter++) {
        int n = times(in, *letter, results);
        out->on |= letter[1] == '*';
        optional |= letter[1] == '?' || letter[1] == '*';
        for (int i = 0; i < n && out->most < IR_OPERANDS + 1; i++)
            out->of[out->most++] = operand_of(in, *letter, i, n);
        if (!optional)
            out->least = out->most;
        letter += letter[1] == '?' || letter[1] == '*';
    }
    return letter != NULL;
}

enum ptx_type ir_src_type(const struct ir_inst *in, int i)
{
    struct ir_operands sources;
    return ir_operands(in, false, &sources) && (i < sources.most || sources.on) ? ir_operand(&sources, i)->type : in->type;
}
