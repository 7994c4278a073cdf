/* A trace as a database (see nsys_sqlite.h). */
#include "cli/nsys_sqlite.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "cli/cli.h"
#include "cli/nsys.h"
#include "cli/program.h"

enum { CONTEXT = 1 };

/* Numbers of CUPTI (CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind) and of nsys's tables. */
enum { COPY_HTOD = 1, COPY_DTOH = 2, COPY_DTOD = 8, COPY_HTOH = 9 };
enum { EVENT_CUDA_RUNTIME = 0, EVENT_NVTX_PUSHED = 59, EVENT_NVTX_STARTED = 60 };
static const int memory_kind[] = {[TRACE_PAGEABLE] = 1, [TRACE_PINNED] = 2, [TRACE_MANAGED] = 5, [TRACE_DEVICE] = 3};

#define ENUMS                                                                                          \
    "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'), "        \
    "(2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host'), (8, 'CUDA_MEMCPY_KIND_DTOD', 'Device-to-Device'), " \
    "(9, 'CUDA_MEMCPY_KIND_HTOH', 'Host-to-Host');\n"                                                  \
    "INSERT INTO ENUM_CUDA_MEM_KIND VALUES (1, 'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE', 'Pageable'), "      \
    "(2, 'CUDA_MEMOPR_MEMORY_KIND_PINNED', 'Pinned'), (3, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device'), " \
    "(5, 'CUDA_MEMOPR_MEMORY_KIND_MANAGED', 'Managed');\n"

/* Statements, and which number a text has. */
struct script {
    const struct trace *t;
    struct strbuf sql;
    struct table ids; /* of texts: number + 1 as a pointer */
    struct table told; /* devices and processes that are in their tables */
    struct table kernels; /* mangled name: its struct kernel_texts */
    const struct trace_event *last; /* whose device and process were told last */
    struct arena arena;
    intptr_t texts;
};

static void quoted(struct strbuf *out, const char *text)
{
    strbuf_adds(out, "'");
    for (; *text; text++)
        strbuf_addf(out, *text == '\'' ? "''" : "%c", *text);
    strbuf_adds(out, "'");
}

static intptr_t text_id(struct script *s, const char *text)
{
    intptr_t id = (intptr_t)table_get(&s->ids, text);

    if (!id) {
        id = ++s->texts;
        table_set(&s->ids, arena_strdup(&s->arena, text), (void *)id);
        strbuf_addf(&s->sql, "INSERT INTO StringIds VALUES (%" PRIdPTR ", ", id);
        quoted(&s->sql, text);
        strbuf_adds(&s->sql, ");\n");
    }
    return id;
}

/* nsys's global numbers: the process in bits 24 to 47, the thread below. */
static int64_t global(const struct trace_event *e, int64_t thread)
{
    return (e->pid & 0xffffff) << 24 | (thread & 0xffffff);
}

static bool first_time(struct script *s, const char *key)
{
    if (table_get(&s->told, key))
        return false;
    table_set(&s->told, arena_strdup(&s->arena, key), s);
    return true;
}

static void tell_owner(struct script *s, const struct trace_event *e)
{
    if (s->last && s->last->pid == e->pid && s->last->device == e->device && (s->last->device_name || !e->device_name))
        return;
    s->last = e;
    if (first_time(s, arena_printf(&s->arena, "process %" PRId64, e->pid))) {
        strbuf_addf(&s->sql, "INSERT INTO PROCESSES VALUES (%" PRId64 ", %" PRId64 ", ", global(e, 0), e->pid);
        quoted(&s->sql, e->process ? e->process : "");
        strbuf_adds(&s->sql, ");\n");
    }
    if (e->device_name && first_time(s, arena_printf(&s->arena, "device %d", e->device))) {
        strbuf_addf(&s->sql, "INSERT INTO TARGET_INFO_GPU VALUES (%d, ", e->device);
        quoted(&s->sql, e->device_name);
        strbuf_adds(&s->sql, ");\n");
    }
}

/* "INSERT INTO NAME VALUES (start, end", and of a command its place. */
static void begin(struct script *s, const char *name, const struct trace_event *e)
{
    strbuf_addf(&s->sql, "INSERT INTO %s VALUES (%" PRId64 ", %" PRId64, name, e->begin - s->t->origin, e->end - s->t->origin);
}

static void begin_command(struct script *s, const char *name, const struct trace_event *e)
{
    begin(s, name, e);
    strbuf_addf(&s->sql, ", %d, %d, %d, %" PRIu64 ", %" PRId64, e->device, CONTEXT, e->stream, e->call, global(e, 0));
}

/* Of kernels a name is demangled once, however many launches bear it. */
struct kernel_texts {
    intptr_t full, base, mangled;
};

static const struct kernel_texts *texts_of(struct script *s, const struct trace_event *e)
{
    struct kernel_texts *k = e->library ? NULL : table_get(&s->kernels, e->name);

    if (!k) {
        k = arena_alloc(&s->arena, sizeof *k);
        k->full = text_id(s, trace_name(e, TRACE_NAMES_NSYS, &s->arena));
        k->base = text_id(s, trace_name(e, TRACE_NAMES_BASE, &s->arena));
        k->mangled = text_id(s, e->name);
        if (!e->library)
            table_set(&s->kernels, e->name, k);
    }
    return k;
}

static void add_kernel(struct script *s, const struct trace_event *e)
{
    const struct kernel_texts *k = texts_of(s, e);

    begin_command(s, "CUPTI_ACTIVITY_KIND_KERNEL", e);
    strbuf_addf(&s->sql, ", %" PRIdPTR ", %" PRIdPTR ", %" PRIdPTR ", %" PRId64 ", %u, %u, %u, %u, %u, %u, %" PRId64 ", %" PRId64 ");\n", k->full, k->base, k->mangled,
                e->registers, e->grid[0], e->grid[1], e->grid[2], e->block[0], e->block[1], e->block[2], e->shared_static, e->shared_dynamic);
}

static int copy_kind(const struct trace_event *e)
{
    bool from = e->from == TRACE_DEVICE, to = e->to == TRACE_DEVICE;

    return from ? to ? COPY_DTOD : COPY_DTOH : to ? COPY_HTOD : COPY_HTOH;
}

static void add_event(struct script *s, const struct trace_event *e)
{
    tell_owner(s, e);
    switch (e->kind) {
    case TRACE_KERNEL:
        add_kernel(s, e);
        break;
    case TRACE_COPY:
        begin_command(s, "CUPTI_ACTIVITY_KIND_MEMCPY", e);
        strbuf_addf(&s->sql, ", %" PRId64 ", %d, %d, %d);\n", e->bytes, copy_kind(e), memory_kind[e->from], memory_kind[e->to]);
        break;
    case TRACE_FILL:
        begin_command(s, "CUPTI_ACTIVITY_KIND_MEMSET", e);
        strbuf_addf(&s->sql, ", %" PRId64 ", %d);\n", e->bytes, memory_kind[e->to]);
        break;
    case TRACE_CALL: {
        intptr_t name = text_id(s, e->name);
        begin(s, "CUPTI_ACTIVITY_KIND_RUNTIME", e);
        strbuf_addf(&s->sql, ", %d, %" PRId64 ", %" PRIu64 ", %" PRIdPTR ", %d);\n", EVENT_CUDA_RUNTIME, global(e, e->thread), e->call, name, e->answer);
        break;
    }
    case TRACE_RANGE:
        begin(s, "NVTX_EVENTS", e);
        strbuf_addf(&s->sql, ", %d, ", e->pushed ? EVENT_NVTX_PUSHED : EVENT_NVTX_STARTED);
        quoted(&s->sql, e->name);
        strbuf_addf(&s->sql, ", %" PRId64 ");\n", global(e, e->thread));
        break;
    }
}

static void add_all(struct script *s)
{
    strbuf_adds(&s->sql, "BEGIN;\n");
#define DATABASE_TABLE(name, columns) strbuf_adds(&s->sql, "CREATE TABLE " name " (" columns ");\n");
#include "cli/nsys_sqlite.def"
    strbuf_adds(&s->sql, ENUMS);
    for (int i = 0; i < s->t->n; i++)
        add_event(s, &s->t->event[i]);
    strbuf_adds(&s->sql, "COMMIT;\n");
}

/* What we call of SQLite's library (sqlite.org/c3ref): 0 is SQLITE_OK. */
struct sqlite {
    int (*open)(const char *path, void **db);
    int (*exec)(void *db, const char *sql, int (*row)(void *, int, char **, char **), void *user, char **error);
    const char *(*errmsg)(void *db);
    int (*close)(void *db);
};

static bool load(struct sqlite *q, struct diag_list *diags)
{
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);

    if (library) {
        *(void **)&q->open = dlsym(library, "sqlite3_open");
        *(void **)&q->exec = dlsym(library, "sqlite3_exec");
        *(void **)&q->errmsg = dlsym(library, "sqlite3_errmsg");
        *(void **)&q->close = dlsym(library, "sqlite3_close");
        if (q->open && q->exec && q->errmsg && q->close)
            return true;
    }
    diag_add(diags, DIAG_ERROR, NULL, 0, "a database needs SQLite's library: install Debian's package libsqlite3-0");
    return false;
}

static bool run(const struct sqlite *q, const char *sql, const char *path, struct diag_list *diags)
{
    void *db = NULL;
    bool ok = !q->open(path, &db) && !q->exec(db, sql, NULL, NULL, NULL);

    if (!ok)
        diag_add(diags, DIAG_ERROR, NULL, 0, "cannot write the database '%s': %s", path, db ? q->errmsg(db) : strerror(ENOMEM));
    q->close(db);
    return ok;
}

bool nsys_sqlite_write(const struct trace *t, const char *path, bool force, struct diag_list *diags)
{
    struct script s = {.t = t};
    struct sqlite q;
    bool ok = load(&q, diags);

    if (ok && !nsys_may_write(path, force, diags)) {
        ok = false;
    } else if (ok && unlink(path) && errno != ENOENT) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "cannot write the database '%s': %s", path, strerror(errno));
        ok = false;
    }
    if (!ok)
        return false;
    strbuf_init(&s.sql);
    arena_init(&s.arena);
    add_all(&s);
    ok = run(&q, s.sql.s, path, diags);
    arena_release(&s.arena);
    strbuf_release(&s.sql);
    table_release(&s.ids);
    table_release(&s.told);
    table_release(&s.kernels);
    return ok;
}

const char *nsys_sqlite_name(const char *report, struct arena *a)
{
    size_t len = strlen(report);

    len -= len > 9 && !strcmp(report + len - 9, ".nsys-rep") ? 9 : 0;
    return arena_printf(a, "%.*s.sqlite", (int)len, report);
}

/* --- the command --- */

#define FLAG_ROWS "cli/nsys_export_flags.def"
#include "cli/flag_rows.h"

struct export {
    struct diag_list *diags;
    const char *output;
    bool force;
};

static void set_flag(void *to, int which, const char *value)
{
    struct export *x = to;

    switch ((enum which_flag)which) {
    case FLAG_TYPE:
        FLAGS_CHOICE(x->diags, &flags[which], value, "sqlite");
        break;
    case FLAG_OUTPUT:
        x->output = program_file_name(&x->diags->arena, value);
        break;
    case FLAG_FORCE:
        x->force = nsys_truth(x->diags, &flags[which], value);
        break;
    }
}

void nsys_export_help(struct strbuf *out)
{
    flags_help(flags, FLAGS, out);
}

int nsys_export(int argc, char **argv, struct diag_list *diags)
{
    struct export x = {.diags = diags};
    const struct flag_set set = {flags, FLAGS, "nsys export", NULL, set_flag, &x, diags};
    const char *file = NULL;
    struct trace t = {0};

    for (int i = flags_take(&set, NULL, argc, argv); i < argc && !diags->errors; i += 1 + flags_take(&set, NULL, argc - i - 1, argv + i + 1)) {
        if (file)
            diag_add(diags, DIAG_ERROR, NULL, 0, "one report at a time: '%s' and '%s'", file, argv[i]);
        file = argv[i];
    }
    if (!file && !diags->errors)
        diag_add(diags, DIAG_ERROR, NULL, 0, "no report: nsys export FILE.nsys-rep");
    if (!diags->errors && trace_read(&t, file, diags))
        nsys_sqlite_write(&t, x.output ? x.output : nsys_sqlite_name(file, &diags->arena), x.force, diags);
    trace_release(&t);
    return diags->errors ? CLI_FAILED : CLI_OK;
}
