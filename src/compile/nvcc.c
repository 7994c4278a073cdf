/* The device pass by NVIDIA's compiler (see nvcc.h). */
#include "compile/nvcc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/process.h"
#include "compile/compile.h"
#include "compile/words.h"

const char *nvcc_find(struct arena *a, struct diag_list *diags)
{
    const char *asked = getenv("HEDDLE_NVCC"), *path;
    char self[PATH_MAX];

    if (asked && *asked)
        path = process_find(a, asked);
    else
        path = realpath("/proc/self/exe", self) ? process_find_other(a, "nvcc", self) : NULL;
    if (!path)
        diag_add(diags, DIAG_ERROR, NULL, 0,
                 "--front-end nvcc: NVIDIA's compiler '%s' is not there: put nvcc on PATH, set HEDDLE_NVCC, or leave the flag out",
                 asked && *asked ? asked : "nvcc");
    return path;
}

static void add_flag(struct arena *a, struct words *w, bool given, const char *flag)
{
    if (given)
        words_add(a, w, flag);
}

void nvcc_command(const struct compile_options *o, const char *nvcc, const char *source, const char *ptx, struct arena *a, struct words *w)
{
    words_addv(a, w, nvcc, "-ptx", "-w", "-lineinfo", "-x", "cu", NULL);
    words_addf(a, w, "-arch=compute_%d%s", o->arch, o->arch_a ? "a" : "");
    /* what Heddle's own pass always allows */
    words_addv(a, w, "--expt-relaxed-constexpr", "--extended-lambda", "--allow-unsupported-compiler", NULL);
    for (int i = 0; i < o->both.n; i++)
        add_flag(a, w, !strncmp(o->both.v[i], "-std=", 5), o->both.v[i]);
    add_flag(a, w, o->ftz, "-ftz=true");
    add_flag(a, w, o->fast_div, "-prec-div=false");
    add_flag(a, w, o->fast_sqrt, "-prec-sqrt=false");
    add_flag(a, w, o->fast_functions, "-use_fast_math");
    add_flag(a, w, o->no_fmad, "-fmad=false");
    add_flag(a, w, o->debug_device, "-G");
    add_flag(a, w, o->relocatable, "-rdc=true");
    if (o->max_registers) /* it computes values anew that it would keep else */
        words_addf(a, w, "-maxrregcount=%d", o->max_registers);
    words_append(a, w, &o->search);
    words_append(a, w, &o->defines);
    words_addv(a, w, source, "-o", ptx, NULL);
}
