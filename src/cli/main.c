/* `heddle COMMAND ...`: finds the command and calls it. commands.def is the list. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/near.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "heddle.h"

static const struct command {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *line;
} commands[] = {
#define COMMAND(name, function, line) {name, function, line},
#include "cli/commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* Names of NVIDIA's tools that this program also goes by. */
static const struct command tools[] = {
#define TOOL(name, function) {name, function, NULL},
#include "cli/tools.def"
#undef TOOL
};
enum { TOOLS = sizeof tools / sizeof *tools };

bool cli_print(struct diag_list *diags)
{
    struct strbuf text;
    bool failed = diags->errors > 0;
    strbuf_init(&text);
    diags->program = "heddle";
    diag_format_all(diags, &text);
    if (text.s)
        fputs(text.s, stderr);
    strbuf_release(&text);
    diag_release(diags);
    return failed;
}

bool cli_wants_help(int argc, char **argv)
{
    return argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0);
}

static int usage(FILE *to)
{
    fputs("heddle: a CUDA machine you do not need a GPU for\n\n", to);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(to, "  heddle %-10s %s\n", commands[i].name, commands[i].line);
    fputs("  heddle help       this text; `heddle COMMAND --help` tells more\n"
          "  heddle --version  the version\n", to);
    return to == stdout ? CLI_OK : CLI_USAGE;
}

static int unknown(const char *word)
{
    const char *near = NULL;
    unsigned best = near_limit(word) + 1;
    for (int i = 0; i < COMMANDS; i++) {
        unsigned d = near_distance(word, commands[i].name, best);
        if (d < best) {
            best = d;
            near = commands[i].name;
        }
    }
    fprintf(stderr, "heddle: error: there is no command '%s'", word);
    if (near)
        fprintf(stderr, ": do you mean '%s'?", near);
    else
        fputs(": `heddle help` lists them", stderr);
    fputs("\n", stderr);
    return CLI_USAGE;
}

static int command(int argc, char **argv)
{
    const char *slash = argc ? strrchr(argv[0], '/') : NULL, *self = slash ? slash + 1 : argc ? argv[0] : "";
    for (int i = 0; i < TOOLS; i++)
        if (strcmp(self, tools[i].name) == 0)
            return tools[i].function(argc - 1, argv + 1);
    if (argc < 2)
        return usage(stderr);
    if (strcmp(argv[1], "help") == 0 || cli_wants_help(1, argv + 1))
        return usage(stdout);
    if (strcmp(argv[1], "--version") == 0) {
        puts("heddle " HEDDLE_VERSION);
        return CLI_OK;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].function(argc - 2, argv + 2);
    return unknown(argv[1]);
}

/* A reader that has seen enough closes its pipe: nothing is to be said. A stdout that was closed before we began is no fault
 * where nothing was written. */
static bool written(void)
{
    bool failed = ferror(stdout) != 0, pending = __fpending(stdout) != 0;
    errno = 0;
    if (fclose(stdout) != 0 && (pending || errno != EBADF))
        failed = true;
    if (failed && errno != EPIPE)
        fprintf(stderr, "heddle: error: cannot write all of the output to stdout%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
    return !failed && !ferror(stderr);
}

bool cli_memory_sufficed(void)
{
    size_t bytes = alloc_shortage();
    if (bytes)
        fprintf(stderr, "heddle: error: out of host memory (%zu bytes)\n", bytes);
    return !bytes;
}

static struct sigaction file_size;

void cli_restore_signals(void)
{
    sigaction(SIGXFSZ, &file_size, NULL);
}

/* Every command ends here: no success where something could not be written, or was made without the memory it needs. */
/* Children, which may run in another folder, are to find the same place. What is not there is left for whoever looks for it. */
static void make_root_absolute(void)
{
    const char *root = getenv("HEDDLE_ROOT");
    char real[PATH_MAX];

    if (root && *root && realpath(root, real))
        setenv("HEDDLE_ROOT", real, 1);
}

int main(int argc, char **argv)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &ignore, &file_size); /* a file that is too large is an error of its writer's */
    make_root_absolute();
    int status = command(argc, argv);
    bool well = cli_memory_sufficed();
    well &= written();
    return well || status != CLI_OK ? status : CLI_FAILED;
}
