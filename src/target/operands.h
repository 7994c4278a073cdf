/* Operands of machine code, by what they are. */
#ifndef TARGET_OPERANDS_H
#define TARGET_OPERANDS_H

#include "target/code.h"

static const struct operand none = {0};

static inline struct operand of_register(int file, int32_t number, int words)
{
    return (struct operand){.file = (uint8_t)file, .number = number, .words = (uint8_t)words};
}

static inline struct operand zero(void)
{
    return (struct operand){.file = FILE_ZERO};
}

static inline struct operand immediate(uint64_t bits)
{
    return bits ? (struct operand){.file = FILE_IMMEDIATE, .bits = bits} : zero();
}

static inline struct operand always(void)
{
    return (struct operand){.file = FILE_TRUE};
}

static inline struct operand bank(uint64_t at)
{
    return (struct operand){.file = FILE_BANK, .bits = at, .words = 1};
}

static inline bool is_register(const struct operand *o)
{
    return o->file == FILE_REGISTER || o->file == FILE_ZERO || o->file == FILE_NONE;
}

/* The half of a pair. */
static inline struct operand half(struct operand o, int word)
{
    if (o.file == FILE_IMMEDIATE) {
        o.bits = o.bits >> (32 * word) & 0xffffffff;
        if (!o.bits)
            o.file = FILE_ZERO;
    } else if (o.file == FILE_BANK) {
        o.bits += 4 * (uint64_t)word;
    } else if (o.words > 1) {
        o.word = (uint8_t)word;
    } else if (word && o.file != FILE_ZERO) {
        o = zero();
    }
    o.words = o.words ? 1 : 0;
    return o;
}

#endif
