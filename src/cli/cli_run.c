/* `heddle run [FLAGS] FILE.cu [ARGS]`: compiles into the cache, then becomes the program: its output, signals and exit
 * status are its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "cli/cli.h"
#include "cli/program.h"
#include "cli/resources.h"
#include "compile/compile.h"
#include "device/device.h"

/* `FLAG VALUE` or `FLAG=VALUE`; returns the words taken, 0: it is something else. */
static int take_value(const char *flag, const char *what, const char **value, int argc, char **argv, struct diag_list *diags)
{
    size_t n = strlen(flag);
    if (!strncmp(argv[0], flag, n) && argv[0][n] == '=') {
        *value = argv[0] + n + 1;
        return 1;
    }
    if (strcmp(argv[0], flag))
        return 0;
    if (argc < 2)
        diag_add(diags, DIAG_ERROR, NULL, 0, "flag '%s' needs a value: %s", flag, what);
    *value = argv[1];
    return argc < 2 ? 1 : 2;
}

struct run_flags {
    const char *device, *registers; /* or NULL */
    bool timed;
};

/* Flags up to the first word that is none; returns how many words they are. */
static int take_flags(struct compile_options *o, struct run_flags *f, int argc, char **argv, struct diag_list *diags)
{
    int i = 0;
    for (int n; i < argc && argv[i][0] == '-'; i += n) {
        n = take_value("--device", "NAME", &f->device, argc - i, argv + i, diags);
        if (!n && !strcmp(argv[i], "--timed")) {
            f->timed = true;
            n = 1;
        }
        if (!n)
            n = take_value("--registers", "estimate or ptxas", &f->registers, argc - i, argv + i, diags);
        if (!n)
            n = compile_options_take(o, argc - i, argv + i, diags);
        if (!n) {
            diag_add(diags, DIAG_ERROR, NULL, 0,
                     "unknown flag '%s'; the program's own arguments come after its file", argv[i]);
            n = 1;
        }
    }
    return i;
}

/* The program runs on this device, and its device code is made for it. */
static void choose_device(struct compile_options *o, const char *device, struct diag_list *diags)
{
    struct device d;
    if (!program_device(&d, device, diags))
        return;
    if (!o->arch_given)
        o->arch = device_code_arch(&d);
    setenv("HEDDLE_DEVICE", device, 1);
}

int cli_run(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        puts("heddle run [FLAGS] FILE.cu [ARGS]: compile a CUDA program (once) and run it\n\n"
             "FLAGS are those of `heddle build`, --device NAME, the GPU (`heddle devices`), and --registers ptxas, which asks\n"
             "NVIDIA's assembler for the registers of kernels instead of estimating them. With --timed the times that the program reads\n"
             "are those of the GPU, modelled (docs/device-time.md), not the host's; kernels run as slowly as under a profiler.\n"
             "ARGS go to the program.");
        return CLI_OK;
    }
    struct compile_options options;
    struct diag_list diags;
    compile_options_init(&options);
    diag_init(&diags);
    resources_watch(&options);
    struct run_flags flags = {0};
    int at = take_flags(&options, &flags, argc, argv, &diags);
    if (flags.device && !diags.errors)
        choose_device(&options, flags.device, &diags);
    if (flags.registers && !diags.errors)
        resources_choose(flags.registers, &diags);
    if (flags.timed)
        setenv("HEDDLE_TIMED", "1", 1);
    if (at >= argc && !diags.errors)
        diag_add(&diags, DIAG_ERROR, NULL, 0, "no file: heddle run FILE.cu [ARGS]");
    const char *exe = diags.errors ? NULL : compile_program(&options, argv[at], &diags);
    bool failed = cli_print(&diags);
    int status = failed || !exe ? CLI_FAILED : CLI_OK;
    if (exe && !failed && !cli_memory_sufficed()) {
        status = CLI_FAILED;
    } else if (exe && !failed) {
        argv[at] = (char *)exe;
        fflush(NULL);
        cli_restore_signals();
        program_with_mpi(NULL);
        execv(exe, argv + at);
        fprintf(stderr, "heddle: error: cannot run '%s': %s\n", exe, strerror(errno));
        status = CLI_FAILED;
    }
    if (!failed && options.dry_run)
        status = CLI_OK;
    compile_options_release(&options);
    return status;
}
