/* `nvcc` by its own name: `heddle build` plus what build systems ask a compiler about itself. What is not there is refused by name,
 * never left out silently. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "cli/resources.h"
#include "compile/clang.h"
#include "compile/compile.h"
#include "compile/words.h"
#include "heddle.h"

/* Build systems look for "NVIDIA", "release X.Y" and "VX.Y.Z" in this; the version is that of our headers. */
static int nvcc_version(void)
{
    puts("nvcc: NVIDIA (R) Cuda compiler driver\n"
         "Heddle " HEDDLE_VERSION " answers in its place; no NVIDIA software is used. Headers of CUDA 12.4\n"
         "Cuda compilation tools, release 12.4, V12.4.0");
    return CLI_OK;
}

static int nvcc_list(const char *prefix)
{
    static const int known[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        printf("%s%d\n", prefix, known[i]);
    return CLI_OK;
}

/* The lines that nvcc -v begins with and CMake reads: where the toolkit is and what the link line must hold. */
static void nvcc_settings(const struct compile_options *o, struct diag_list *diags)
{
    struct toolchain t;
    const char *path = getenv("PATH");

    if (toolchain_open(&t, diags)) {
        fprintf(stderr,
                "#$ TOP=%s/cuda\n#$ PATH=%s\n#$ NVVMIR_LIBRARY_DIR=%s/cuda/nvvm/libdevice\n#$ INCLUDES=\"-I%s/cuda/include\"\n"
                "#$ LIBRARIES=-L%s/cuda/lib64\n#$ ARCH=-arch compute_%d\n",
                t.root, path ? path : "", t.root, t.root, t.root, o->arch);
    }
    toolchain_close(&t);
}

/* Commands as nvcc shows them, other messages as ours. */
static bool nvcc_print(struct diag_list *diags)
{
    struct strbuf text;
    bool failed = diags->errors > 0;

    strbuf_init(&text);
    for (const struct diag *d = diags->first; d; d = d->next)
        if (d->severity == DIAG_NOTE && !d->file) {
            strbuf_addf(&text, "#$ %s\n", d->text);
        } else {
            strbuf_adds(&text, d->file || d->ptx_line ? "" : "heddle: ");
            diag_format(d, &text);
        }
    if (text.s)
        fputs(text.s, stderr);
    strbuf_release(&text);
    diag_release(diags);
    return failed;
}

/* Flags of an environment's variable, as nvcc reads them. It is taken away: NVIDIA's own compiler, should it be called (--front-end
 * nvcc), gets flags by its command line alone. */
static void nvcc_flags_of(const char *variable, struct compile_options *o, struct diag_list *diags)
{
    const char *text = getenv(variable);

    if (!text)
        return;
    compile_options_parse_text(o, text, diags);
    unsetenv(variable);
}

int cli_nvcc(int argc, char **argv)
{
    struct compile_options options;
    struct diag_list diags;
    int status;

    if (cli_wants_help(argc, argv))
        return cli_build(argc, argv);
    for (int i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--version") || !strcmp(argv[i], "-V"))
            return nvcc_version();
        if (!strcmp(argv[i], "--list-gpu-arch") || !strcmp(argv[i], "-arch-ls"))
            return nvcc_list("compute_");
        if (!strcmp(argv[i], "--list-gpu-code") || !strcmp(argv[i], "-code-ls"))
            return nvcc_list("sm_");
    }
    compile_options_init(&options);
    resources_watch(&options);
    diag_init(&diags);
    words_add(&options.arena, &options.defines, "-D__NVCC__=1");
    options.cudart = "static"; /* as nvcc does by itself */
    nvcc_flags_of("NVCC_PREPEND_FLAGS", &options, &diags);
    compile_options_parse(&options, argc, argv, &diags);
    nvcc_flags_of("NVCC_APPEND_FLAGS", &options, &diags);
    if (options.verbose)
        nvcc_settings(&options, &diags);
    if (!diags.errors)
        compile_build(&options, &diags);
    status = cli_built(&options, nvcc_print(&diags));
    compile_options_release(&options);
    return status;
}
