/* A first look at PTX text: is it whole, what is it for, which kernels has it. The real reading is ptx/'s. */
#ifndef COMPILE_PTXFILE_H
#define COMPILE_PTXFILE_H

#include <stdbool.h>
#include <stddef.h>

struct diag_list;

/* Looks over PTX text (NUL-terminated). Returns the number in its .target (90 for sm_90a), or 0 with an error in
 * `diags` under the name `file`: no .version or .target, NUL bytes inside, or an end inside a function. */
int ptxfile_check(const char *text, size_t bytes, const char *file, struct diag_list *diags);

/* Is there an `.entry NAME`? */
bool ptxfile_has_entry(const char *text, const char *name);

struct strbuf;

/* Gives loads of global memory and through generic addresses that name no cache operator this one ("cg"), as the vendor's
 * assembler does with -dlcm. Loads with an order or .nc stay. Lines stay where they are. */
void ptxfile_set_load_cache(struct strbuf *ptx, const char *mode);

/* Kernels without launch bounds take at most this many registers a thread: `.maxnreg`, as the vendor's assembler has it with -maxrregcount. */
void ptxfile_limit(struct strbuf *ptx, int registers);

/* Gives sums, differences and products of floats that name no rounding the one they have ("rn"): then nobody makes one fused
 * instruction of two (PTX ISA, "add" and "mul" of floats), as the vendor's assembler does not with --fmad false. */
void ptxfile_round(struct strbuf *ptx);

#endif
