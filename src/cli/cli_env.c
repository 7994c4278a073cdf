/* `heddle env COMMAND...`: runs a command in which Heddle stands for the CUDA toolkit.
 *
 * In: any command. The folder cuda/ beside bin/ and lib/ looks like a toolkit: bin/ with nvcc, ncu, nvprof and
 * compute-sanitizer (links to this program, see tools.def), include/, lib64/, nvvm/libdevice. Variables that build
 * systems ask for point there, and search paths begin there. Without a command the variables are printed for
 * `eval "$(heddle env)"`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "cli/cli.h"
#include "cli/program.h"
#include "compile/clang.h"
#include "compile/words.h"

struct variable {
    const char *name, *value;
};

enum { VARIABLES = 12 };

/* "first:what the variable holds"; an empty part would mean the current directory. */
static const char *before(struct arena *a, const char *first, const char *name)
{
    const char *old = getenv(name);

    return old && *old ? arena_printf(a, "%s:%s", first, old) : first;
}

/* The variables, NULL with an error when the installation has no such folder. */
static const struct variable *make_variables(struct arena *a, struct diag_list *diags)
{
    struct variable *v = ARENA_ARRAY(a, struct variable, VARIABLES + 1);
    struct toolchain t;
    const char *root, *lib, *cuda, *nvcc, *flags = getenv("LDFLAGS");

    if (!toolchain_open(&t, diags))
        return NULL;
    root = arena_strdup(a, t.root);
    lib = arena_strdup(a, t.lib);
    toolchain_close(&t);
    cuda = arena_printf(a, "%s/cuda", root);
    nvcc = arena_printf(a, "%s/bin/nvcc", cuda);
    if (access(nvcc, X_OK) != 0) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "'%s' is not there: %s; is the installation complete?", nvcc, strerror(errno));
        return NULL;
    }
    v[0] = (struct variable){"PATH", before(a, arena_printf(a, "%s/bin", cuda), "PATH")};
    v[1] = (struct variable){"CUDA_HOME", cuda};
    v[2] = (struct variable){"CUDA_PATH", cuda};
    v[3] = (struct variable){"CUDA_ROOT", cuda};
    v[4] = (struct variable){"CUDA_TOOLKIT_ROOT_DIR", cuda};
    v[5] = (struct variable){"CUDAToolkit_ROOT", cuda};
    v[6] = (struct variable){"CUDACXX", nvcc};
    v[7] = (struct variable){"LD_LIBRARY_PATH", before(a, arena_printf(a, "%s/lib64", cuda), "LD_LIBRARY_PATH")};
    v[8] = (struct variable){"LIBRARY_PATH", before(a, arena_printf(a, "%s/lib64", cuda), "LIBRARY_PATH")};
    v[9] = (struct variable){"CPATH", before(a, arena_printf(a, "%s/include", cuda), "CPATH")};
    /* What the host's compiler links finds our libraries later, too: ld takes the first where nobody gives it another run path,
     * CMake and many Makefiles add the second to what they give. */
    v[10] = (struct variable){"LD_RUN_PATH", before(a, lib, "LD_RUN_PATH")};
    v[11] = (struct variable){"LDFLAGS", arena_printf(a, "%s%s-Wl,-rpath,%s", flags ? flags : "", flags && *flags ? " " : "", lib)};
    return v;
}

static int help(void)
{
    puts("heddle env [COMMAND ARGS...]: run a command in which Heddle stands for the CUDA toolkit\n\n"
         "  heddle env make               a Makefile that calls nvcc, or $(CUDA_PATH)/bin/nvcc\n"
         "  heddle env cmake -B build     a CMake project with the language CUDA\n"
         "  heddle env ./program          a program that such a build linked\n"
         "  heddle env mpirun -n 2 ./program  MPI that takes pointers to device memory\n"
         "  heddle env ncu ./program      `heddle profile` under the name of NVIDIA's profiler\n"
         "  eval \"$(heddle env)\"          the same for the rest of a shell session\n\n"
         "nvcc, ncu, nvprof, nsys, compute-sanitizer, cuobjdump, nvidia-smi, cuda-gdb and their older names on PATH are\n"
         "Heddle; CUDA_HOME, CUDA_PATH, CUDACXX and others name a folder with bin, include and lib64. What is missing: docs/env.md.");
    return CLI_OK;
}

/* 'it'\''s' */
static void print_export(const struct variable *v)
{
    printf("export %s='", v->name);
    for (const char *c = v->value; *c; c++)
        fputs(*c == '\'' ? "'\\''" : (char[]){*c, 0}, stdout);
    puts("'");
}

int cli_env(int argc, char **argv)
{
    const struct variable *v;
    struct diag_list diags;
    struct arena a;

    if (cli_wants_help(argc, argv))
        return help();
    if (argc && argv[0][0] == '-') {
        fprintf(stderr, "heddle: error: unknown flag '%s': heddle env COMMAND ARGS...\n", argv[0]);
        return CLI_FAILED;
    }
    arena_init(&a);
    diag_init(&diags);
    v = make_variables(&a, &diags);
    if (cli_print(&diags) || !v) {
        arena_release(&a);
        return CLI_FAILED;
    }
    for (; v->name; v++)
        if (argc)
            setenv(v->name, v->value, 1);
        else
            print_export(v);
    arena_release(&a);
    if (!argc)
        return CLI_OK;
    if (!cli_memory_sufficed())
        return CLI_FAILED;
    fflush(NULL);
    cli_restore_signals();
    program_with_mpi(argv[0]);
    execvp(argv[0], argv);
    fprintf(stderr, "heddle: error: cannot run '%s': %s\n", argv[0], strerror(errno));
    return errno == ENOENT ? 127 : 126; /* as a shell answers */
}
