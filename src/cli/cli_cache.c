/* `heddle cache [--limit SIZE] [--clear]`: shows, bounds and clears the cache (base/store.h). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/store.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "cli/flags.h"
#include "compile/cache.h"

#define FLAG_ROWS "cli/cache_flags.def"
#include "cli/flag_rows.h"

struct caching {
    struct diag_list diags;
    struct store store;
    int64_t limit; /* bytes; 0: not given */
    bool clear;
};

static void print_help(void)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b,
                "heddle cache [--limit SIZE] [--clear]: show, bound or clear what is kept of compiled programs\n\n"
                "`heddle run` compiles a program once and keeps it, with precompiled headers and machine code of kernels, so\n"
                "that the next start takes milliseconds. Nothing in the cache is needed: what is missing is made again. When\n"
                "it is larger than its limit, what was used longest ago goes.\n\n");
    flags_help(flags, FLAGS, &b);
    strbuf_adds(&b, "\n"
                    "  heddle cache                 where it is, and what takes how much\n"
                    "  heddle cache --limit 500M    at most 500 MiB from now on\n"
                    "  heddle cache --clear         everything goes\n\n"
                    "Environment: HEDDLE_CACHE (the folder; default: $XDG_CACHE_HOME/heddle, else ~/.cache/heddle; where that\n"
                    "cannot be used: $TMPDIR/heddle-UID, or /tmp/heddle-UID). More: docs/compile.md, \"The cache\".\n");
    fputs(b.s, stdout);
    strbuf_release(&b);
}

/* "500M": bytes, 0 with an error. K, M and G are 2^10, 2^20 and 2^30. */
static int64_t size_of(struct diag_list *diags, const char *value)
{
    static const char units[] = "KMG";
    char *end;
    long long n = strtoll(value, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;

    if (end != value && n > 0 && !(*end && (!unit || end[1])) && n <= INT64_MAX >> shift && n << shift >= STORE_LEAST_LIMIT)
        return (int64_t)n << shift;
    flags_wrong(diags, flags[FLAG_LIMIT].name, value, "a size from 16M: a number with K, M or G behind it");
    return 0;
}

static void set_flag(void *to, int which, const char *value)
{
    struct caching *c = to;

    switch ((enum which_flag)which) {
    case FLAG_LIMIT:
        c->limit = size_of(&c->diags, value);
        break;
    case FLAG_CLEAR:
        c->clear = true;
        break;
    }
}

static double megabytes(int64_t bytes)
{
    return (double)bytes / 1e6;
}

static void show(const struct store *s)
{
    struct store_size size[STORE_PARTS], all = {0};

    store_measure(s, size);
    printf("Cache: %s\n", s->path);
    for (int i = 0; i < STORE_PARTS; i++) {
        printf("  %-6s%-28s%8" PRId64 " %-5s%10.1f MB\n", store_parts[i].folder, store_parts[i].what, size[i].files,
               size[i].files == 1 ? "file" : "files", megabytes(size[i].bytes));
        all.files += size[i].files;
        all.bytes += size[i].bytes;
    }
    printf("  %-34s%8" PRId64 " %-5s%10.1f MB of %.1f MB\n", "all", all.files, all.files == 1 ? "file" : "files",
           megabytes(all.bytes), megabytes(store_limit(s)));
}

static void change(struct caching *c)
{
    if (c->limit && !store_set_limit(&c->store, c->limit))
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "cannot set the limit of the cache '%s': %s", c->store.path, strerror(errno));
    if (c->clear && !store_clear(&c->store))
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "cannot clear the cache '%s': %s", c->store.path, strerror(errno));
}

int cli_cache(int argc, char **argv)
{
    struct caching c = {0};
    const struct flag_set set = {flags, FLAGS, "heddle cache", NULL, set_flag, &c, &c.diags};
    int at;

    if (cli_wants_help(argc, argv)) {
        print_help();
        return CLI_OK;
    }
    diag_init(&c.diags);
    at = flags_take(&set, NULL, argc, argv);
    if (at < argc)
        diag_add(&c.diags, DIAG_ERROR, NULL, 0, "'%s'? heddle cache [--limit SIZE] [--clear]", argv[at]);
    if (!c.diags.errors && cache_open(&c.store, &c.diags)) {
        change(&c);
        show(&c.store);
        store_close(&c.store);
    }
    return cli_print(&c.diags) ? CLI_FAILED : CLI_OK;
}
