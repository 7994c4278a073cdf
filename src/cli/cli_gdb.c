/* `heddle gdb [FLAGS] PROGRAM|FILE.cu [ARGS]`: gdb with CUDA's words (step/gdb/heddle.py), over a program that was built with
 * -g -G. Also `cuda-gdb`. Becomes gdb. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/process.h"
#include "cli/cli.h"
#include "compile/compile.h"
#include "compile/words.h"

/* gdb's flags whose value is the next word. */
static bool has_value(const char *flag)
{
    static const char *const flags[] = {"x", "ex", "ix", "iex", "eval-command", "command", "init-command", "init-eval-command", "cd",
                                        "d", "directory", "p", "pid", "c", "core", "s", "symbols", "e", "exec", "D", "data-directory"};
    const char *name = flag + 1 + (flag[1] == '-');
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!strcmp(name, flags[i]))
            return true;
    return false;
}

/* gdb's own words up to the program; returns how many they are. --args is said for all programs. */
static int take_flags(struct arena *a, struct words *w, int argc, char **argv)
{
    int i = 0;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--args") || !strcmp(argv[i], "-args"))
            continue;
        words_add(a, w, argv[i]);
        if (has_value(argv[i]) && i + 1 < argc)
            words_add(a, w, argv[++i]);
    }
    return i;
}

static bool is_source(const char *file)
{
    size_t n = strlen(file);
    return n > 3 && !strcmp(file + n - 3, ".cu");
}

/* The program to debug: as it is, or compiled for it into the cache. NULL with an error. */
static const char *find_program(struct compile_options *o, const char *word, struct diag_list *diags)
{
    if (!is_source(word))
        return word;
    o->debug_host = o->debug_device = true;
    o->host_opt = '0';
    return compile_program(o, word, diags);
}

static void start(struct arena *a, struct words *w, struct diag_list *diags)
{
    const char *gdb = process_find(a, "gdb");
    char *folder = file_folder_of((const void *)(uintptr_t)start);
    if (!gdb) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "'gdb' is not on PATH: install Debian's package gdb");
    } else if (folder) {
        struct words all = {0};
        words_addv(a, &all, gdb, "-x", arena_printf(a, "%s/../gdb/heddle.py", folder), NULL);
        words_append(a, &all, w);
        fflush(NULL);
        cli_restore_signals();
        execv(gdb, (char **)(uintptr_t)all.v);
        diag_add(diags, DIAG_ERROR, NULL, 0, "cannot run '%s': %s", gdb, strerror(errno));
    }
    alloc_release(folder);
}

int cli_gdb(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        puts("heddle gdb [FLAGS] PROGRAM|FILE.cu [ARGS]: stop in kernels with gdb\n\n"
             "PROGRAM was built by `heddle build -g -G`; a FILE.cu is built so, into the cache. FLAGS are gdb's, ARGS go to the\n"
             "program. Beside gdb's commands there are cuda-gdb's `cuda block (1,0,0) thread (5,0,0)`, `cuda kernel block thread`,\n"
             "`info cuda threads`, `info cuda blocks` and `info cuda kernels`.");
        return CLI_OK;
    }
    struct compile_options options;
    struct diag_list diags;
    compile_options_init(&options);
    diag_init(&diags);
    struct words w = {0};
    int at = take_flags(&options.arena, &w, argc, argv);
    const char *program = at < argc ? find_program(&options, argv[at], &diags) : NULL;
    if (program)
        words_addv(&options.arena, &w, "--args", program, NULL);
    for (int i = at + 1; program && i < argc; i++)
        words_add(&options.arena, &w, argv[i]);
    if (!diags.errors)
        start(&options.arena, &w, &diags);
    cli_print(&diags);
    compile_options_release(&options);
    return CLI_FAILED;
}
