/* `heddle build [FLAGS] FILES`: nvcc's command line (see compile/options.def). */
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/cli.h"
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
    compile_options_release(&options);
    return failed ? CLI_FAILED : CLI_OK;
}
