/* `nvidia-smi`, under the name of NVIDIA's tool: the described GPUs that programs would see (HEDDLE_DEVICE), in its forms.
 *
 * In: its command line. Out: the table, -L, --query-gpu as CSV, -q by sections, topo -m. Figures are the descriptions'; what a
 * description does not have (temperature, power) is N/A. Nothing runs on a description between programs, so its memory is free. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "cli/flags.h"
#include "cli/program.h"
#include "device/device.h"
#include "heddle.h"

/* The driver that came with CUDA 12.4, whose headers ours are (release notes of CUDA 12.4). */
#define DRIVER "550.54.14"
#define CUDA   "12.4"

enum { GPUS = 8 };

struct gpu {
    struct device spec;
    int index;
    char uuid[64], bus[32]; /* as cudaDeviceProp has them (runtime/device.c) */
};

struct smi {
    struct diag_list diags;
    struct gpu *gpu;
    int n;
    bool wanted[GPUS], some; /* -i */
    const char *fields, *id, *file, *display;
    bool header, units, apps, query, list, set, answered;
    long again_ms;
    char now[64];
};

/* --- the GPUs --- */

static bool load(struct smi *s)
{
    const char *names = getenv("HEDDLE_DEVICE");

    s->gpu = ARENA_ARRAY(&s->diags.arena, struct gpu, GPUS);
    for (names = names && *names ? names : "h200"; *names && s->n < GPUS; names += *names == ',') {
        struct gpu *g = &s->gpu[s->n];
        size_t len = strcspn(names, ",");

        if (!device_load(&g->spec, arena_strndup(&s->diags.arena, names, len), &s->diags))
            return false;
        g->index = s->n++;
        snprintf(g->uuid, sizeof g->uuid, "GPU-48454444-4c45-0000-0000-%012x", (unsigned)g->index);
        snprintf(g->bus, sizeof g->bus, "00000000:%02X:00.0", (unsigned)g->index + 1);
        names += len;
    }
    return true;
}

/* -i: a number, a UUID or a bus id. */
static void choose(struct smi *s)
{
    struct flag row = {.name = "--id", .value = "N"};
    const char **words;
    int n = s->id ? flags_list(&s->diags, &row, s->id, &words) : 0;

    s->some = n > 0;
    for (int i = 0; i < n; i++) {
        int found = -1;
        for (int g = 0; g < s->n; g++) {
            char number[16];
            snprintf(number, sizeof number, "%d", g);
            if (!strcmp(words[i], number) || !strcasecmp(words[i], s->gpu[g].uuid) || !strcasecmp(words[i], s->gpu[g].bus))
                found = g;
        }
        if (found < 0)
            diag_add(&s->diags, DIAG_ERROR, NULL, 0, "no GPU '%s': there are %d (HEDDLE_DEVICE names them)", words[i], s->n);
        else
            s->wanted[found] = true;
    }
}

static bool is_wanted(const struct smi *s, int g)
{
    return !s->some || s->wanted[g];
}

/* --- --query-gpu --- */

struct field {
    const char *name, *other, *unit;
};

static const struct field fields[] = {
#define FIELD(name, other, unit, value) {name, other, unit},
#include "cli/smi_fields.def"
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* The value's text; false: a description has none. */
static bool field_value(const struct smi *s, const struct gpu *g, int which, char *out, size_t size)
{
    const struct device *d = &g->spec;
    const char *uuid = g->uuid, *bus = g->bus, *now = s->now;
    char cc[16], bus_hex[16];
    int i = g->index, count = s->n, at = 0;

    snprintf(cc, sizeof cc, "%d.%d", (int)d->cc_major, (int)d->cc_minor);
    snprintf(bus_hex, sizeof bus_hex, "0x%02X", (unsigned)i + 1);
#define WHOLE(n) (snprintf(out, size, "%lld", (long long)(n)), true)
#define WORD(text) (snprintf(out, size, "%s", text), true)
#define NONE (snprintf(out, size, "[N/A]"), false)
#define FIELD(name, other, unit, value) \
    if (at++ == which)                  \
        return value;
#include "cli/smi_fields.def"
#undef FIELD
#undef WHOLE
#undef WORD
#undef NONE
    return false;
}

static int field_named(const char *name, size_t n)
{
    for (int i = 0; i < FIELDS; i++)
        if ((strlen(fields[i].name) == n && !strncmp(fields[i].name, name, n)) ||
            (fields[i].other && strlen(fields[i].other) == n && !strncmp(fields[i].other, name, n)))
            return i;
    return -1;
}

static void list_fields(void)
{
    puts("Fields of --query-gpu:");
    for (int i = 0; i < FIELDS; i++)
        printf("\"%s\"%s%s%s\n", fields[i].name, fields[i].other ? " or \"" : "", fields[i].other ? fields[i].other : "", fields[i].other ? "\"" : "");
}

/* A row: the names of fields, or their values. */
static void csv_row(struct smi *s, const struct gpu *g, struct strbuf *out)
{
    for (const char *at = s->fields; *at;) {
        size_t skip = strspn(at, " "), n = strcspn(at + skip, ", ");
        int f = field_named(at + skip, n);
        const char *unit = fields[f].unit && s->units ? fields[f].unit : NULL;
        char value[256];

        if (!g) {
            strbuf_addf(out, unit ? "%.*s [%s]" : "%.*s", (int)n, at + skip, unit);
        } else {
            bool there = field_value(s, g, f, value, sizeof value);
            strbuf_addf(out, there && unit ? "%s %s" : "%s", value, unit);
        }
        at += skip + n;
        at += strspn(at, ", ");
        strbuf_adds(out, *at ? ", " : "\n");
    }
}

static void check_fields(struct smi *s)
{
    for (const char *at = s->fields + strspn(s->fields, ", "); *at; at += strspn(at, ", ")) {
        size_t n = strcspn(at, ", ");
        if (field_named(at, n) < 0)
            diag_add(&s->diags, DIAG_ERROR, NULL, 0, "Field \"%.*s\" is not a valid field to query; --help-query-gpu lists them", (int)n, at);
        at += n;
    }
}

static void csv(struct smi *s, struct strbuf *out)
{
    if (s->header)
        csv_row(s, NULL, out);
    for (int g = 0; g < s->n; g++)
        if (is_wanted(s, g))
            csv_row(s, &s->gpu[g], out);
}

/* Of processes there is the header alone. */
static void apps(const struct smi *s, struct strbuf *out)
{
    if (s->header)
        strbuf_addf(out, "%s\n", s->fields);
}

/* --- -q --- */

static bool shown(const struct smi *s, const char *section)
{
    size_t n = strlen(section);

    if (!s->display)
        return true;
    for (const char *at = s->display; *at; at += strcspn(at, ","), at += *at == ',')
        if (!strncasecmp(at, section, n) && (!at[n] || at[n] == ','))
            return true;
    return false;
}

static void line(struct strbuf *out, int indent, const char *label, const char *value)
{
    strbuf_addf(out, "%*s%-*s: %s\n", indent, "", 42 - indent, label, value);
}

static void field_line(struct smi *s, const struct gpu *g, int indent, const char *label, const char *name, struct strbuf *out)
{
    char value[256];
    int f = field_named(name, strlen(name));
    bool there = field_value(s, g, f, value, sizeof value);

    if (there && fields[f].unit)
        snprintf(value + strlen(value), sizeof value - strlen(value), " %s", fields[f].unit);
    line(out, indent, label, there ? value : "N/A");
}

/* Which lines of -q belong to which section of -d; a heading stands before those of its section. "Free" stands near enough to the
 * heading for scripts that grep -A4. */
static const struct {
    const char *section, *heading, *label, *field;
} query_lines[] = {
    {"MEMORY", "FB Memory Usage", "Total", "memory.total"},
    {"MEMORY", "FB Memory Usage", "Used", "memory.used"},
    {"MEMORY", "FB Memory Usage", "Free", "memory.free"},
    {"COMPUTE", NULL, "Compute Mode", "compute_mode"},
    {"UTILIZATION", "Utilization", "Gpu", "utilization.gpu"},
    {"UTILIZATION", "Utilization", "Memory", "utilization.memory"},
    {"ECC", "ECC Mode", "Current", "ecc.mode.current"},
    {"ECC", "ECC Mode", "Pending", "ecc.mode.pending"},
    {"TEMPERATURE", "Temperature", "GPU Current Temp", "temperature.gpu"},
    {"PERFORMANCE", NULL, "Performance State", "pstate"},
    {"POWER", "GPU Power Readings", "Power Draw", "power.draw"},
    {"POWER", "GPU Power Readings", "Current Power Limit", "power.limit"},
    {"POWER", "GPU Power Readings", "Max Power Limit", "power.max_limit"},
    {"CLOCK", "Clocks", "Graphics", "clocks.current.graphics"},
    {"CLOCK", "Clocks", "SM", "clocks.current.sm"},
    {"CLOCK", "Clocks", "Memory", "clocks.current.memory"},
    {"CLOCK", "Max Clocks", "Graphics", "clocks.max.graphics"},
    {"CLOCK", "Max Clocks", "SM", "clocks.max.sm"},
    {"CLOCK", "Max Clocks", "Memory", "clocks.max.memory"},
};

static void query_gpu(struct smi *s, const struct gpu *g, struct strbuf *out)
{
    const char *heading = NULL;

    strbuf_addf(out, "GPU %s\n", g->bus);
    if (!s->display) {
        field_line(s, g, 4, "Product Name", "name", out);
        line(out, 4, "Product Architecture", device_word((enum device_word)g->spec.architecture));
        field_line(s, g, 4, "Persistence Mode", "persistence_mode", out);
        field_line(s, g, 4, "GPU UUID", "uuid", out);
        field_line(s, g, 4, "VBIOS Version", "vbios_version", out);
        strbuf_adds(out, "    PCI\n");
        field_line(s, g, 8, "Bus", "pci.bus", out);
        field_line(s, g, 8, "Device", "pci.device", out);
        field_line(s, g, 8, "Domain", "pci.domain", out);
        field_line(s, g, 8, "Bus Id", "pci.bus_id", out);
        field_line(s, g, 4, "Fan Speed", "fan.speed", out);
    }
    for (size_t i = 0; i < sizeof query_lines / sizeof *query_lines; i++) {
        const char *h = query_lines[i].heading;
        if (!shown(s, query_lines[i].section))
            continue;
        if (h && h != heading)
            strbuf_addf(out, "    %s\n", h);
        heading = h;
        field_line(s, g, h ? 8 : 4, query_lines[i].label, query_lines[i].field, out);
    }
    if (shown(s, "PIDS"))
        line(out, 4, "Processes", "None");
    strbuf_adds(out, "\n");
}

static void date(char *out, size_t size)
{
    time_t t = time(NULL);

    strftime(out, size, "%a %b %e %H:%M:%S %Y", localtime(&t));
}

static void query(struct smi *s, struct strbuf *out)
{
    char when[64], count[16];

    date(when, sizeof when);
    snprintf(count, sizeof count, "%d", s->n);
    strbuf_adds(out, "\n==============NVSMI LOG==============\n\n");
    line(out, 0, "Timestamp", when);
    line(out, 0, "Driver Version", DRIVER);
    line(out, 0, "CUDA Version", CUDA);
    strbuf_adds(out, "\n");
    line(out, 0, "Attached GPUs", count);
    for (int g = 0; g < s->n; g++)
        if (is_wanted(s, g))
            query_gpu(s, &s->gpu[g], out);
}

/* --- the table --- */

#define RULE  "+-----------------------------------------------------------------------------------------+\n"
#define RULE3 "+-----------------------------------------+------------------------+----------------------+\n"

static void table(struct smi *s, struct strbuf *out)
{
    char when[64];

    date(when, sizeof when);
    strbuf_addf(out, "%-31s\n" RULE "| NVIDIA-SMI %-22s Driver Version: %-14s CUDA Version: %-8s |\n", when, DRIVER, DRIVER, CUDA);
    strbuf_adds(out, "|-----------------------------------------+------------------------+----------------------+\n"
                     "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
                     "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
                     "|                                         |                        |               MIG M. |\n"
                     "|=========================================+========================+======================|\n");
    for (int g = 0; g < s->n; g++) {
        const struct device *d = &s->gpu[g].spec;
        char mode[32];

        if (!is_wanted(s, g))
            continue;
        field_value(s, &s->gpu[g], field_named("compute_mode", 12), mode, sizeof mode);
        strbuf_addf(out, "| %3d  %-31.31s%-3s |   %16s Off | %20s |\n", g, d->name, "On", s->gpu[g].bus, d->ecc ? "0" : "N/A");
        strbuf_addf(out, "| %-39s | %7dMiB / %6lldMiB | %6d%% %12.12s |\n", "N/A   N/A    P0             N/A /  N/A", 0,
                    (long long)(d->memory_bytes >> 20), 0, mode);
        strbuf_addf(out, "| %39s | %22s | %20s |\n" RULE3, "", "", "N/A");
    }
    strbuf_addf(out, "%91s\n" RULE "| %-87s |\n| %-87s |\n| %-87s |\n", "", "Processes:",
                " GPU   GI   CI        PID   Type   Process name                              GPU Memory",
                "       ID   ID                                                               Usage");
    strbuf_addf(out, "|%s|\n| %-87s |\n" RULE, "=========================================================================================",
                " No running processes found");
}

static void list(const struct smi *s, struct strbuf *out)
{
    for (int g = 0; g < s->n; g++)
        if (is_wanted(s, g))
            strbuf_addf(out, "GPU %d: %s (UUID: %s)\n", g, s->gpu[g].spec.name, s->gpu[g].uuid);
}

/* topo -m: descriptions have no links, and the host's memory between them. */
static void topology(const struct smi *s, struct strbuf *out)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    for (int g = 0; g < s->n; g++)
        strbuf_addf(out, "\tGPU%d", g);
    strbuf_adds(out, "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n");
    for (int g = 0; g < s->n; g++) {
        strbuf_addf(out, "GPU%d", g);
        for (int h = 0; h < s->n; h++)
            strbuf_adds(out, g == h ? "\t X " : "\tSYS");
        strbuf_addf(out, "\t0-%ld\t0\t\tN/A\n", cpus > 0 ? cpus - 1 : 0);
    }
    strbuf_adds(out, "\nLegend:\n\n  X    = Self\n  SYS  = Connection that goes through the host's memory\n");
}

/* --- flags --- */

#define FLAG_ROWS "cli/smi_flags.def"
#include "cli/flag_rows.h"

static void set_format(struct smi *s, const char *value)
{
    const char **words;
    int n = flags_list(&s->diags, &flags[FLAG_FORMAT], value, &words);

    for (int i = 0; i < n; i++)
        if (!strcmp(words[i], "noheader"))
            s->header = false;
        else if (!strcmp(words[i], "nounits"))
            s->units = false;
        else if (strcmp(words[i], "csv"))
            flags_wrong(&s->diags, flags[FLAG_FORMAT].name, words[i], flags[FLAG_FORMAT].value);
}

static void set_flag(void *to, int which, const char *value)
{
    struct smi *s = to;

    switch ((enum which_flag)which) {
    case FLAG_LIST:
        s->list = true;
        break;
    case FLAG_QUERY_GPU:
        s->fields = value;
        break;
    case FLAG_QUERY_APPS:
        s->fields = value;
        s->apps = true;
        break;
    case FLAG_FORMAT:
        set_format(s, value);
        break;
    case FLAG_QUERY:
    case FLAG_ALL:
        s->query = true;
        break;
    case FLAG_DISPLAY:
        s->display = value;
        break;
    case FLAG_ID:
        s->id = value;
        break;
    case FLAG_FILE:
        s->file = value;
        break;
    case FLAG_LOOP:
        s->again_ms = 1000 * flags_count(&s->diags, flags[which].name, value);
        break;
    case FLAG_LOOP_MS:
        s->again_ms = flags_count(&s->diags, flags[which].name, value);
        break;
    case FLAG_FIELDS:
        list_fields();
        s->answered = true;
        break;
    case FLAG_VERSION:
        puts("NVIDIA-SMI version  : " DRIVER " (Heddle " HEDDLE_VERSION " answers in its place; no NVIDIA software is used)\n"
             "DRIVER version      : " DRIVER "\nCUDA Version        : " CUDA);
        s->answered = true;
        break;
    default:
        diag_add(&s->diags, DIAG_NOTE, NULL, 0, "'%s' has no effect here: %s", flags[which].name, flags[which].help);
        s->set = true;
    }
}

static void answer(struct smi *s, struct strbuf *out)
{
    struct timeval t;
    time_t seconds;

    gettimeofday(&t, NULL);
    seconds = t.tv_sec;
    strftime(s->now, sizeof s->now, "%Y/%m/%d %H:%M:%S", localtime(&seconds));
    snprintf(s->now + strlen(s->now), sizeof s->now - strlen(s->now), ".%03d", (int)(t.tv_usec / 1000));
    if (s->apps)
        apps(s, out);
    else if (s->fields)
        csv(s, out);
    else if (s->query)
        query(s, out);
    else if (s->list)
        list(s, out);
    else if (!s->set)
        table(s, out);
}

static int help(void)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b, "nvidia-smi [FLAGS]: Heddle answers in the place of NVIDIA's tool: the GPUs are descriptions (HEDDLE_DEVICE)\n\n");
    flags_help(flags, FLAGS, &b);
    strbuf_adds(&b, "\n  nvidia-smi topo -m           how GPUs are connected\n");
    fputs(b.s, stdout);
    strbuf_release(&b);
    return CLI_OK;
}

static void run(struct smi *s, bool topo)
{
    for (bool again = true; again && !s->diags.errors; again = s->again_ms > 0 && !ferror(stdout)) {
        struct strbuf out;
        strbuf_init(&out);
        if (topo)
            topology(s, &out);
        else
            answer(s, &out);
        if (out.len)
            program_write_report(&out, s->file, stdout, &s->diags);
        fflush(stdout);
        strbuf_release(&out);
        if (s->again_ms > 0)
            nanosleep(&(struct timespec){s->again_ms / 1000, s->again_ms % 1000 * 1000000}, NULL);
    }
}

int cli_smi(int argc, char **argv)
{
    struct smi s = {.header = true, .units = true};
    const struct flag_set set = {flags, FLAGS, "nvidia-smi", NULL, set_flag, &s, &s.diags};
    bool topo = argc && !strcmp(argv[0], "topo");
    int at;

    if (cli_wants_help(argc, argv))
        return help();
    diag_init(&s.diags);
    if (topo && (argc != 2 || (strcmp(argv[1], "-m") && strcmp(argv[1], "--matrix"))))
        diag_add(&s.diags, DIAG_ERROR, NULL, 0, "of 'topo' there is 'topo -m'");
    else if (!topo && (at = flags_take(&set, NULL, argc, argv)) < argc)
        diag_add(&s.diags, DIAG_ERROR, NULL, 0, "nvidia-smi has no '%s' here; `nvidia-smi --help` lists what there is", argv[at]);
    if (!s.diags.errors && !s.answered && load(&s))
        choose(&s);
    if (s.fields && !s.apps)
        check_fields(&s);
    if (!s.diags.errors && !s.answered) {
        diag_add(&s.diags, DIAG_NOTE, NULL, 0, "Heddle's: the GPU is a description (devices/%s.json), not hardware", s.gpu[0].spec.id);
        run(&s, topo);
    }
    return cli_print(&s.diags) ? CLI_USAGE : CLI_OK;
}
