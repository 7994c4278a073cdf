/* Opcodes by themselves: `ld.global.nc.v4.f32` and what it means, in both directions, without a module around it.
 *
 * For texts of ours that speak of instructions in PTX's words (ir/print.c, ir/read.c). What one writes the other reads to the
 * same row and modifiers. Unlike in a module, nothing is asked of the operands. */
#ifndef PTX_OPCODE_H
#define PTX_OPCODE_H

#include "base/arena.h"
#include "ptx/ptx.h"

struct strbuf;

/* The words in normal form: modifiers in the order of the ISA. */
void ptx_print_opcode(enum ptx_op op, const struct ptx_mods *mods, struct strbuf *out);

/* Reads opcodes one after the other; what it has read lives as long as `arena`. */
struct ptx_opcodes;
struct ptx_opcodes *ptx_opcodes_new(struct arena *arena);
void ptx_opcodes_free(struct ptx_opcodes *o);

/* The row and modifiers of the opcode that begins at `text`; its length in bytes, or 0: it is none. Video instructions' parts of
 * operands (mods.part, mods.minus) are no words of the opcode. */
size_t ptx_opcodes_read(struct ptx_opcodes *o, const char *text, size_t len, enum ptx_op *op, struct ptx_mods *mods);

#endif
