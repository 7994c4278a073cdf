/* `heddle build [FLAGS] FILES`: nvcc's command line (see compile/options.def). */
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "cli/program.h"
#include "cli/resources.h"
#include "compile/compile.h"
#include "heddle.h"

static int help(void)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_adds(&text, "heddle build [FLAGS] FILES: compile CUDA programs with nvcc's flags\n\n"
                       "Files: .cu .cpp .cc .cxx .c are compiled, .o .a .so linked. Flags:\n");
    compile_options_help(&text);
    strbuf_adds(&text, "\nEnvironment: HEDDLE_CLANG (the clang++ to use), HEDDLE_CACHE (directory of "
                       "precompiled headers\nand programs), TMPDIR.\n");
    fputs(text.s, stdout);
    strbuf_release(&text);
    return CLI_OK;
}

/* -run: what was linked is started, and its exit status is ours. */
int cli_built(struct compile_options *o, bool failed)
{
    struct diag_list diags;
    const char *output = o->output ? o->output : "a.out";
    char **argv;
    int status;
    if (failed || !o->run || o->stage != COMPILE_PROGRAM || o->shared || o->dry_run)
        return failed ? CLI_FAILED : CLI_OK;
    diag_init(&diags);
    output = strchr(output, '/') ? output : arena_printf(&o->arena, "./%s", output);
    argv = ARENA_ARRAY(&o->arena, char *, o->run_args.n + 2);
    argv[0] = (char *)output;
    for (int i = 0; i < o->run_args.n; i++)
        argv[i + 1] = (char *)o->run_args.v[i];
    argv[o->run_args.n + 1] = NULL;
    status = program_run(output, argv, (const struct program_variable[]){{0}}, 0, &diags);
    return cli_print(&diags) || status == -1 ? CLI_FAILED : program_exit(status);
}

int cli_build(int argc, char **argv)
{
    if (cli_wants_help(argc, argv))
        return help();
    if (argc == 1 && strcmp(argv[0], "--version") == 0) {
        puts("heddle " HEDDLE_VERSION);
        return CLI_OK;
    }
    struct compile_options options;
    struct diag_list diags;
    compile_options_init(&options);
    diag_init(&diags);
    resources_watch(&options);
    compile_options_parse(&options, argc, argv, &diags);
    if (!diags.errors)
        compile_build(&options, &diags);
    bool failed = cli_print(&diags);
    int status = cli_built(&options, failed);
    compile_options_release(&options);
    return status;
}
