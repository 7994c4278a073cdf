/* `heddle devices`: the descriptions of GPUs that are there, one in full, or two beside each other.
 *
 * In: names of descriptions. Out, on stdout: a table of all; or every figure of one with its unit, "assumed" beside
 * those that no source gives, and the rates that follow; or for two devices the figures that differ; or the throughput of
 * instructions on some. With --json the same as one JSON value; with --new a file. Nothing is computed here: figures are
 * device_figures.def's, rates device_rates.def's, throughput throughput.def's. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/json.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "cli/flags.h"
#include "compile/compile.h"
#include "device/device.h"
#include "device/guesses.h"
#include "device/throughput.h"

#define FLAG_ROWS "cli/devices_flags.def"
#include "cli/flag_rows.h"

struct devices {
    bool on[FLAGS];
    const char *new_name, *from, *throughput;
    struct diag_list diags;
    struct strbuf out;
};

static void set_flag(void *to, int which, const char *value)
{
    struct devices *c = to;

    c->on[which] = true;
    if (which == FLAG_NEW)
        c->new_name = value;
    if (which == FLAG_FROM)
        c->from = value;
    if (which == FLAG_THROUGHPUT)
        c->throughput = value;
}

static double rate_of(const struct device_rates *r, const struct device_rate *row)
{
    double v;

    memcpy(&v, (const char *)r + row->offset, sizeof v);
    return v;
}

/* --- origins, kept beside the table of figures --- */

struct origins {
    enum device_origin_kind *kind; /* by the index of the figure's row */
    char **text;
    const struct device_field *first;
    int n;
};

static void keep_origin(const struct device_field *f, const struct device_origin *o, void *user)
{
    struct origins *all = user;
    size_t n = strlen(o->text) + 1;

    all->kind[f - all->first] = o->kind;
    all->text[f - all->first] = alloc_zeroed(n);
    memcpy(all->text[f - all->first], o->text, n);
}

static bool origins_read(struct origins *all, const struct device *d, struct diag_list *diags)
{
    all->first = device_fields(&all->n);
    all->kind = alloc_zeroed((size_t)all->n * sizeof *all->kind);
    all->text = alloc_zeroed((size_t)all->n * sizeof *all->text);
    if (device_origins(d, keep_origin, all))
        return true;
    diag_add(diags, DIAG_ERROR, NULL, 0, "cannot read '%s' again", d->path);
    return false;
}

static void origins_release(struct origins *all)
{
    for (int i = 0; i < all->n; i++)
        alloc_release(all->text[i]);
    alloc_release(all->text);
    alloc_release(all->kind);
}

/* --- all devices --- */

enum { ID_WIDTH = 14, NAME_WIDTH = 34 }; /* the longest of those in devices/ */

static void add_overview_line(struct strbuf *out, const struct device *d)
{
    struct device_rates r;

    device_rates(d, &r);
    strbuf_addf(out, "%-*s %-*s %3lld.%lld %6lld %8lld %6lld %8.1f %9.1f %9.1f %8.1f\n", ID_WIDTH, d->id, NAME_WIDTH, d->name,
                (long long)d->cc_major, (long long)d->cc_minor, (long long)d->multiprocessors, (long long)d->fp32_cores,
                (long long)d->sm_clock_khz / 1000, (double)d->memory_bytes / (1 << 30), r.dram_bandwidth, r.fp32, r.fp64);
}

static json_t *overview_json(const struct device *d)
{
    struct device_rates r;

    device_rates(d, &r);
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "id", d->id, "name", d->name, "file",
                     d->path, "cc_major", (json_int_t)d->cc_major, "cc_minor", (json_int_t)d->cc_minor,
                     "multiprocessors", (json_int_t)d->multiprocessors, "fp32_cores", (json_int_t)d->fp32_cores,
                     "memory_bytes", (json_int_t)d->memory_bytes, "dram_bandwidth", r.dram_bandwidth, "fp32", r.fp32,
                     "fp64", r.fp64);
}

/* A description that cannot be read is told of; the others are shown all the same. */
static void show_all(struct devices *c)
{
    char **names;
    int n = device_names(&names);
    json_t *list = json_array();
    struct device d;

    strbuf_addf(&c->out, "%-*s %-*s %5s %6s %8s %6s %8s %9s %9s %8s\n", ID_WIDTH, "device", NAME_WIDTH, "name", "CC", "SMs",
                "cores", "MHz", "GiB", "GB/s", "GFLOP/s", "double");
    for (int i = 0; i < n; i++) {
        if (!device_load(&d, names[i], &c->diags))
            continue;
        add_overview_line(&c->out, &d);
        json_array_append_new(list, overview_json(&d));
    }
    if (!n)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0,
                 "there are no descriptions at all: set HEDDLE_DEVICES to the folder that has them");
    if (c->on[FLAG_JSON]) {
        strbuf_clear(&c->out);
        json_print(&c->out, json_incref(list));
    }
    json_decref(list);
    device_names_release(names, n);
}

/* --- one device --- */

static const char *const origin_word[] = {"", "assumed", "", "relative"}; /* enum device_origin_kind */

/* The unit as a reader wants it: nothing behind "unknown". */
static const char *unit_behind(const struct device_field *f, const char *value)
{
    return !f->unit || !strcmp(value, "unknown") || !strcmp(value, "none") ? "" : f->unit;
}

static void add_field(struct devices *c, const struct device *d, const struct device_field *f, const struct origins *all)
{
    struct strbuf value;
    int i = (int)(f - all->first);

    if (f->kind == DEVICE_SECTION) {
        strbuf_addf(&c->out, "\n  %s\n", f->help);
        return;
    }
    strbuf_init(&value);
    device_value(d, f, &value);
    strbuf_addf(&c->out, "    %-28s %16s %-9s %-8s %s\n", f->id, value.s, unit_behind(f, value.s), origin_word[all->kind[i]],
                f->help);
    if (c->on[FLAG_SOURCES])
        strbuf_addf(&c->out, "        %s%s%s\n", origin_word[all->kind[i]], *origin_word[all->kind[i]] ? ": " : "", all->text[i]);
    else if (all->kind[i] == DEVICE_NOT_KNOWN)
        strbuf_addf(&c->out, "        %s\n", all->text[i]);
    strbuf_release(&value);
}

static void add_rate_value(struct strbuf *out, double v)
{
    if (isnan(v))
        strbuf_addf(out, "%16s", "unknown");
    else
        strbuf_addf(out, "%16.*f", v < 100 ? 2 : 1, v);
}

static void show_one(struct devices *c, const struct device *d, const struct origins *all)
{
    struct device_rates r;
    int n;
    const struct device_rate *rates = device_rate_table(&n);

    device_rates(d, &r);
    strbuf_addf(&c->out, "%s (%s, %s)", d->name, d->id, diag_file(d->path));
    if (*d->from)
        strbuf_addf(&c->out, "; relative: %s", d->from);
    strbuf_adds(&c->out, "; ");
    device_code_text((int)d->cc_major, (int)d->cc_minor, device_code_arch(d), &c->out);
    strbuf_adds(&c->out, "\n");
    for (int i = 0; i < all->n; i++)
        add_field(c, d, &all->first[i], all);
    strbuf_adds(&c->out, "\n  what follows from these\n");
    for (int i = 0; i < n; i++) {
        strbuf_addf(&c->out, "    %-28s ", rates[i].id);
        add_rate_value(&c->out, rate_of(&r, &rates[i]));
        strbuf_addf(&c->out, " %-18s %s\n", rates[i].unit, rates[i].help);
    }
}

/* The figures that times rest on and nobody measured. */
static void show_guesses(struct devices *c, const struct device *d, const struct origins *all)
{
    struct strbuf names;
    int n = 0;

    strbuf_init(&names);
    if (!device_guesses(d, &names))
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "cannot read '%s' again", d->path);
    for (const char *at = names.s; at && *at; at += strspn(at, " "), n++)
        at += strcspn(at, " ");
    strbuf_addf(&c->out, "%s (%s): %d of the %d figures that modelled times of launches rest on are guesses\n", d->name, d->id, n, device_timed(d));
    for (char *at = names.s, *end; at && *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, " ");
        for (int i = 0; i < all->n; i++) {
            const struct device_field *f = &all->first[i];
            int64_t taken;
            const char *whose;
            struct strbuf value;

            if (!f->id || strlen(f->id) != (size_t)(end - at) || strncmp(f->id, at, (size_t)(end - at)) != 0)
                continue;
            strbuf_init(&value);
            device_value(d, f, &value);
            if (all->kind[i] == DEVICE_NOT_KNOWN && device_taken_of(f->id, &taken, &whose))
                strbuf_addf(&c->out, "    %-24s %12" PRId64 " %-10s %s\n", f->id, taken, f->unit ? f->unit : "", whose);
            else
                strbuf_addf(&c->out, "    %-24s %12s %-10s %s: %s\n", f->id, value.s, unit_behind(f, value.s),
                            all->kind[i] == DEVICE_NOT_KNOWN ? "what is usual is taken" : origin_word[all->kind[i]], all->text[i]);
            strbuf_release(&value);
        }
    }
    strbuf_release(&names);
}

static json_t *value_json(const struct device *d, const struct device_field *f)
{
    const char *at = (const char *)d + f->offset;
    int64_t v;
    int word, n;
    json_t *list;

    switch (f->kind) {
    case DEVICE_TEXT:
        return json_string(at);
    case DEVICE_CHOICE:
        memcpy(&word, at, sizeof word);
        return word == DEVICE_UNKNOWN ? json_null() : json_string(device_word((enum device_word)word));
    case DEVICE_LIST:
        list = json_array();
        memcpy(&n, (const char *)d + f->count_offset, sizeof n);
        for (int i = 0; i < n; i++) {
            memcpy(&v, at + (size_t)i * sizeof v, sizeof v);
            json_array_append_new(list, json_integer(v));
        }
        return list;
    default:
        memcpy(&v, at, sizeof v);
        return v == DEVICE_UNKNOWN ? json_null() : json_integer(v);
    }
}

static json_t *one_json(const struct device *d, const struct origins *all)
{
    static const char *const member[] = {"source", "assumed", "unknown", "relative"};
    json_t *root = json_object(), *figures = json_object(), *follows = json_object();
    struct device_rates r;
    int n;
    const struct device_rate *rates = device_rate_table(&n);

    device_rates(d, &r);
    json_object_set_new(root, "id", json_string(d->id));
    json_object_set_new(root, "file", json_string(d->path));
    json_object_set_new(root, "from", *d->from ? json_string(d->from) : json_null());
    json_object_set_new(root, "device_code", json_integer(device_code_arch(d)));
    for (int i = 0; i < all->n; i++) {
        const struct device_field *f = &all->first[i];
        json_t *entry;

        if (f->kind == DEVICE_SECTION)
            continue;
        entry = json_pack("{s:o}", "value", value_json(d, f));
        if (f->unit)
            json_object_set_new(entry, "unit", json_string(f->unit));
        json_object_set_new(entry, member[all->kind[i]], json_string(all->text[i]));
        json_object_set_new(figures, f->id, entry);
    }
    for (int i = 0; i < n; i++) {
        double v = rate_of(&r, &rates[i]);

        json_object_set_new(follows, rates[i].id,
                            json_pack("{s:o, s:s}", "value", isnan(v) ? json_null() : json_real(v), "unit", rates[i].unit));
    }
    json_object_set_new(root, "figures", figures);
    json_object_set_new(root, "follows", follows);
    return root;
}

/* --- two devices --- */

static void compare_fields(struct devices *c, const struct device *a, const struct device *b)
{
    int n;
    const struct device_field *f = device_fields(&n), *section = NULL;
    struct strbuf left, right;

    strbuf_init(&left);
    strbuf_init(&right);
    for (int i = 0; i < n; i++) {
        if (f[i].kind == DEVICE_SECTION) {
            section = &f[i];
            continue;
        }
        strbuf_clear(&left);
        strbuf_clear(&right);
        device_value(a, &f[i], &left);
        device_value(b, &f[i], &right);
        if (!strcmp(left.s, right.s))
            continue;
        if (section)
            strbuf_addf(&c->out, "\n  %s\n", section->help);
        section = NULL;
        strbuf_addf(&c->out, "    %-28s %20s %20s %-9s %s\n", f[i].id, left.s, right.s, f[i].unit ? f[i].unit : "", f[i].help);
    }
    strbuf_release(&left);
    strbuf_release(&right);
}

static void compare_rates(struct devices *c, const struct device *a, const struct device *b)
{
    struct device_rates ra, rb;
    int n;
    const struct device_rate *rates = device_rate_table(&n);

    device_rates(a, &ra);
    device_rates(b, &rb);
    strbuf_addf(&c->out, "\n  what follows from these%47s %20s\n", "", "ratio");
    for (int i = 0; i < n; i++) {
        double x = rate_of(&ra, &rates[i]), y = rate_of(&rb, &rates[i]);

        strbuf_addf(&c->out, "    %-28s     ", rates[i].id);
        add_rate_value(&c->out, x);
        strbuf_adds(&c->out, "     ");
        add_rate_value(&c->out, y);
        if (isnan(x) || isnan(y) || x <= 0)
            strbuf_addf(&c->out, " %-9s %9s  %s\n", rates[i].unit, "-", rates[i].help);
        else
            strbuf_addf(&c->out, " %-9s %9.2f  %s\n", rates[i].unit, y / x, rates[i].help);
    }
}

static void show_two(struct devices *c, const char *const *name)
{
    struct device d[2];
    struct origins all[2] = {{0}, {0}};
    bool ok = device_load(&d[0], name[0], &c->diags);

    ok = device_load(&d[1], name[1], &c->diags) && ok;
    if (ok && c->on[FLAG_JSON]) {
        if (origins_read(&all[0], &d[0], &c->diags) && origins_read(&all[1], &d[1], &c->diags)) {
            json_t *both = json_pack("[o, o]", one_json(&d[0], &all[0]), one_json(&d[1], &all[1]));
            json_print(&c->out, both);
        }
        origins_release(&all[0]);
        origins_release(&all[1]);
    } else if (ok) {
        strbuf_addf(&c->out, "%-32s %20s %20s\n", "figures that differ", d[0].id, d[1].id);
        compare_fields(c, &d[0], &d[1]);
        compare_rates(c, &d[0], &d[1]);
    }
}

static void show_named(struct devices *c, const char *name)
{
    struct device d;
    struct origins all = {0};

    if (!device_load(&d, name, &c->diags))
        return;
    if (origins_read(&all, &d, &c->diags)) {
        if (c->on[FLAG_JSON]) {
            json_print(&c->out, one_json(&d, &all));
        } else if (c->on[FLAG_GUESSES]) {
            show_guesses(c, &d, &all);
        } else {
            show_one(c, &d, &all);
        }
    }
    origins_release(&all);
}

/* --- throughput of instructions --- */

enum { THROUGHPUT_DEVICES = 8, THROUGHPUT_TEXT = 68, THROUGHPUT_COLUMN = 9 };

static void show_throughput_table(struct devices *c, const struct device *d, int n)
{
    char value[16];

    strbuf_addf(&c->out, "%-*s", THROUGHPUT_TEXT, "results per clock cycle of a multiprocessor");
    for (int i = 0; i < n; i++)
        strbuf_addf(&c->out, " %*s", THROUGHPUT_COLUMN, d[i].id);
    strbuf_addf(&c->out, "\n%-*s", THROUGHPUT_TEXT, "compute capability");
    for (int i = 0; i < n; i++) {
        snprintf(value, sizeof value, "%d.%d", (int)d[i].cc_major, (int)d[i].cc_minor);
        strbuf_addf(&c->out, " %*s", THROUGHPUT_COLUMN, value);
    }
    strbuf_adds(&c->out, "\n\n");
    for (int k = 0; k < THROUGHPUTS; k++) {
        strbuf_addf(&c->out, "%-*s", THROUGHPUT_TEXT, throughput_text(k));
        for (int i = 0; i < n; i++) {
            throughput_value_text(throughput_of(k, (int)d[i].cc_major, (int)d[i].cc_minor), value);
            strbuf_addf(&c->out, " %*s", THROUGHPUT_COLUMN, value);
        }
        strbuf_adds(&c->out, "\n");
    }
    strbuf_adds(&c->out, "\nA warp's instruction is 32 results. several: it takes several instructions; n/a: there is none\n");
    for (int i = 0; i < n && c->on[FLAG_SOURCES]; i++) {
        const char *source = throughput_source((int)d[i].cc_major, (int)d[i].cc_minor);

        strbuf_addf(&c->out, "%s: %s\n", d[i].id, source ? source : "the guide has no column for this compute capability");
    }
}

static json_t *throughput_json(const struct device *d)
{
    const char *source = throughput_source((int)d->cc_major, (int)d->cc_minor);
    json_t *values = json_object();
    char text[16];

    for (int k = 0; k < THROUGHPUTS; k++) {
        int v = throughput_of(k, (int)d->cc_major, (int)d->cc_minor);

        throughput_value_text(v, text);
        json_object_set_new(values, throughput_text(k), v < 0 ? json_string(text) : json_integer(v));
    }
    return json_pack("{s:s, s:I, s:I, s:s?, s:o}", "id", d->id, "cc_major", (json_int_t)d->cc_major, "cc_minor", (json_int_t)d->cc_minor,
                     "source", source, "throughput", values);
}

/* Of "a100,h200". */
static void show_throughput(struct devices *c)
{
    struct device d[THROUGHPUT_DEVICES];
    json_t *list = json_array();
    int n = 0;

    for (const char *at = c->throughput; *at && !c->diags.errors;) {
        size_t len = strcspn(at, ",");
        char *name = alloc_zeroed(len + 1);

        memcpy(name, at, len);
        at += len + (at[len] == ',');
        if (!len)
            ;
        else if (n == THROUGHPUT_DEVICES)
            diag_add(&c->diags, DIAG_ERROR, NULL, 0, "more than %d devices: '%s'", THROUGHPUT_DEVICES, name);
        else if (device_load(&d[n], name, &c->diags))
            json_array_append_new(list, throughput_json(&d[n++]));
        alloc_release(name);
    }
    if (!n && !c->diags.errors)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "no device is named: heddle devices --throughput A,B");
    if (!c->diags.errors && c->on[FLAG_JSON])
        json_print(&c->out, json_incref(list));
    else if (!c->diags.errors)
        show_throughput_table(c, d, n);
    json_decref(list);
}

/* --- a description to begin with --- */

/* A name for a file and for --device. */
static bool plain_name(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

    return n > 0 && n < sizeof ((struct device *)NULL)->id && !name[n];
}

static bool is_known(const char *name)
{
    char **names;
    int n = device_names(&names);
    bool found = false;

    for (int i = 0; i < n; i++)
        found |= !strcmp(names[i], name);
    device_names_release(names, n);
    return found;
}

/* ~/.config/heddle/devices/NAME.json, and the folders to it; false: it cannot be there, which is said. */
static bool new_path(struct devices *c, struct strbuf *path)
{
    static const char *const below[] = {"/.config", "/heddle", "/devices"};
    const char *home = getenv("HOME");

    if (!home || !*home) {
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "there is no HOME to write the description '%s' to", c->new_name);
        return false;
    }
    strbuf_adds(path, home);
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        strbuf_adds(path, below[i]);
        if (mkdir(path->s, 0777) && errno != EEXIST) {
            diag_add(&c->diags, DIAG_ERROR, NULL, 0, "cannot make the folder '%s': %s", path->s, strerror(errno));
            return false;
        }
    }
    strbuf_addf(path, "/%s.json", c->new_name);
    return true;
}

/* The file must not be there yet. */
static bool write_new(struct devices *c, const char *path, const struct strbuf *text)
{
    FILE *f = fopen(path, "wx");
    bool ok = f && fwrite(text->s, 1, text->len, f) == text->len;

    if (f && fclose(f))
        ok = false;
    if (!ok) {
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "cannot write '%s': %s", path, strerror(errno));
        if (f)
            remove(path);
    }
    return ok;
}

static void begin_new(struct devices *c)
{
    struct device relative, made;
    struct strbuf text, path;

    if (!plain_name(c->new_name)) {
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "'%s' is no name for a description: letters, digits, '-' and '_', at most %zu",
                 c->new_name, sizeof relative.id - 1);
        return;
    }
    if (is_known(c->new_name)) {
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "there is a description '%s' already: `heddle devices %s`", c->new_name,
                 c->new_name);
        return;
    }
    if (!device_load(&relative, c->from, &c->diags))
        return;
    strbuf_init(&text);
    strbuf_init(&path);
    device_begin(c->new_name, &relative, &text);
    if (device_parse(&made, c->new_name, text.s, text.len, &c->diags) && new_path(c, &path) && write_new(c, path.s, &text))
        strbuf_addf(&c->out,
                    "%s: %s, as %s in all that it does not say itself; put the GPU's own figures in, with their sources\n"
                    "`heddle devices %s` shows all figures, `--device %s` runs on it\n",
                    path.s, c->new_name, relative.id, c->new_name, c->new_name);
    strbuf_release(&path);
    strbuf_release(&text);
}

/* --- the table of figures, for docs/reference/device-figures.md --- */

static void add_figure_row(struct strbuf *out, const struct device_field *f)
{
    static const char *const of[] = {"own", "board", "chip", "capability"}; /* enum device_owner */
    enum device_word w;
    int64_t taken;
    const char *whose;

    strbuf_addf(out, "| `%s` | %s | %s | %s", f->id, f->unit && *f->unit ? f->unit : f->kind == DEVICE_FIGURE ? "-" : "",
                of[f->of], f->open ? "may be null" : "");
    if (device_taken_of(f->id, &taken, &whose))
        strbuf_addf(out, ": %" PRId64 " is taken, %s", taken, whose);
    strbuf_addf(out, " | %s", f->help);
    for (int i = 0; f->kind == DEVICE_CHOICE && device_word_of(f->id, i, &w); i++) {
        strbuf_addf(out, "%s`%s`", i ? ", " : ": ", device_word(w));
        if (*device_word_help(w))
            strbuf_addf(out, " (%s)", device_word_help(w));
    }
    if (f->kind == DEVICE_LIST)
        strbuf_adds(out, " (a list)");
    strbuf_adds(out, " |\n");
}

static void show_figures(struct devices *c)
{
    int n;
    const struct device_field *f = device_fields(&n);
    const struct device_rate *rates;

    strbuf_adds(&c->out, "# The figures of a device description\n\n"
                         "Printed by `heddle devices --figures`; do not edit. The format of a description, and where its figures "
                         "come from: [devices.md](../devices.md). *Of*: what the figure belongs to, and so what a description may take from its "
                         "relative; `own` figures it gives itself.\n");
    for (int i = 0; i < n; i++) {
        if (f[i].kind == DEVICE_SECTION)
            strbuf_addf(&c->out, "\n## %c%s\n\n| figure | unit | of | | meaning |\n|---|---|---|---|---|\n",
                        f[i].help[0] >= 'a' && f[i].help[0] <= 'z' ? f[i].help[0] - 'a' + 'A' : f[i].help[0], f[i].help + 1);
        else
            add_figure_row(&c->out, &f[i]);
    }
    rates = device_rate_table(&n);
    strbuf_adds(&c->out, "\n## What follows from these\n\nNever stated in a description.\n\n"
                         "| rate | unit | meaning |\n|---|---|---|\n");
    for (int i = 0; i < n; i++)
        strbuf_addf(&c->out, "| `%s` | %s | %s |\n", rates[i].id, rates[i].unit, rates[i].help);
}

/* --- the command --- */

static void print_help(void)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b, "usage: heddle devices [FLAGS] [NAME | --compare A B | --throughput A,B | --new NAME --from RELATIVE]\n\n"
                    "Without a name all devices that `--device` takes. A name may be the path of a .json file, and what the GPU is\n"
                    "sold as: \"RTX 3060 laptop\".\n\n");
    flags_help(flags, FLAGS, &b);
    fputs(b.s, stdout);
    strbuf_release(&b);
}

/* Flags may stand behind names, too. Returns how many names there were; more than two are an error. */
static int take_words(struct devices *c, int argc, char **argv, const char *name[2])
{
    const struct flag_set set = {flags, FLAGS, "heddle devices", NULL, set_flag, c, &c->diags};
    int n = 0;

    for (int i = 0; i < argc && !c->diags.errors;) {
        i += flags_take(&set, NULL, argc - i, argv + i);
        if (i < argc && !c->diags.errors) {
            if (n == 2)
                diag_add(&c->diags, DIAG_ERROR, NULL, 0, "more than two devices: '%s'", argv[i]);
            else
                name[n++] = argv[i];
            i++;
        }
    }
    return n;
}

int cli_devices(int argc, char **argv)
{
    struct devices c;
    const char *name[2] = {NULL, NULL};
    bool failed;
    int n;

    if (cli_wants_help(argc, argv)) {
        print_help();
        return CLI_OK;
    }
    memset(&c, 0, sizeof c);
    diag_init(&c.diags);
    strbuf_init(&c.out);
    n = take_words(&c, argc, argv, name);
    if (!c.diags.errors && c.on[FLAG_COMPARE] != (n == 2))
        diag_add(&c.diags, DIAG_ERROR, NULL, 0, "two devices are compared: heddle devices --compare A B");
    if (!c.diags.errors && c.on[FLAG_THROUGHPUT] && n)
        diag_add(&c.diags, DIAG_ERROR, NULL, 0, "'%s' stands apart: heddle devices --throughput A,B", name[0]);
    if (!c.diags.errors && c.on[FLAG_GUESSES] && n != 1)
        diag_add(&c.diags, DIAG_ERROR, NULL, 0, "guesses are those of one device: heddle devices NAME --guesses");
    if (c.on[FLAG_NEW] != c.on[FLAG_FROM] || (c.on[FLAG_NEW] && n))
        diag_add(&c.diags, DIAG_ERROR, NULL, 0, "a new description needs a name and a relative: heddle devices --new NAME --from RELATIVE");
    if (c.diags.errors)
        ;
    else if (c.on[FLAG_NEW])
        begin_new(&c);
    else if (c.on[FLAG_THROUGHPUT])
        show_throughput(&c);
    else if (c.on[FLAG_FIGURES])
        show_figures(&c);
    else if (n == 2)
        show_two(&c, name);
    else if (n == 1)
        show_named(&c, name[0]);
    else
        show_all(&c);
    if (c.out.s)
        fputs(c.out.s, stdout);
    strbuf_release(&c.out);
    failed = cli_print(&c.diags);
    return failed ? CLI_FAILED : CLI_OK;
}
