/* The command lines of clang: device pass, host pass, precompiled headers, linking. */
#ifndef COMPILE_CLANG_H
#define COMPILE_CLANG_H

#include <stdbool.h>

#include "compile/compile.h"

struct diag_list;

/* Where the tools and our own files are. */
struct toolchain {
    struct arena arena;
    const char *clang;   /* full path of clang++-19 */
    const char *root;    /* of the installation: below it are bin, cuda, devices, include and lib */
    const char *include; /* CUDA's headers, in cuda/ */
    const char *api;     /* the engine's own header */
    const char *lib;     /* where libheddle-cudart.so is */
    const char *plugin;  /* our pass for clang's device compilation (plugin.cpp); NULL: this clang cannot load it */
    const char *self;    /* this program */
};

/* Finds clang (HEDDLE_CLANG, else clang++-19 or clang-19 on PATH) and, beside this program or under HEDDLE_ROOT, our
 * headers and library. False with an error that says what to install. */
bool toolchain_open(struct toolchain *t, struct diag_list *diags);
void toolchain_close(struct toolchain *t);

enum pass { PASS_DEVICE, PASS_HOST, PASS_CXX, PASS_C };

/* LLVM's IR, as text or bitcode, for the device (NVVM IR: docs/nvvm.md): all flags but the files. */
void clang_ir_flags(const struct toolchain *t, const struct compile_options *o, struct arena *a, struct words *w);

/* The flags of a pass that decide what a precompiled header means: all but search paths, ordinary macros and files. */
void clang_pass_flags(const struct toolchain *t, const struct compile_options *o, enum pass pass,
                      struct arena *a, struct words *w);

/* Search paths and ordinary macros. */
void clang_user_flags(const struct compile_options *o, struct arena *a, struct words *w);

/* Does a macro's name (-DNAME or -UNAME) reach into the precompiled headers? Names that the language reserves, and
 * those that headers ask for, do. */
bool clang_define_is_reserved(const char *define);

void clang_link(const struct toolchain *t, const struct compile_options *o, const char *output,
                struct arena *a, struct words *w, const struct words *objects);

#endif
