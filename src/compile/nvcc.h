/* The device pass by NVIDIA's compiler, where it is installed (--front-end nvcc): what it makes of kernels is what a GPU runs, and
 * clang's code differs from it (docs/reference/accuracy-code.md). The host pass stays clang's.
 *
 * Not the command that Heddle itself answers to under `heddle env`. What a file keeps to itself has another name in nvcc's PTX
 * than in clang's host code: mangled.h. */
#ifndef COMPILE_NVCC_H
#define COMPILE_NVCC_H

struct arena;
struct compile_options;
struct diag_list;
struct words;

/* HEDDLE_NVCC, else the first nvcc on PATH that is not this program. NULL: there is none, which is an error in `diags`. */
const char *nvcc_find(struct arena *a, struct diag_list *diags);

/* The command that makes PTX of `source` in the file `ptx`. */
void nvcc_command(const struct compile_options *o, const char *nvcc, const char *source, const char *ptx, struct arena *a, struct words *w);

#endif
