/* Machine code as text: what `heddle llvm` and `heddle asm` show. */
#ifndef JIT_SHOW_H
#define JIT_SHOW_H

#include "jit/abi.h"

struct strbuf;

struct jit_view {
    enum jit_form form;     /* JIT_WRITTEN, JIT_EMITTED, JIT_OPTIMISED or JIT_ASSEMBLY */
    uint32_t block[3];      /* size of the block that code is made for */
    const char *level;      /* "x86-64-v2", "x86-64-v3", "x86-64-v4": the host need not have it */
    bool counting;          /* the code of launches that count */
    bool split;             /* the form for warps whose lanes went different ways */
    bool whole_block;       /* the block form */
    bool first;             /* the first tier, not the full one */
    /* Or NULL: adds a line or several about the instruction `site`, which the text that follows is from. `comment` is what
     * they have to begin with. */
    void (*note)(int32_t site, const char *comment, void *user, struct strbuf *out);
    void *user;
};

/* Adds the text of the kernel's code to `out`: a module that LLVM's tools read, or assembly that an assembler reads.
 * False: `problem` says why there is no code. */
bool jit_show(const struct ir_kernel *k, const struct interp_code *c, const struct jit_view *view, struct strbuf *out,
              char *problem, size_t room);

#endif
