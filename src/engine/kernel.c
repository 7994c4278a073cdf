/* Modules, their variables and kernels: PTX -> IR -> rewritten IR -> the executor's code, once per kernel. */
#include "engine/assembler.h"
#include "engine/private.h"

#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "clock/spills.h"
#include "engine.h"
#include "interp/claim_check.h"
#include "interp/lanes.h"
#include "ir/claims.h"
#include "ir/facts.h"
#include "ir/read.h"
#include "ir/verify.h"
#include "jit/jit.h"
#include "report/result.h"
#include "step/step.h"
#include "target/visits.h"

/* --- modules --- */

static uint64_t variable_address(const struct ptx_var *v, void *user)
{
    heddle_module *m = user;
    return (uint64_t)(uintptr_t)table_get(&m->address, v->name);
}

/* Where the host has its managed variables. */
struct host_places {
    uint64_t (*place)(const char *variable, void *user);
    void *user;
};

static heddle_status place_variable(heddle_module *m, const struct ptx_var *v, const struct host_places *host)
{
    uint64_t at = v->managed && host->place ? host->place(v->name, host->user) : 0;
    if ((v->space != PTX_GLOBAL && v->space != PTX_CONST) || v->linkage == PTX_LINK_EXTERN)
        return HEDDLE_OK;
    if (at) {
        table_set(&m->address, v->name, (void *)(uintptr_t)at);
        return HEDDLE_OK;
    }
    enum space_kind kind = v->managed ? SPACE_MANAGED : SPACE_VARIABLE;
    if (space_alloc(&m->device->space, v->size ? v->size : 1, kind, v->name, &at) != SPACE_OK)
        return engine_fail(HEDDLE_OUT_OF_MEMORY, "no device memory for variable '%s' of %llu bytes", v->name,
                    (unsigned long long)v->size);
    table_set(&m->address, v->name, (void *)(uintptr_t)at);
    if (v->space == PTX_CONST)
        m->constant_bytes += v->size;
    if (v->init)
        memcpy(space_host(at), v->init, v->size);
    else
        memset(space_host(at), 0, v->size);
    return HEDDLE_OK;
}

static void relocate(heddle_module *m, const struct ptx_var *v)
{
    for (int i = 0; i < v->nrelocs; i++) {
        const struct ptx_reloc *r = &v->reloc[i];
        uint64_t of = r->var ? variable_address(r->var, m) : r->func ? ir_function_address(m->ptx, r->func) : 0;
        uint64_t value = of + (uint64_t)r->addend;
        uint64_t at = variable_address(v, m);
        char *to = space_is_device_address(at) ? space_host(at) : (char *)(uintptr_t)at;
        memcpy(to + r->at, &value, r->bytes);
    }
}

static heddle_status place_variables(heddle_module *m, const struct host_places *host)
{
    for (int i = 0; i < m->ptx->nvars; i++) {
        heddle_status s = place_variable(m, m->ptx->vars[i], host);
        if (s)
            return s;
    }
    for (int i = 0; i < m->ptx->nvars; i++)
        if (m->ptx->vars[i]->nrelocs)
            relocate(m, m->ptx->vars[i]);
    if (m->constant_bytes > (uint64_t)m->device->spec.constant_bytes)
        return engine_fail(HEDDLE_INVALID_PTX, "%s: %llu bytes of constant memory; device %s has %lld", m->ptx->name,
                    (unsigned long long)m->constant_bytes, m->device->spec.id,
                    (long long)m->device->spec.constant_bytes);
    return HEDDLE_OK;
}

static void find_kernels(heddle_module *m)
{
    m->kernels = alloc_zeroed(sizeof *m->kernels * (size_t)(m->ptx->nfuncs + 1));
    for (int i = 0; i < m->ptx->nfuncs; i++) {
        const struct ptx_function *f = m->ptx->funcs[i];
        if (!f->entry || !f->defined)
            continue;
        heddle_kernel *k = &m->kernels[m->nkernels++];
        k->module = m;
        k->function = f;
        pthread_mutex_init(&k->lock, NULL);
    }
}

heddle_status heddle_module_load(heddle_device *d, const char *name, const char *ptx, size_t bytes, heddle_module **out)
{
    return engine_module_load(d, name, ptx, bytes, NULL, NULL, out);
}

heddle_status engine_module_load(heddle_device *d, const char *name, const char *ptx, size_t bytes,
                                 uint64_t (*place)(const char *variable, void *user), void *user, heddle_module **out)
{
    if (!d || !ptx || !out)
        return engine_fail(HEDDLE_INVALID_VALUE, "no device, text or place for the module");
    struct diag_list diags;
    diag_init(&diags);
    struct ptx_module *p = ptx_parse(name ? name : "PTX", ptx, bytes, &diags);
    if (!p)
        return engine_fail_diags(HEDDLE_INVALID_PTX, &diags);
    diag_release(&diags);
    heddle_module *m = alloc_zeroed(sizeof *m);
    m->device = d;
    m->ptx = p;
    pthread_mutex_init(&m->units_lock, NULL);
    find_kernels(m);
    heddle_status s = place_variables(m, &(struct host_places){place, user});
    if (s) {
        heddle_module_unload(m);
        return s;
    }
    *out = m;
    return HEDDLE_OK;
}

static void release(heddle_kernel *k)
{
    step_close(k->step);
    jit_close(k->jit);
    interp_free(k->code);
    ir_free(k->ir);
    alloc_release(k->problem);
    alloc_release(k->signature);
    pthread_mutex_destroy(&k->lock);
}

void heddle_module_unload(heddle_module *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->nkernels; i++) {
        if (m->kernels[i].stepped)
            release(m->kernels[i].stepped);
        alloc_release(m->kernels[i].stepped);
        release(&m->kernels[i]);
    }
    for (int i = 0; i < m->ptx->nvars; i++) {
        uint64_t at = variable_address(m->ptx->vars[i], m);
        if (at && space_is_device_address(at))
            space_free(&m->device->space, at);
    }
    table_release(&m->address);
    ptx_free(m->ptx);
    pthread_mutex_destroy(&m->units_lock);
    alloc_release(m->units);
    alloc_release(m->kernels);
    alloc_release(m);
}

heddle_status heddle_module_variable(heddle_module *m, const char *name, heddle_ptr *address, size_t *bytes)
{
    const struct ptx_var *v = m && name ? table_get(&m->ptx->var_by_name, name) : NULL;
    uint64_t at = v ? variable_address(v, m) : 0;
    if (!at)
        return engine_fail(HEDDLE_NOT_FOUND, "no variable '%s' in the module", name ? name : "");
    *address = at;
    *bytes = v->size;
    return HEDDLE_OK;
}

heddle_status heddle_kernel_find(heddle_module *m, const char *name, heddle_kernel **out)
{
    for (int i = 0; m && name && i < m->nkernels; i++)
        if (!strcmp(m->kernels[i].function->name, name)) {
            *out = &m->kernels[i];
            return HEDDLE_OK;
        }
    return engine_fail(HEDDLE_NOT_FOUND, "no kernel '%s' in %s", name ? name : "", m ? m->ptx->name : "no module");
}

heddle_status heddle_module_kernel(heddle_module *m, int i, heddle_kernel **out)
{
    if (!m || !out)
        return engine_fail(HEDDLE_INVALID_VALUE, "no module, or no place for the kernel");
    if (i < 0 || i >= m->nkernels)
        return engine_fail(HEDDLE_NOT_FOUND, "%s has %d kernels", m->ptx->name, m->nkernels);
    *out = &m->kernels[i];
    return HEDDLE_OK;
}

const char *heddle_kernel_signature(heddle_kernel *k)
{
    struct arena a;
    if (!k)
        return NULL;
    arena_init(&a);
    pthread_mutex_lock(&k->lock);
    if (!k->signature) {
        const char *name = result_demangle(&a, k->function->name);
        k->signature = alloc_strndup(name, strlen(name));
    }
    pthread_mutex_unlock(&k->lock);
    arena_release(&a);
    return k->signature;
}

/* --- kernels: PTX -> IR -> rewritten IR -> executor's code, once --- */

/* Mangled names in quotes as their programmer wrote them. */
static const char *demangled(struct arena *a, const char *text)
{
    const char *at = strstr(text, "'_Z"), *end = at ? strchr(at + 1, '\'') : NULL;
    if (!end)
        return text;
    const char *name = result_demangle(a, arena_strndup(a, at + 1, (size_t)(end - at - 1)));
    return arena_printf(a, "%.*s'%s%s", (int)(at - text), text, name, end);
}

static void describe_problem(struct strbuf *out, const struct ir_kernel *ir, const struct ptx_loc *loc, int ptx_line,
                             const char *text)
{
    struct diag_list l;
    diag_init(&l);
    struct diag *d = diag_add(&l, DIAG_ERROR, loc && loc->line ? loc->file : NULL, loc ? loc->line : 0, "%s", demangled(&l.arena, text));
    d->ptx_line = ptx_line;
    if (ptx_line)
        d->source = ptx_line_text(ir->module, ptx_line, &l.arena);
    diag_format_all(&l, out);
    diag_release(&l);
}

/* Threads that compute what nobody reads and end: no memory but parameters, nobody waited for, no way back. */
static bool is_idle(const struct ir_kernel *k)
{
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        bool ends = ir_is_end(in), jumps = ir_is(in, PTX_KIND_BRANCH) && !in->back_edge;
        if (!ends && !jumps && !facts_pure(in) && !(ir_is(in, PTX_KIND_LOAD) && in->space == PTX_PARAM))
            return false;
    }
    return true;
}

/* HEDDLE_VERIFY: what runs is what was read back of the kernel's text, so that text which loses something is noticed. */
static struct ir_kernel *through_text(struct ir_kernel *k, struct strbuf *problem)
{
    struct diag_list diags;
    struct strbuf text;
    if (k->problems)
        return k;
    diag_init(&diags);
    strbuf_init(&text);
    ir_print(k, &text);
    struct ir_kernel *again = ir_read(k->module, text.s, &diags);
    if (again) {
        again->claims = k->claims;
        k->claims = NULL;
        ir_free(k);
    } else {
        diag_format_all(&diags, problem);
    }
    strbuf_release(&text);
    diag_release(&diags);
    return again ? again : k;
}

static void describe_problems(heddle_kernel *k, struct strbuf *text)
{
    for (const struct ir_problem *p = k->ir->problems; p; p = p->next) {
        describe_problem(text, k->ir, p->loc, p->ptx_line, p->text);
        k->internal |= p->internal;
    }
}

static void compile(heddle_kernel *k)
{
    struct strbuf text;
    strbuf_init(&text);
    k->ir = ir_build(k->module->ptx, k->function, variable_address, k->module);
    k->ir->claims = claim_check_wanted() ? claims_new() : NULL;
    if (!k->plain)
        target_rewrite(k->ir, lanes_find, device_arch(&k->module->device->spec));
    if (claim_check_wanted())
        k->ir = through_text(k->ir, &text);
    describe_problems(k, &text);
    if (!text.s) {
        k->tables = target_tables(k->ir, &k->ir->arena, device_arch(&k->module->device->spec), &k->module->device->model);
        if (!k->plain)
            visits_insert(k->ir, k->tables);
        if (assembler_is_wanted())
            k->tables->registers = assembler_registers(k->module->ptx, k->function->name, &text);
        k->spills = spills_of(k->ir, k->tables, &k->ir->arena);
        k->ir->entered = k->spills ? k->spills->entered : NULL;
        k->idle = is_idle(k->ir);
        if (claim_check_wanted())
            ir_verify(k->ir, "visits", true);
        describe_problems(k, &text);
    }
    if (!text.s) {
        const char *problem;
        int32_t site = 0;
        k->code = interp_compile(k->ir, &problem, &site);
        if (!k->code)
            describe_problem(&text, k->ir, k->ir->insts[site].from->loc, k->ir->insts[site].from->ptx_line, problem);
        else if (!k->plain)
            k->jit = jit_open(k->ir, k->code);
    }
    k->problem = text.s; /* taken over */
    k->compiled = true;
}

heddle_status kernel_compile(heddle_kernel *k)
{
    if (!k)
        return engine_fail(HEDDLE_INVALID_VALUE, "no kernel");
    pthread_mutex_lock(&k->lock);
    if (!k->compiled)
        compile(k);
    pthread_mutex_unlock(&k->lock);
    if (k->problem) {
        heddle_status s = k->internal ? HEDDLE_INTERNAL : HEDDLE_NOT_IMPLEMENTED;
        struct arena a;
        arena_init(&a);
        engine_fail(s, "kernel '%s' cannot be launched (CUDA error %d):\n%s", result_demangle(&a, k->function->name),
                    s == HEDDLE_INTERNAL ? 999 : 801, k->problem);
        arena_release(&a);
        return s;
    }
    return HEDDLE_OK;
}

/* --- kernels to be stepped --- */

void engine_module_units(heddle_module *m, const uint64_t *ids, const size_t *bytes, int n)
{
    m->units = alloc_zeroed(sizeof *m->units * (size_t)n);
    m->nunits = n;
    for (int i = 0; i < n; i++)
        m->units[i] = steps_find(ids[i], bytes[i]);
}

/* The tables of the module's files; of a text that is not joined, its own. */
static void find_units(heddle_module *m)
{
    uint64_t id = hash_bytes(HASH_START, m->ptx->text, m->ptx->text_len);
    if (!m->units)
        engine_module_units(m, &id, &m->ptx->text_len, 1);
}

static uint64_t address_of(const heddle_module *m, const char *name, int unit)
{
    for (int i = 0; i < m->ptx->nvars; i++)
        if (steps_same_name(name, unit, m->nunits, m->ptx->vars[i]->name))
            return (uint64_t)(uintptr_t)table_get(&m->address, m->ptx->vars[i]->name);
    return 0;
}

/* Where the module's variables are, for debug information. */
static void place_steps(const heddle_module *m)
{
    for (int u = 0; u < m->nunits; u++)
        for (uint32_t i = 0; m->units[u] && i < m->units[u]->nglobals; i++)
            m->units[u]->global_at[i] = address_of(m, m->units[u]->globals[i], u);
}

/* The kernel once more, as its PTX says. */
static heddle_kernel *make_stepped(heddle_kernel *k)
{
    heddle_kernel *twin = alloc_zeroed(sizeof *twin);
    *twin = (heddle_kernel){.module = k->module, .function = k->function, .plain = true};
    pthread_mutex_init(&twin->lock, NULL);
    pthread_mutex_lock(&k->module->units_lock);
    find_units(k->module);
    pthread_mutex_unlock(&k->module->units_lock);
    bool any = false;
    for (int u = 0; u < k->module->nunits; u++)
        any |= k->module->units[u] != NULL;
    if (any && !kernel_compile(twin))
        twin->step = step_open(twin->ir, twin->code, k->module->units, k->module->nunits);
    if (twin->step)
        place_steps(k->module);
    return twin;
}

heddle_status kernel_to_step(heddle_kernel *k, bool counts, heddle_kernel **out)
{
    const heddle_device *d = k->module->device;
    *out = k;
    if (!step_wanted())
        return HEDDLE_OK;
    if (counts || d->see || d->check)
        return step_demanded() ? engine_fail(HEDDLE_NOT_IMPLEMENTED, "HEDDLE_EXEC is 'step', but launches that are profiled, "
                                             "checked or observed cannot be stepped") : HEDDLE_OK;
    pthread_mutex_lock(&k->lock);
    if (!k->stepped)
        k->stepped = make_stepped(k);
    pthread_mutex_unlock(&k->lock);
    if (k->stepped->step) {
        *out = k->stepped;
        return HEDDLE_OK;
    }
    if (!step_demanded())
        return HEDDLE_OK;
    struct arena a;
    arena_init(&a);
    heddle_status s = engine_fail(HEDDLE_NOT_IMPLEMENTED, "HEDDLE_EXEC is 'step', but kernel '%s' was not built to be stepped: build with -G, "
                                  "all files of -rdc=true, and without --device-ptx", result_demangle(&a, k->function->name));
    arena_release(&a);
    return s;
}

int kernel_max_threads(const heddle_kernel *k)
{
    const struct ptx_function *f = k->function;
    uint64_t n = (uint64_t)k->module->device->spec.max_threads_per_block, bound = 1;
    for (int i = 0; i < 3; i++)
        bound *= f->maxntid[i] ? f->maxntid[i] : f->reqntid[i] ? f->reqntid[i] : 1;
    bool given = f->maxntid[0] || f->reqntid[0];
    return (int)(given && bound < n ? bound : n);
}

/* May anything that an instruction does be seen when the kernel has ended, or while it runs: does it wait for somebody, or look
 * at the time? */
static bool has_effect(const struct ir_inst *i)
{
    bool seen = facts_writes(i) & (FACT_GLOBAL | FACT_SHARED | FACT_LOCAL) || ir_is(i, PTX_KIND_TRAP) || i->op == IR_OP_EXTERN;
    for (int s = 0; s < i->nsrc; s++)
        seen |= facts_source(&i->src[s]) & FACT_STATE;
    return seen || facts_result(i) & FACT_STATE || facts_syncs(i) & FACT_TIME;
}

/* A loop that the compiler left in does something, if only to wait. */
static bool any_effect(const struct ir_kernel *k)
{
    if (k->nloops)
        return true;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (has_effect(&k->insts[i]))
            return true;
    return false;
}

unsigned engine_times(const heddle_kernel *k)
{
    unsigned times = 0;
    for (int32_t i = 0; k->ir && i < k->ir->ninsts; i++)
        for (int s = 0; s < k->ir->insts[i].nsrc; s++) {
            const struct ir_src *src = &k->ir->insts[i].src[s];
            if (facts_source(src) & FACT_STATE)
                times |= src->sreg >= PTX_SREG_GLOBALTIMER && src->sreg <= PTX_SREG_GLOBALTIMER_HI ? ENGINE_GLOBALTIMER : ENGINE_CLOCK;
        }
    return times;
}

heddle_status heddle_kernel_describe(heddle_kernel *k, heddle_kernel_info *info)
{
    heddle_status s = kernel_compile(k);
    if (s)
        return s;
    *info = (heddle_kernel_info){
        .name = k->function->name,
        .parameters = k->ir->nparams,
        .parameter_bytes = k->ir->param_bytes,
        .static_shared = k->ir->shared_static,
        .local = (uint32_t)kernel_local_bytes(k),
        .constant = k->module->constant_bytes,
        .registers = k->tables->registers,
        .max_threads = kernel_max_threads(k),
        .min_blocks = (int)k->function->minnctapersm,
        .arch = k->module->ptx->arch,
        .has_effect = any_effect(k->ir),
    };
    return HEDDLE_OK;
}

heddle_status heddle_kernel_parameter(heddle_kernel *k, int i, size_t *offset, size_t *bytes)
{
    heddle_status s = kernel_compile(k);
    if (s)
        return s;
    if (i < 0 || i >= k->ir->nparams)
        return engine_fail(HEDDLE_INVALID_VALUE, "kernel '%s' has %d parameters", k->function->name, k->ir->nparams);
    *offset = k->ir->params[i].offset;
    *bytes = k->ir->params[i].bytes;
    return HEDDLE_OK;
}

const char *heddle_kernel_parameter_type(heddle_kernel *k, int i)
{
    bool there = k && i >= 0 && i < k->function->nparams;
    return there ? ptx_type_info[k->function->params[i]->type].spelling : NULL;
}

struct device_need kernel_need(const heddle_kernel *k, int block_threads, size_t dynamic_shared)
{
    return (struct device_need){
        .threads = block_threads,
        .registers = k->tables->registers,
        .shared_static = k->ir->shared_static,
        .shared_dynamic = dynamic_shared > INT64_MAX ? INT64_MAX : (int64_t)dynamic_shared,
        .shared_hidden = device_hidden_shared(&k->module->device->spec, k->ir->param_bytes),
    };
}

int64_t kernel_local_bytes(const heddle_kernel *k)
{
    return k->spills ? (int64_t)(k->ir->local_bytes + 15) / 16 * 16 + k->spills->bytes : k->ir->local_bytes;
}

heddle_status heddle_occupancy(heddle_kernel *k, int block_threads, size_t dynamic_shared, int *blocks)
{
    heddle_status s = kernel_compile(k);
    if (s)
        return s;
    struct device_occupancy o;
    struct device_need need = kernel_need(k, block_threads, dynamic_shared);
    device_occupancy(&k->module->device->spec, &need, &o);
    *blocks = o.blocks;
    return HEDDLE_OK;
}
