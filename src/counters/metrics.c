/* The tables of metrics.def, metric_aliases.def and metric_known.def, and looking into them. */
#include "counters/metrics.h"

#include <math.h>
#include <string.h>

#include "base/near.h"
#include "base/strbuf.h"

static double over(const struct metric_input *in, double a, double b)
{
    return b != 0 ? a / b : in->of_nothing;
}

#define C(id)         ((double)in->c->v[COUNTER_##id])
#define L(id)         ((double)in->l->id)
#define OVER(a, b)    over(in, (a), (b))
#define PCT(a, b)     (100 * over(in, (a), (b)))
#define GLOBAL(what)  (C(GLOBAL_LD_##what) + C(GLOBAL_ST_##what) + C(GLOBAL_ATOM_##what) + C(GLOBAL_RED_##what))
/* Of loads (LD) or stores (ST): transactions and their bytes. */
#define BY_SIZE(op)     (C(GLOBAL_##op##_OF_32) + C(GLOBAL_##op##_OF_64) + C(GLOBAL_##op##_OF_128))
#define TRANSACTIONS(op) (L(by_size) != 0 ? BY_SIZE(op) : C(GLOBAL_##op##_SECTORS))
#define MOVED(op)       (L(by_size) != 0 ? 32 * C(GLOBAL_##op##_OF_32) + 64 * C(GLOBAL_##op##_OF_64) + 128 * C(GLOBAL_##op##_OF_128) : 32 * C(GLOBAL_##op##_SECTORS))
#define SHARED(what)  (C(SHARED_LD_##what) + C(SHARED_ST_##what) + C(SHARED_ATOM_##what))

/* Warp instructions of all units that are counted. */
#define UNITS         (C(PIPE_ALU) + C(PIPE_FMA) + C(PIPE_FP16) + C(PIPE_FP64) + C(PIPE_XU) + C(PIPE_LSU) + C(PIPE_TEX) + C(PIPE_ADU) + C(PIPE_CBU) + C(PIPE_UNIFORM) + C(PIPE_TENSOR))

/* SECTORS or HIT of all requests to L1; of all that SMs ask of L2. */
#define L1_SECTORS_   (GLOBAL(SECTORS) + C(LOCAL_LD_SECTORS) + C(LOCAL_ST_SECTORS) + C(L1_TEXTURE_SECTORS))
#define L1_HIT_       (C(L1_GLOBAL_LD_HIT) + C(L1_GLOBAL_ST_HIT) + C(L1_LOCAL_LD_HIT) + C(L1_LOCAL_ST_HIT) + C(L1_TEXTURE_HIT))
#define L1(what)      (L1_##what##_)
#define L2(what)      (C(L2_READ_##what) + C(L2_WRITE_##what) + C(L2_ATOMIC_##what))
/* Accesses of DRAM; bytes that lanes loaded, textures left out. */
#define ROWS          (C(DRAM_ROW_HITS) + C(DRAM_ROW_CLOSED) + C(DRAM_ROW_CONFLICTS))
#define LOADED        (C(GLOBAL_LD_BYTES) + C(GLOBAL_ATOM_BYTES) + C(GLOBAL_RED_BYTES) + C(LOCAL_LD_BYTES) + (L(readonly) == 2 ? C(READONLY_BYTES) : 0))

/* --- time: seconds of the launch, and of its cycles at the multiprocessors' clock --- */

#define SECONDS        (L(duration_ps) / 1e12)
#define CYCLES(n)      OVER((n), L(sm_clock_khz) * 1e3)
#define ELAPSED        CYCLES(L(cycles))
#define ACTIVE         CYCLES(OVER(L(active_cycles), L(multiprocessors)))
#define PER_SECOND(x)  OVER((x), SECONDS)
/* A peak of the device, 10^9 a second; percent of it that some work in some seconds is; the larger of two, of which one may be unknown. */
#define R(id)          (in->d ? in->d->id : NAN)
#define USED(work, rate, seconds) PCT((work), (rate) * 1e9 * (seconds))
#define MOST(a, b)     fmax((a), (b))
#define KNOWN_OR_0(x)  fmax((x), 0)

/* Warp instructions that the fma unit's whole width can do, and those that only integer products' lanes can: all but floats. */
#define FLOATS         OVER((C(FADD) + C(FMUL) + C(FFMA)) * C(INST), C(THREAD_INST_ON))
#define PRODUCTS       KNOWN_OR_0(C(PIPE_FMA) - FLOATS)
/* A unit's lanes are those of 32-lane instructions; a rate that counts a multiply-add twice is halved, of pairs of halves quartered. */
#define USED_ALU(s)    USED(32 * C(PIPE_ALU), R(int32_add), s)
#define USED_FMA(s)    MOST(USED(32 * C(PIPE_FMA), R(fp32) / 2, s), USED(32 * PRODUCTS, R(int32_mul), s))
#define USED_FP16(s)   USED(32 * C(PIPE_FP16), R(fp16) / 4, s)
#define USED_FP64(s)   USED(32 * C(PIPE_FP64), R(fp64) / 2, s)
#define USED_XU(s)     USED(32 * C(PIPE_XU), R(sfu), s)
#define USED_LSU(s)    USED(32 * C(PIPE_LSU), R(lsu), s)
#define USED_CONST(s)  USED(C(CONST_ADDRESSES), R(constant_words), s)
#define USED_ISSUE(s)  USED(C(INST), R(issue), s)
#define USED_SM(s)     MOST(USED_ISSUE(s), MOST(USED_ALU(s), MOST(USED_FMA(s), MOST(USED_FP16(s), MOST(USED_FP64(s), MOST(USED_XU(s), MOST(USED_LSU(s), USED_CONST(s))))))))
/* L1 and shared memory have the same banks where they are one memory; else L1's rate is not known, and only shared memory counts. */
#define L1_MOVED       ((L(by_size) != 0 ? MOVED(LD) + MOVED(ST) : 32 * (C(GLOBAL_LD_SECTORS) + C(GLOBAL_ST_SECTORS) + C(L1_TEXTURE_SECTORS))) + \
                        32 * (C(GLOBAL_ATOM_SECTORS) + C(GLOBAL_RED_SECTORS) + C(LOCAL_LD_SECTORS) + C(LOCAL_ST_SECTORS)))
#define USED_SHARED(s) USED(SHARED(WAVEFRONTS) + C(SHARED_LDGSTS_WAVEFRONTS), R(shared_wavefronts), s)
#define USED_L1(s)     (USED_SHARED(s) + KNOWN_OR_0(USED(L1_MOVED, R(l1_bandwidth), s)))
#define USED_L2        USED(32 * L2(SECTORS), R(l2_bandwidth), SECONDS)
#define USED_DRAM(sectors) USED(32 * (sectors), R(dram_bandwidth), SECONDS)
#define DRAM_SECTORS   (C(DRAM_READ_SECTORS) + C(DRAM_WRITE_SECTORS))

/* What warps do: all cycles of theirs, n/a where the clock tells no states; cycles of one state for each instruction issued, and in percent. */
#define STATES         (C(STALL_BARRIER) + C(STALL_BRANCH_RESOLVING) + C(STALL_DISPATCH) + C(STALL_DRAIN) + C(STALL_IMC_MISS) + C(STALL_LG_THROTTLE) + \
                        C(STALL_LONG_SCOREBOARD) + C(STALL_MATH_PIPE_THROTTLE) + C(STALL_MEMBAR) + C(STALL_MIO_THROTTLE) + C(STALL_MISC) + \
                        C(STALL_NO_INSTRUCTION) + C(STALL_NOT_SELECTED) + C(STALL_SELECTED) + C(STALL_SHORT_SCOREBOARD) + C(STALL_SLEEPING) + \
                        C(STALL_TEX_THROTTLE) + C(STALL_WAIT))
#define TOLD(x)        (C(STALL_SELECTED) != 0 ? (x) : NAN)
#define AN_ISSUE(x)    TOLD((x) / C(STALL_SELECTED))
#define OF_WARPS(x)    TOLD(100 * (x) / STATES)

/* One function a row, named by its number. */
enum {
#define METRIC(name, unit, trust, formula, help) METRIC_ROW(__LINE__),
#define METRIC_ROW(line)                         METRIC_ROW_(line)
#define METRIC_ROW_(line)                        row_##line
#include "counters/metrics.def"
#undef METRIC
    COMPUTED
};

#define METRIC_FUNCTION(line)  METRIC_FUNCTION_(line)
#define METRIC_FUNCTION_(line) compute_##line
#define METRIC(name, unit, trust, formula, help)                                                     \
    static double METRIC_FUNCTION(__LINE__)(const struct metric_input *in)                           \
    {                                                                                                \
        return (double)(formula);                                                                    \
    }
#include "counters/metrics.def"
#undef METRIC

#define EXACT    TRUST_EXACT
#define CODE     TRUST_CODE
#define MODELLED TRUST_MODELLED
#define EXPANDED(formula) #formula /* with all macros in it replaced: C(X) by COUNTER_X */
static const struct metric metrics[] = {
#define METRIC(name, unit, trust, formula, help) {name, unit, help, #formula, EXPANDED(formula), trust, METRIC_FUNCTION(__LINE__)},
#include "counters/metrics.def"
#undef METRIC
#define KNOWN(name, unit) {name, unit, "not computed yet", "", "", TRUST_MODELLED, NULL},
#include "counters/metric_known.def"
#undef KNOWN
};
#undef EXPANDED
#undef EXACT
#undef CODE
#undef MODELLED

enum { METRICS = sizeof metrics / sizeof metrics[0] };

static const struct {
    const char *name, *means;
} aliases[] = {
#define ALIAS(name, means) {name, means},
#include "counters/metric_aliases.def"
#undef ALIAS
};

enum { ALIASES = sizeof aliases / sizeof aliases[0] };

const struct metric *metric_at(int i)
{
    return i >= 0 && i < METRICS ? &metrics[i] : NULL;
}

static const struct metric *by_name(const char *name)
{
    for (int i = 0; i < METRICS; i++)
        if (!strcmp(metrics[i].name, name))
            return &metrics[i];
    return NULL;
}

const struct metric *metric_find(const char *name)
{
    const struct metric *m = by_name(name);

    for (int i = 0; !m && i < ALIASES; i++)
        if (!strcmp(aliases[i].name, name))
            m = by_name(aliases[i].means);
    return m;
}

const char *metric_near(const char *name)
{
    unsigned nearest = near_limit(name);
    const char *best = NULL;

    for (int i = 0; i < METRICS + ALIASES; i++) {
        const char *known = i < METRICS ? metrics[i].name : aliases[i - METRICS].name;
        unsigned far = near_distance(name, known, nearest);

        if (far < nearest) {
            nearest = far;
            best = known;
        }
    }
    return best;
}

/* --- what a metric needs --- */

static counter_groups fact_group(const char *name, size_t n)
{
#define FACT(id, unit, group, help)                \
    if (n == sizeof #id - 1 && !memcmp(name, #id, n)) \
        return COUNTERS_OF(group);
#include "counters/launch.def"
#undef FACT
    return COUNTERS_OF(LAUNCH); /* grid, block */
}

static counter_groups counter_group(const char *id, size_t n)
{
    counter_groups g = 0;

    for (int c = 0; c < COUNTER_COUNT && !g; c++)
        if (strlen(counter_info[c].id) == n && !memcmp(counter_info[c].id, id, n))
            g = (counter_groups)1 << counter_info[c].group;
    return g;
}

/* What stands in a formula behind a word that begins a name. */
static counter_groups groups_behind(const char *formula, const char *word, counter_groups (*of)(const char *name, size_t n))
{
    static const char in_names[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    counter_groups g = 0;

    for (const char *at = formula; (at = strstr(at, word));) {
        at += strlen(word);
        g |= of(at, strspn(at, in_names));
    }
    return g;
}

counter_groups metric_groups(const struct metric *m)
{
    return groups_behind(m->expanded, "COUNTER_", counter_group) | groups_behind(m->expanded, "in->l->", fact_group) | COUNTERS_OF(LAUNCH);
}

/* Names in a formula that no source line has. The two facts that are left say by which rules a device counts. */
static counter_groups no_line_has(const char *name, size_t n)
{
    return !(n == 7 && !memcmp(name, "by_size", n)) && !(n == 8 && !memcmp(name, "readonly", n));
}

static counter_groups is_of_launch(const char *id, size_t n)
{
    return counter_group(id, n) == COUNTERS_OF(LAUNCH);
}

bool metric_of_lines(const struct metric *m)
{
    return m->compute && !groups_behind(m->expanded, "in->l->", no_line_has) && !groups_behind(m->expanded, "COUNTER_", is_of_launch) &&
           !strstr(m->expanded, "in->d") && strstr(m->expanded, "COUNTER_");
}

enum metric_status metric_value(const char *name, const struct metric_input *in, double *value)
{
    const struct metric *m = metric_find(name);

    if (!m)
        return METRIC_UNKNOWN;
    if (!m->compute || (metric_groups(m) & ~in->l->collected))
        return METRIC_NOT_COMPUTED;
    *value = m->compute(in);
    return isnan(*value) && !isnan(in->of_nothing) ? METRIC_NOT_COMPUTED : METRIC_OK;
}

/* --- documentation --- */

static void document_group(int g, struct strbuf *out)
{
    const char *before = "";

    strbuf_addf(out, "| `%s` | %s | ", group_info[g].name, group_info[g].help);
    for (int i = 0; i < GROUP_COUNT; i++)
        if (group_info[g].with >> i & 1 && i != GROUP_LAUNCH) {
            strbuf_addf(out, "%s`%s`", before, group_info[i].name);
            before = ", ";
        }
    strbuf_adds(out, " |\n");
}

static void document_counters(struct strbuf *out)
{
    strbuf_adds(out, "\n## Groups\n\nA launch that is profiled for some metrics collects only the groups of the counters and facts in their "
                     "formulas; metrics of other groups are `n/a` then.\n\n| group | what | comes with it |\n| --- | --- | --- |\n");
    for (int g = 0; g < GROUP_COUNT; g++)
        document_group(g, out);
    strbuf_adds(out, "\n## Base counters\n\nIn formulas `C(X)` is one of these; all are sums over instructions.\n\n"
                     "| counter | unit | trust | group | what |\n| --- | --- | --- | --- | --- |\n");
    for (int c = 0; c < COUNTER_COUNT; c++)
        strbuf_addf(out, "| `%s` | %s | %s | `%s` | %s |\n", counter_info[c].id, counter_info[c].unit,
                    trust_text(counter_info[c].trust), group_info[counter_info[c].group].name, counter_info[c].help);
    strbuf_adds(out, "\nLaunch facts, `L(x)` in formulas:\n\n| fact | unit | group | what |\n| --- | --- | --- | --- |\n");
#define FACT(id, unit, group, help) strbuf_addf(out, "| `%s` | %s | `%s` | %s |\n", #id, unit, group_info[GROUP_##group].name, help);
#include "counters/launch.def"
#undef FACT
}

void metrics_document(struct strbuf *out)
{
    strbuf_adds(out, "# Metrics\n\n"
                     "Printed from `src/counters/*.def`; do not edit (`HEDDLE_WRITE_DOCS=1 ctest -R unit.metrics` "
                     "writes it anew).\n\n"
                     "Trust: *exact* follows from addresses and masks under the GPU's rules; *exact for this code* "
                     "follows from the compiled code; *modelled* is an estimate.\n"
                     "`OVER(a, b)` is a / b, 0 when b is 0; `PCT` the same in percent; `GLOBAL(x)` the sum over "
                     "global loads, stores, atomics and reductions, `SHARED(x)` over shared ones. `TRANSACTIONS(LD)` is "
                     "`GLOBAL_LD_OF_32` + `GLOBAL_LD_OF_64` + `GLOBAL_LD_OF_128` before compute capability 5.0 and "
                     "`GLOBAL_LD_SECTORS` on later devices, `MOVED(LD)` the bytes of these; `ST` the same of stores. "
                     "`UNITS` is the sum of all `PIPE_...`, `ROWS` is `DRAM_ROW_HITS` + `DRAM_ROW_CLOSED` + `DRAM_ROW_CONFLICTS`, `LOADED` the bytes of global and local "
                     "loads, atomics, reductions and read-only loads.\n\n"
                     "`R(x)` is a peak of the device, 10^9 a second ([device figures](device-figures.md)); a figure whose peak nobody tells is `n/a`. "
                     "`SECONDS` is the launch's time, `ELAPSED` that of its cycles, `ACTIVE` that of the cycles in which a multiprocessor has a block. "
                     "`PER_SECOND(x)` is x over `SECONDS`, `USED(x, peak, s)` percent of the peak that x in s seconds is, `MOST` the larger of two. "
                     "`USED_ALU(s)` and its like are warp instructions of a unit over what its lanes can do. `PRODUCTS` are those of the unit fma "
                     "that are no floats: on some devices half of its lanes can do them. `USED_SM` is the largest of issue slots, alu, fma, fp16, fp64, xu, lsu and constants by address; `USED_L1` what the "
                     "banks of L1 and shared memory do: wavefronts of shared memory and bytes of sectors; `USED_L2` and `USED_DRAM` bytes. Not in "
                     "these, unlike on a GPU: passes of L1 for requests that touch many lines, lookups of L2's tags, the link between L2's parts. "
                     "`STATES` is the sum of all `STALL_...`: cycles of warps; `AN_ISSUE(x)` x for each instruction issued, `OF_WARPS(x)` x in percent "
                     "of all; both are `n/a` where no states are told.\n\n"
                     "| metric | unit | trust | what | formula |\n| --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < METRICS && metrics[i].compute; i++)
        strbuf_addf(out, "| `%s` | %s | %s | %s | `%s` |\n", metrics[i].name, metrics[i].unit,
                    trust_text(metrics[i].trust), metrics[i].help, metrics[i].formula);
    strbuf_adds(out, "\n## Other names\n\nnvprof's, and those of other versions of ncu.\n\n| name | means |\n"
                     "| --- | --- |\n");
    for (int i = 0; i < ALIASES; i++)
        strbuf_addf(out, "| `%s` | `%s` |\n", aliases[i].name, aliases[i].means);
    document_counters(out);
    strbuf_adds(out, "\n## Known, not computed yet\n\nThese answer `n/a`; any other name is an error.\n\n");
    for (int i = COMPUTED; i < METRICS; i++)
        strbuf_addf(out, "- `%s`%s%s\n", metrics[i].name, *metrics[i].unit ? ", " : "", metrics[i].unit);
}
