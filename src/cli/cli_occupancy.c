/* `heddle occupancy`: how many blocks of a kernel fit on a multiprocessor, what limits them, and what would change it.
 *
 * In: a .cu or .ptx file, whose kernels are taken as `heddle run` would, with the registers that Heddle estimates; or
 * numbers. Out, on stdout: for each kernel a page of the devices beside each other (occupancy.h), as text or JSON, and
 * with --svg a picture. What fits on none of the devices is an error behind its page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "cli/device_code.h"
#include "cli/flags.h"
#include "cli/occupancy.h"
#include "cli/program.h"
#include "compile/compile.h"
#include "compile/files.h"
#include "interp/lanes.h"
#include "ir/ir.h"
#include "report/result.h"
#include "target/target.h"

#define FLAG_ROWS "cli/occupancy_flags.def"
#include "cli/flag_rows.h"

enum { NOT_GIVEN = -1, MOST_THREADS = 65536, MOST_REGISTERS = 65536, MOST_SHARED = 1 << 30 };

struct occupancy {
    struct compile_options compile;
    struct diag_list diags;
    const char *svg, *wanted; /* --svg, -k, or NULL */
    bool brief, json, no_reserve;
    uint32_t block[3];        /* x 0: not given */
    long registers, shared;   /* or NOT_GIVEN */
    struct name_filter kernel;
    struct device *devices;
    struct ptx_module **modules; /* a device's each; the same for those of one architecture */
    int ndevices;
    json_t *list;
    struct strbuf out, picture;
    int pages;
};

/* --- devices --- */

static void add_device(struct occupancy *c, const char *name)
{
    c->devices = alloc_resize(c->devices, (size_t)(c->ndevices + 1) * sizeof *c->devices);
    if (!device_load(&c->devices[c->ndevices], name, &c->diags))
        return;
    if (c->no_reserve)
        c->devices[c->ndevices].shared_reserved = 0;
    c->ndevices++;
}

/* By compute capability, then by name. */
static int older_first(const void *a, const void *b)
{
    const struct device *x = a, *y = b;
    int64_t cx = x->cc_major * 10 + x->cc_minor, cy = y->cc_major * 10 + y->cc_minor;

    return cx != cy ? (cx > cy) - (cx < cy) : strcmp(x->id, y->id);
}

static void add_all_devices(struct occupancy *c)
{
    char **names;
    int n = device_names(&names);

    for (int i = 0; i < n; i++)
        add_device(c, names[i]);
    device_names_release(names, n);
    if (!n)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0,
                 "there are no descriptions at all: set HEDDLE_DEVICES to the folder that has them");
    if (c->ndevices)
        qsort(c->devices, (size_t)c->ndevices, sizeof *c->devices, older_first);
}

/* "a100,h200"; NULL: the default one. */
static void add_devices(struct occupancy *c, const char *list)
{
    const char **names;
    int n;

    if (list && !strcmp(list, "all")) {
        add_all_devices(c);
        return;
    }
    if (!list)
        add_device(c, NULL);
    n = list ? flags_list(&c->diags, &flags[FLAG_DEVICE], list, &names) : 0;
    for (int i = 0; i < n; i++)
        add_device(c, names[i]);
}

/* --- pages --- */

static void case_init(struct occupancy_case *e, const struct device *d, const struct device_need *need)
{
    e->device = d;
    e->need = *need;
    device_occupancy(d, need, &e->at);
    for (int axis = 0; axis < DEVICE_AXES; axis++)
        device_curve_init(&e->curve[axis], d, need, (enum device_axis)axis);
    e->best_block = device_best_block(d, need, 0);
}

static void add_page(struct occupancy *c, struct occupancy_page *p)
{
    bool fits = false;

    for (int i = 0; i < p->n; i++)
        fits |= p->cases[i].at.refusal == DEVICE_FITS;
    if (c->json)
        json_array_append_new(c->list, occupancy_json(p));
    else
        strbuf_adds(&c->out, c->pages ? "\n" : "");
    if (!c->json)
        occupancy_text(p, c->brief, &c->out);
    if (c->svg && !c->pages)
        occupancy_svg(p, &c->picture);
    c->pages++;
    if (!fits)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "%s%s%sno block fits on %s", p->kernel ? "kernel '" : "",
                 p->kernel ? p->kernel : "", p->kernel ? "': " : "", p->n > 1 ? "any of the devices" : p->cases[0].device->id);
    for (int i = 0; i < p->n; i++)
        for (int axis = 0; axis < DEVICE_AXES; axis++)
            device_curve_release(&p->cases[i].curve[axis]);
    alloc_release(p->cases);
}

static struct occupancy_page new_page(const struct occupancy *c, const char *kernel)
{
    return (struct occupancy_page){.kernel = kernel, .n = c->ndevices,
                                   .cases = alloc_zeroed((size_t)c->ndevices * sizeof(struct occupancy_case))};
}

static int threads_of(const uint32_t block[3])
{
    return (int)(block[0] * block[1] * block[2]);
}

static void numbers(struct occupancy *c)
{
    struct occupancy_page p = new_page(c, NULL);
    struct device_need need = {.threads = threads_of(c->block), .registers = c->registers > 0 ? (int)c->registers : 0,
                               .shared_static = c->shared > 0 ? c->shared : 0};

    memcpy(p.block, c->block, sizeof p.block);
    for (int i = 0; i < p.n; i++)
        case_init(&p.cases[i], &c->devices[i], &need);
    add_page(c, &p);
}

/* --- kernels of a file --- */

/* Variables have no addresses before the module is loaded; none of what is asked here depends on them. */
static uint64_t some_address(const struct ptx_var *v, void *user)
{
    (void)user;
    return v->align ? 16 * v->align : 16;
}

/* False, with a message, when the kernel uses what is not implemented. */
static bool kernel_need(struct occupancy *c, int device, const struct ptx_function *f, struct device_need *need)
{
    struct ir_kernel *k = ir_build(c->modules[device], f, some_address, NULL);
    target_rewrite(k, lanes_find, device_arch(&c->devices[device]));
    const struct ir_problem *problem = k->problems;

    if (problem)
        diag_add(&c->diags, DIAG_ERROR, problem->loc && problem->loc->line ? problem->loc->file : NULL,
                 problem->loc ? problem->loc->line : 0, "kernel '%s' cannot be launched: %s",
                 result_demangle(&c->diags.arena, f->name), problem->text);
    else
        *need = (struct device_need){
            .registers = c->registers == NOT_GIVEN ? target_tables(k, &k->arena, device_arch(&c->devices[device]), NULL)->registers : (int)c->registers,
            .shared_static = k->shared_static,
            .shared_dynamic = c->shared == NOT_GIVEN ? 0 : c->shared,
            .shared_hidden = device_hidden_shared(&c->devices[device], k->param_bytes),
        };
    ir_free(k);
    return !problem;
}

/* A launch of a larger block than __launch_bounds__ is refused, whatever fits. */
static void check_bounds(struct occupancy *c, const struct ptx_function *f, const char *name, int threads)
{
    uint64_t most = 1;
    const uint32_t *said = f->reqntid[0] ? f->reqntid : f->maxntid;

    for (int i = 0; i < 3; i++)
        most *= said[i] ? said[i] : 1;
    if (said[0] && (uint64_t)threads > most)
        diag_add(&c->diags, DIAG_WARNING, NULL, 0, "kernel '%s': a block of %d threads; its __launch_bounds__ allow %llu", name,
                 threads, (unsigned long long)most);
}

static const struct ptx_function *find_function(const struct ptx_module *m, const char *name)
{
    for (int i = 0; i < m->nfuncs; i++)
        if (device_code_is_kernel(m->funcs[i]) && !strcmp(m->funcs[i]->name, name))
            return m->funcs[i];
    return NULL;
}

static void kernel(struct occupancy *c, const struct ptx_function *f)
{
    struct occupancy_page p = new_page(c, result_demangle(&c->diags.arena, f->name));
    int n = 0;

    if (c->block[0])
        memcpy(p.block, c->block, sizeof p.block);
    else
        device_code_choose_block(f, p.block);
    check_bounds(c, f, p.kernel, threads_of(p.block));
    for (int i = 0; i < p.n; i++) {
        const struct ptx_function *here = find_function(c->modules[i], f->name);
        struct device_need need;

        if (!here) /* behind an #if __CUDA_ARCH__ */
            diag_add(&c->diags, DIAG_WARNING, NULL, 0, "%s has no kernel '%s'", c->devices[i].id, p.kernel);
        if (!here || !kernel_need(c, i, here, &need))
            continue;
        need.threads = threads_of(p.block);
        case_init(&p.cases[n], &c->devices[i], &need);
        p.cases[n++].estimated = c->registers == NOT_GIVEN;
    }
    p.n = n;
    if (n)
        add_page(c, &p);
    else
        alloc_release(p.cases);
}

/* The module of each device: compiled for its architecture, once for those that share it. */
static bool read_modules(struct occupancy *c, const char *file)
{
    bool one = c->compile.arch_given || !strcmp(file_extension(file), ".ptx");

    c->modules = alloc_zeroed((size_t)c->ndevices * sizeof *c->modules);
    for (int i = 0; i < c->ndevices; i++) {
        for (int k = 0; k < i && !c->modules[i]; k++)
            if (one || device_code_arch(&c->devices[k]) == device_code_arch(&c->devices[i]))
                c->modules[i] = c->modules[k];
        if (c->modules[i])
            continue;
        if (!c->compile.arch_given)
            c->compile.arch = device_code_arch(&c->devices[i]);
        c->modules[i] = device_code_read(&c->compile, file, &c->diags);
        if (!c->modules[i])
            return false;
    }
    return true;
}

static void release_modules(struct occupancy *c)
{
    for (int i = 0; c->modules && i < c->ndevices; i++) {
        bool again = !c->modules[i];
        for (int k = 0; k < i && !again; k++)
            again = c->modules[k] == c->modules[i];
        if (!again)
            ptx_free(c->modules[i]);
    }
    alloc_release(c->modules);
}

static void kernels(struct occupancy *c, const char *file)
{
    const struct ptx_module *m;
    int meant = 0;

    if (!read_modules(c, file))
        return;
    m = c->modules[0];
    for (int i = 0; i < m->nfuncs; i++)
        if (device_code_is_kernel(m->funcs[i]) && device_code_is_meant(&c->kernel, m->funcs[i], &c->diags.arena)) {
            kernel(c, m->funcs[i]);
            meant++;
        }
    if (!meant)
        device_code_no_kernel(m, file, c->wanted, &c->diags);
    else if (meant > 1 && c->svg)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "a picture is of one kernel: choose one of %d with -k", meant);
}

/* --- the command --- */

static void print_help(void)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b,
                "heddle occupancy [FLAGS] FILE\n"
                "heddle occupancy [FLAGS] --block N --registers N --shared BYTES\n\n"
                "How many blocks of a kernel a multiprocessor (SM) of a GPU holds at the same time, and why not more. The warps\n"
                "of these blocks over the most that it can hold is the occupancy: while some warps wait for memory, others\n"
                "work, so a low one can cost time. A high one need not gain any.\n\n"
                "A block takes warps (32 threads each), a block slot, registers, and shared memory. Each is granted in units of\n"
                "some size, and the one that is used up first is the limit.\n\n"
                "FILE is a .cu or a .ptx file: a page for each of its kernels, with the shared memory that it declares and the\n"
                "registers that Heddle estimates. Without a file the numbers are yours. Below the table: occupancy as each\n"
                "number changes and the others stay. The rules: docs/occupancy.md.\n\n"
                "  heddle occupancy matmul.cu -k matmul_tiled --block 16x16\n"
                "  heddle occupancy --block 256 --registers 72 --shared 4096 --device a100,h200\n"
                "  heddle occupancy --block 256 --registers 11 --device g80 --svg curves.svg\n\n");
    flags_help(flags, FLAGS, &b);
    strbuf_adds(&b, "\nFor a .cu file also the flags of `heddle build`: -arch, -I, -D ...\n");
    fputs(b.s, stdout);
    strbuf_release(&b);
}

static long take_number(struct occupancy *c, int which, const char *value, long least, long most)
{
    char wanted[64], *end;
    long n = strtol(value, &end, 10);

    if (*value >= '0' && *value <= '9' && !*end && n >= least && n <= most)
        return n;
    snprintf(wanted, sizeof wanted, "a number from %ld to %ld", least, most);
    flags_wrong(&c->diags, flags[which].name, value, wanted);
    return NOT_GIVEN;
}

struct words_taken {
    struct occupancy *c;
    const char *devices; /* --device, or NULL */
};

static void set_flag(void *to, int which, const char *value)
{
    struct words_taken *t = to;
    struct occupancy *c = t->c;

    switch (which) {
    case FLAG_DEVICE:
        t->devices = t->devices ? arena_printf(&c->diags.arena, "%s,%s", t->devices, value) : value;
        break;
    case FLAG_BLOCK:
        if (!device_code_block(value, MOST_THREADS, c->block))
            flags_wrong(&c->diags, flags[which].name, value, "a size like 256, 16x16 or 8x8x4, of 1 to 65536 threads");
        break;
    case FLAG_REGISTERS:
        c->registers = take_number(c, which, value, 0, MOST_REGISTERS);
        break;
    case FLAG_SHARED:
        c->shared = take_number(c, which, value, 0, MOST_SHARED);
        break;
    case FLAG_KERNEL:
        c->wanted = value;
        break;
    case FLAG_SVG:
        c->svg = value;
        break;
    case FLAG_BRIEF:
        c->brief = true;
        break;
    case FLAG_NO_RESERVE:
        c->no_reserve = true;
        break;
    default:
        c->json = true;
    }
}

/* Flags may stand behind the file, too. Returns the file, or NULL. */
static const char *take_words(struct occupancy *c, int argc, char **argv)
{
    struct words_taken taken = {c, NULL};
    const struct flag_set set = {flags, FLAGS, "heddle occupancy", NULL, set_flag, &taken, &c->diags};
    const char *file = NULL;

    for (int i = 0; i < argc; i++) {
        i += flags_take(&set, &c->compile, argc - i, argv + i);
        if (i >= argc)
            break;
        if (!file)
            file = argv[i];
        else
            diag_add(&c->diags, DIAG_ERROR, argv[i], 0, "one file at a time");
    }
    if (!file && !c->block[0] && !c->diags.errors)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "neither a kernel nor a block: give a .cu or .ptx file, or --block N --registers N --shared BYTES");
    if (!file && c->wanted)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "flag '--kernel-name' is for kernels of a file: there is none");
    if (!c->diags.errors)
        add_devices(c, taken.devices);
    return file;
}

static void print(struct occupancy *c)
{
    if (c->json && c->pages)
        json_print(&c->out, json_incref(c->list));
    if (c->out.s)
        fputs(c->out.s, stdout);
    if (c->svg && c->pages == 1)
        program_write_report(&c->picture, c->svg, NULL, &c->diags);
}

int cli_occupancy(int argc, char **argv)
{
    struct occupancy c = {.registers = NOT_GIVEN, .shared = NOT_GIVEN};
    const char *file;
    bool failed;

    if (cli_wants_help(argc, argv)) {
        print_help();
        return CLI_OK;
    }
    compile_options_init(&c.compile);
    diag_init(&c.diags);
    strbuf_init(&c.out);
    strbuf_init(&c.picture);
    c.list = json_array();
    file = take_words(&c, argc, argv);
    if (name_filter_init(&c.kernel, c.wanted, "--kernel-name", &c.diags) && !c.diags.errors) {
        if (file)
            kernels(&c, file);
        else
            numbers(&c);
    }
    print(&c);
    failed = cli_print(&c.diags);
    release_modules(&c);
    name_filter_release(&c.kernel);
    json_decref(c.list);
    strbuf_release(&c.picture);
    strbuf_release(&c.out);
    alloc_release(c.devices);
    compile_options_release(&c.compile);
    return failed ? CLI_FAILED : CLI_OK;
}
