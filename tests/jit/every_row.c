/* Every row of the instruction table, with each of its types, in both executors.
 *
 * usage: jit_rows [pairs | all] [PART PARTS]: as many instances of the lines of rows.def as every type of every row takes;
 * pairs: those that have each pair of a line's first two choices and each of the others; all: all of them. Of PARTS parts the
 * one numbered PART, from 0.
 * Both tiers of machine code are compared with the interpreter. An instance is run three times (one of a few instances: in one of three ways): guarded, with operands that differ from
 * lane to lane; and with operands of which some are the same in all lanes or go up from lane to lane, for all lanes and
 * on a way that some take; by two warps of 32 lanes and by one of 8, which takes machine
 * code's form for lanes that went different ways. Operands are edge values and random ones. Compared are all registers
 * that the instance names, and the memory of its thread; of f64 all NaN are one (design.md).
 * Whether the lines have every type of every row it tells by parsing them.
 * With HEDDLE_ISA set to a level that the host does not have: exit status 77, skipped. */
#include "heddle.h"

#include "base/diag.h"
#include "base/strbuf.h"
#include "interp/lanes.h"
#include "ptx/ptx.h"
#include "rows.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VALUES = 2048, /* of each kind: h r q f d, and words whose lowest bit makes a predicate */
    SPARE = 128,   /* behind them, for a block's threads */
    WIDTH = 8 * (VALUES + SPARE),
    WHOLE = 64, THREADS = 72, /* of a block with whole warps, and of one with 8 lanes more */
    OWN_AT = 1 << 22, /* in the output: 16 bytes of each thread's own */
    MAX_SLOTS = 600,  /* values that a kernel leaves */
    TOGETHER = 4      /* instances in a kernel */
};

static const char letters[] = "hrqfdp";
static uint64_t state = 88172645463325252u;
static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20) % n;
}

/* --- a kernel --- */

struct maker {
    struct strbuf body;
    int next[6]; /* the register of each letter that the next operand is */
    int slots, labels;
    bool is_double[MAX_SLOTS];
    const char *of[MAX_SLOTS]; /* the line that a slot is of */
    int threads;
};

/* For some lanes by a guard, operands that differ from lane to lane; or operands of which some are alike, for all lanes, or
 * for some on a way of their own. */
enum how { GUARD, ALIKE, WAY, HOWS };

static int operand(void *who, char letter, bool other, int last)
{
    struct maker *m = who;
    const char *at = strchr(letters, letter);
    (void)other; /* neighbours are never the same here */
    (void)last;
    if (!at)
        return letter == 'n' ? (int)below(40) : letter == 'l' ? (int)below(256) : (int)below(16 / (unsigned)(letter - '0')) * (letter - '0');
    return m->next[at - letters]++;
}

static void load(struct maker *m, char letter, int reg, int how)
{
    static const char *const type[] = {"b16", "b32", "b64", "f32", "f64", "u32"};
    int kind = (int)(strchr(letters, letter) - letters), size = (int[]){2, 4, 8, 4, 8, 4}[kind];
    unsigned at = (unsigned)kind * WIDTH + (unsigned)size * below(VALUES);
    const char *base = how == 1 ? "in" : size == 2 ? "in2" : size == 4 ? "in4" : "in8";
    if (letter == 'p')
        strbuf_addf(&m->body, "ld.global.u32 %%t, [%%%s+%u];\nand.b32 %%t, %%t, 1;\nsetp.ne.u32 %%p%d, %%t, 0;\n", base, at, reg);
    else if (how == 2 && letter == 'r')
        strbuf_addf(&m->body, "mad.lo.s32 %%r%d, %%flat, %u, %d;\n", reg, 1 + below(5), (int)below(400) - 200);
    else
        strbuf_addf(&m->body, "ld.global.%s %%%c%d, [%%%s+%u];\n", type[kind], letter, reg, base, at);
}

static void leave(struct maker *m, const char *type, const char *reg, bool wide, const char *line)
{
    m->is_double[m->slots] = !strcmp(type, "f64");
    m->of[m->slots] = line;
    strbuf_addf(&m->body, "st.global.%s [%%out%d+%d], %s;\n", type, wide ? 8 : 4, 8 * m->threads * m->slots++, reg);
}

/* Is the register among the results of one of the instructions: before its first comma that is not in braces? */
static bool result(const char *text, const char *name)
{
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        for (int depth = 0; *at && *at != '\n' && (depth || *at != ',') && *at != '['; at++) {
            depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
            if (!strncmp(at, name, strlen(name)) && !strchr("0123456789", at[strlen(name)]))
                return true;
        }
    return false;
}

/* Loads operands, does the instance, leaves what it made. */
static void instance(struct maker *m, const char *line, uint64_t n, enum how how)
{
    struct strbuf text;
    strbuf_init(&text);
    int first[6]; /* registers of its own: one that is written in several places keeps its place in between */
    memcpy(first, m->next, sizeof first);
    bool alone = m->threads == THREADS, way = how == WAY && alone; /* else lanes wait for each other, and all come */
    row_write(&text, line, n, how == GUARD && alone && !strchr(line, ';') ? "@%some " : "", operand, m);
    if (way)
        strbuf_addf(&m->body, "@!%%some bra L%d;\n", ++m->labels);
    for (int kind = 0; kind < 6; kind++)
        for (int reg = first[kind]; reg < m->next[kind]; reg++) {
            char name[16];
            snprintf(name, sizeof name, "%%%c%d", letters[kind], reg);
            if (how == GUARD || !result(text.s, name)) /* a result that is nothing before may get an operand's place */
                load(m, letters[kind], reg, how == GUARD ? 0 : (int)below(3));
        }
    strbuf_adds(&m->body, text.s);
    static const char *const type[] = {"u16", "u32", "u64", "f32", "f64", "u32"};
    for (int kind = 0; kind < 6; kind++)
        for (int reg = first[kind]; reg < m->next[kind]; reg++) {
            char name[16];
            snprintf(name, sizeof name, "%%%c%d", letters[kind], reg);
            if (!result(text.s, name))
                continue;
            if (letters[kind] == 'p')
                strbuf_addf(&m->body, "selp.u32 %%t, 1, 0, %s;\n", name);
            leave(m, type[kind], letters[kind] == 'p' ? "%t" : name, strchr("qd", letters[kind]) != NULL, line);
        }
    static const char *const memory[] = {"%ours", "%mine", "cells_own"}, *const space[] = {"global", "shared", "local"};
    bool reads = !strncmp(line, "ld", 2) || !strncmp(line, "prefetch", 8);
    for (int i = 0; i < 3; i++)
        for (int at = 0; !reads && strstr(text.s, memory[i]) && at < 16; at += 8) {
            strbuf_addf(&m->body, "ld.%s.u64 %%a, [%s+%d];\n", space[i], memory[i], at);
            leave(m, "u64", "%a", true, line);
        }
    if (way)
        strbuf_addf(&m->body, "L%d:\n", m->labels);
    strbuf_release(&text);
}

static void begin(struct maker *m, int threads)
{
    memset(m, 0, sizeof *m);
    m->threads = threads;
    strbuf_init(&m->body);
    strbuf_addf(&m->body, ".version 8.4\n.target sm_90\n.address_size 64\n.const .align 16 .b32 table[16] = {0, 1, -1, 0x7fffffff, 0x80000000, 0x3f800000, "
        "0xbf000000, 0x7f800000, 7, 0x00800000, 0x3c003c00, 0x80000001, 100, 0xffff, 0x40490fdb, 0x12345678};\n"
        ".visible .entry k(.param .u64 given, .param .u64 out, .param .u32 salt)\n{\n.shared .align 16 .b8 mine[%d];\n.local .align 16 .b8 cells_own[16];\n"
        ".reg .b16 %%h<199>;\n.reg .b32 %%r<199>, %%t, %%u, %%flat;\n.reg .b64 %%q<199>, %%a, %%b, %%in, %%in2, %%in4, %%in8, %%out4, %%out8, %%ours, %%mine;\n"
        ".reg .f32 %%f<199>;\n.reg .f64 %%d<199>, %%e;\n.reg .pred %%p<199>, %%some;\n", 16 * THREADS);
    strbuf_addf(&m->body, "mov.u32 %%flat, %%tid.x;\nld.param.u64 %%in, [given];\nld.param.u64 %%out8, [out];\nmul.wide.u32 %%a, %%flat, 2;\nadd.s64 %%in2, %%in, %%a;\n"
        "add.s64 %%in4, %%in2, %%a;\nshl.b64 %%a, %%a, 1;\nadd.s64 %%out4, %%out8, %%a;\nadd.s64 %%in8, %%in4, %%a;\nadd.s64 %%out8, %%out4, %%a;\n"
        "shl.b64 %%a, %%a, 2;\nld.param.u64 %%ours, [out];\nadd.s64 %%ours, %%ours, %d;\nadd.s64 %%ours, %%ours, %%a;\nmov.u64 %%mine, mine;\nadd.s64 %%mine, %%mine, %%a;\n"
        "mov.u32 %%t, 0;\nmov.u32 %%u, 0;\nst.global.v4.u32 [%%ours], {%%flat, 1, -1, 0x3f800000};\nst.shared.v4.u32 [%%mine], {%%flat, 1, -1, 0x3f800000};\n"
        "st.local.v4.u32 [cells_own], {%%flat, 1, -1, 0x3f800000};\nmul.lo.s32 %%t, %%flat, 5;\nand.b32 %%t, %%t, 4;\nsetp.ne.s32 %%some, %%t, 0;\n", OWN_AT);
}

static int count(const char *text) /* lines */
{
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* --- running --- */

struct bench {
    heddle_device *device;
    heddle_ptr in, out;
    int kernels, instances, differ;
};

static void must(heddle_status s, const char *what, const char *subject)
{
    if (!s)
        return;
    fprintf(stderr, "%s: %s\n%s\n", what, heddle_error_text(), subject);
    exit(1);
}

static void run(struct bench *b, heddle_kernel *k, const struct maker *m, const char *exec, char *out)
{
    uint32_t salt = 0x80ff7f01;
    void *args[] = {&b->in, &b->out, &salt};
    heddle_launch_config cfg = {.grid = {1, 1, 1}, .block = {(uint32_t)m->threads, 1, 1}};
    size_t bytes = (size_t)(8 * m->threads * m->slots);
    memset(out, 0, bytes);
    must(heddle_copy_in(b->device, b->out, out, bytes), "copy", "");
    setenv("HEDDLE_EXEC", exec, 1);
    must(heddle_launch(k, &cfg, args, NULL), exec, m->body.s);
    must(heddle_copy_out(b->device, out, b->out, bytes), "copy", "");
}

/* A slot of 32 bits or fewer has one value after the other in its first half. */
static bool same(const struct maker *m, int slot, const char *x, const char *y)
{
    for (int i = 0; i < m->threads; i++) {
        double a, b;
        memcpy(&a, x + 8 * i, 8);
        memcpy(&b, y + 8 * i, 8);
        if (memcmp(x + 8 * i, y + 8 * i, 8) && !(m->is_double[slot] && a != a && b != b)) {
            fprintf(stderr, "%s\n  slot %d, at byte %d: %016" PRIx64 " interpreted, %016" PRIx64 " compiled\n", m->of[slot], slot, 8 * i,
                    *(const uint64_t *)(const void *)(x + 8 * i), *(const uint64_t *)(const void *)(y + 8 * i));
            return false;
        }
    }
    return true;
}

static void finish(struct bench *b, struct maker *m)
{
    static char x[8 * THREADS * MAX_SLOTS], y[8 * THREADS * MAX_SLOTS];
    heddle_module *module;
    heddle_kernel *kernel;
    bool ok = true;
    strbuf_adds(&m->body, "ret;\n}\n");
    if (m->slots) {
        must(heddle_module_load(b->device, "rows", m->body.s, m->body.len, &module), "module", m->body.s);
        must(heddle_kernel_find(module, "k", &kernel), "kernel", m->body.s);
        run(b, kernel, m, "interp", x);
        for (int tier = 0; tier < 2; tier++) {
            run(b, kernel, m, tier ? "jit" : "jit-first", y);
            for (int i = 0; i < m->slots; i++)
                ok &= same(m, i, x + 8 * m->threads * i, y + 8 * m->threads * i);
        }
        if (!ok)
            fprintf(stderr, "%s\n", m->body.s);
        b->differ += !ok;
        b->kernels++;
        heddle_module_unload(module);
    }
    strbuf_release(&m->body);
}

/* --- which instances --- */

enum mode { FEW, PAIRS, ALL };

/* How many of a line's instances are looked at: all if they are few, else as many as show each pair of the first two choices. */
static uint64_t chosen(const char *text, enum mode mode)
{
    uint64_t n = row_instances(text), pair = 1, most = 1;
    int choices = 0;
    for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<')) {
        unsigned here = row_alternatives(at);
        pair *= choices++ < 2 ? here : 1;
        most = here > most ? here : most;
    }
    return mode == ALL || n <= 24 ? n : pair > most ? pair : most;
}

/* The number of the i-th of them: each choice behind the second is another one than before. */
static uint64_t expand(const char *text, uint64_t i, enum mode mode)
{
    uint64_t answer = 0, weight = 1, rest = i, choices = 0;
    if (mode == ALL || row_instances(text) <= 24)
        return i;
    for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<'), choices++) {
        unsigned here = row_alternatives(at);
        answer += weight * ((choices < 2 ? rest : i + i / here * choices) % here);
        rest /= here;
        weight *= here;
    }
    return answer;
}

/* Types of rows that lines have had, by the parser's word. True if this one has a new one. */
static uint64_t covered[PTX_OP_COUNT];

static bool cover(const char *line, uint64_t instance_number)
{
    struct maker m;
    struct diag_list diags;
    struct strbuf messages;
    bool new_one = false;
    begin(&m, THREADS);
    int frame = count(m.body.s);
    row_write(&m.body, line, instance_number, "", operand, &m);
    strbuf_adds(&m.body, "ret;\n}\n");
    diag_init(&diags);
    struct ptx_module *module = ptx_parse("rows", m.body.s, m.body.len, &diags);
    if (!module) {
        strbuf_init(&messages);
        diag_format_all(&diags, &messages);
        fprintf(stderr, "%s\n", messages.s);
        exit(1);
    }
    diag_release(&diags);
    const struct ptx_function *f = module->funcs[0];
    for (int i = 0; i < f->ninsts; i++) {
        uint64_t type = UINT64_C(1) << f->insts[i].mods.type[0], *of = &covered[f->insts[i].op];
        if (f->insts[i].line > frame && !(*of & type)) {
            *of |= type;
            new_one = true;
        }
    }
    ptx_free(module);
    strbuf_release(&m.body);
    return new_one;
}

/* Types of rows that no line has, and that are not excused. */
static int uncovered(void)
{
    static const uint64_t excused[PTX_OP_COUNT] = {
#define ROW(when, text)
#define ELSEWHERE(id, types, test) [PTX_OP_##id] = types,
#define NOWHERE(id, types, why) [PTX_OP_##id] = types,
#include "rows.def"
#undef ROW
#undef ELSEWHERE
#undef NOWHERE
    };
    static const char *const ids[PTX_OP_COUNT] = {
#define OP(id, ...) [PTX_OP_##id] = #id,
#include "ptx/ptx_ops.def"
#undef OP
    };
    int missing = 0;
    for (int op = 1; op < PTX_OP_COUNT; op++)
        for (int type = 0; type < PTX_TYPE_COUNT; type++) {
            bool valid = (uint64_t)ptx_op_info[op].types >> type & 1, has = covered[op] >> type & 1, excuse = excused[op] >> type & 1;
            if (valid && has == excuse) {
                fprintf(stderr, has ? "row %s, type .%s: excused in rows.def, but a line has it\n" : "row %s, type .%s: no line of rows.def has it\n", ids[op],
                        ptx_type_info[type].spelling);
                missing++;
            }
        }
    return missing;
}

static void run_rows(struct bench *b, enum mode mode, uint64_t part, uint64_t parts)
{
    uint64_t done = 0;
    for (int warps = 0; warps < 2; warps++) { /* lines for whole warps have blocks of them */
        struct maker m;
        begin(&m, warps ? WHOLE : THREADS);
        int n = 0;
        for (int i = 0; i < nrows; i++)
            for (uint64_t k = 0; warps == !!(rows[i].when & (ROW_WARP | ROW_BLOCK)) && k < chosen(rows[i].text, mode); k++) {
                uint64_t number = expand(rows[i].text, k, mode);
                if ((!cover(rows[i].text, number) && mode == FEW) || done++ / TOGETHER % parts != part)
                    continue;
                for (int how = 0; how < HOWS; how++)
                    if (mode != FEW || how == b->instances % HOWS)
                        instance(&m, rows[i].text, number, (enum how)how);
                b->instances++;
                if (++n % TOGETHER == 0) {
                    finish(b, &m);
                    begin(&m, warps ? WHOLE : THREADS);
                }
            }
        finish(b, &m);
    }
}

/* --- operands --- */

static void fill(char *in)
{
    static const uint64_t halves[] = {0, 1, 0x8000, 0x7fff, 0xffff, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x0400, 0x03ff, 0x3f80, 0x7f80, 0x7fc0, 0x0080, 31, 32, 255},
        words[] = {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x3c003c00, 0x7c00fc00, 0x03ff8001, 0x3f803f80, 0x7f80ff80, 0xffff, 0x8000, 255, 24},
        longs[] = {0, 1, 2, 63, 64, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0xffffffff, 0x100000000, 0x80000000, 0xffffffff80000000},
        singles[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fffffff, 0x7fc00000, 0x00800000, 0x007fffff, 0x80000001, 0x7f7fffff, 0x3f000000,
                     0x4f000000, 0xcf000000, 0x4b000001, 0x3fc00000, 0x40200000, 0x5f000000},
        doubles[] = {0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x0010000000000000,
                     0x000fffffffffffff, 0x8000000000000001, 0x7fefffffffffffff, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0x43e0000000000000, 0x3fe0000000000000,
                     0x4004000000000000, 0x3810000000000000};
    static const struct {
        const uint64_t *edges;
        unsigned n, size;
    } kinds[] = {{halves, sizeof halves / 8, 2}, {words, sizeof words / 8, 4}, {longs, sizeof longs / 8, 8}, {singles, sizeof singles / 8, 4},
                 {doubles, sizeof doubles / 8, 8}, {words, sizeof words / 8, 4}};
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < VALUES + SPARE; i++) {
            uint64_t v = below(2) ? kinds[k].edges[below(kinds[k].n)] : state ^ state << 17;
            if (k == 3 && below(2)) {
                float x = (float)((int)below(4000) - 2000) / 16;
                memcpy(&v, &x, 4);
            }
            if (k == 4 && below(2)) {
                double x = ((int)below(4000) - 2000) / 16.0;
                memcpy(&v, &x, 8);
            }
            if (k < 3 && below(2))
                v &= UINT64_C(0xff) << below(24);
            memcpy(in + k * WIDTH + i * (int)kinds[k].size, &v, kinds[k].size);
        }
}

int main(int argc, char **argv)
{
    int at = argc > 1 && (!strcmp(argv[1], "pairs") || !strcmp(argv[1], "all")) ? 2 : 1;
    enum mode mode = at == 1 ? FEW : *argv[1] == 'p' ? PAIRS : ALL;
    uint64_t part = argc == at + 2 ? strtoull(argv[at], NULL, 10) : 0, parts = argc == at + 2 ? strtoull(argv[at + 1], NULL, 10) : 1;
    if (part >= parts || (argc != at && argc != at + 2)) {
        fputs("usage: jit_rows [pairs | all] [PART PARTS]\n", stderr);
        return 2;
    }
    const char *level = getenv("HEDDLE_ISA");
    if (level && strcmp(level, lanes_level())) {
        printf("skipped: this host has no %s\n", level);
        return 77;
    }
    setenv("HEDDLE_JIT_CACHE", "0", 0);
    struct bench b = {0};
    static char in[6 * WIDTH];
    fill(in);
    must(heddle_device_open("h200", &b.device), "device", "");
    must(heddle_alloc(b.device, sizeof in, &b.in), "memory", "");
    must(heddle_alloc(b.device, OWN_AT + 16 * THREADS, &b.out), "memory", "");
    must(heddle_copy_in(b.device, b.in, in, sizeof in), "copy", "");
    run_rows(&b, mode, part, parts);
    int missing = uncovered();
    heddle_device_close(b.device);
    printf("%d instances in %d kernels, %d kernels differ; %d types of rows are nowhere\n", b.instances, b.kernels, b.differ, missing);
    return b.differ || missing;
}
