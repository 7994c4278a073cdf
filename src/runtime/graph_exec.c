/* Instantiation, update and launch of graphs (see graph_exec.h).
 *
 * A graph becomes a list of steps in an order in which each comes behind those that it waits for; a child graph is a joint
 * before its nodes and one behind them. Steps in a row share a lane: lane 0 is the stream that the graph is launched in,
 * the others are streams of the instantiated graph. A launch puts one command for each step at the end of its lane, with
 * the tickets of what it waits for in other lanes, so launches, copies and host functions of graphs are commands like all
 * others: profiled, checked and traced in the order of the steps. */
#include "runtime/graph_exec.h"

#include <string.h>

#include "base/alloc.h"
#include "runtime/capture.h"
#include "runtime/command.h"
#include "runtime/event.h"
#include "runtime/pool.h"

enum { LANES = 32 }; /* as many commands run at once (queue.c) */

struct step {
    struct graph_node *node; /* NULL: a joint */
    int *before, nbefore;    /* steps */
    int lane;
    bool last; /* nothing waits for it */
    struct runtime_device *device;
};

struct graph_exec {
    bool alive; /* first: pool.h */
    bool destroyed; /* the handle; the object goes when its launches are done */
    int refs;       /* the program's, and one for each launch that runs */
    struct graph *graph;
    uint64_t source; /* id of the graph */
    unsigned long long flags;
    struct step *steps;
    int nsteps, steps_cap;
    struct stream *lane[LANES]; /* from 1 */
    int nlanes;
    struct ticket *latest; /* of the newest launch */
};

static struct pool execs = {.size = (sizeof(struct graph_exec) + 15) / 16 * 16};

static struct graph_exec *exec_of(cudaGraphExec_t handle)
{
    struct graph_exec *x = handle && pool_holds(&execs, handle) ? (struct graph_exec *)handle : NULL;
    return x && !x->destroyed ? x : NULL;
}

struct graph_node *graph_exec_node(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    struct graph_exec *x = exec_of(exec);
    struct graph_node *n = graph_node_of(node);
    return x && n ? graph_find_copy(x->graph, n->id) : NULL;
}

/* --- steps --- */

static int add_step(struct graph_exec *x, struct graph_node *node, struct runtime_device *d)
{
    ALLOC_GROW(x->steps, x->nsteps, x->steps_cap);
    x->steps[x->nsteps] = (struct step){.node = node, .last = true, .device = d};
    return x->nsteps++;
}

static void step_waits(struct graph_exec *x, int step, int for_step)
{
    struct step *s = &x->steps[step];
    if (for_step < 0)
        return;
    s->before = alloc_resize(s->before, (size_t)(s->nbefore + 1) * sizeof *s->before);
    s->before[s->nbefore++] = for_step;
    x->steps[for_step].last = false;
}

/* Adds the steps of a graph behind step `entry` (-1: none). False: it has a cycle. */
static bool add_steps(struct graph_exec *x, const struct graph *g, int entry, struct graph_node **cycle);

/* A child: a joint, what is inside, a joint. Returns the second. */
static int add_child(struct graph_exec *x, const struct graph *child, int begin, struct runtime_device *d, bool *fine,
                     struct graph_node **cycle)
{
    int first = x->nsteps;
    *fine = add_steps(x, child, begin, cycle);
    int end = add_step(x, NULL, d);
    step_waits(x, end, begin);
    for (int i = first; i < end; i++)
        if (x->steps[i].last)
            step_waits(x, end, i);
    return end;
}

static bool add_steps(struct graph_exec *x, const struct graph *g, int entry, struct graph_node **cycle)
{
    struct graph_node **order = alloc_zeroed((size_t)(g->nnodes + 1) * sizeof *order);
    int *step = alloc_zeroed((size_t)(g->nnodes + 1) * sizeof *step);
    bool fine = graph_order(g, order);
    if (!fine)
        *cycle = g->nodes[0];
    for (int i = 0; i < g->nnodes && fine; i++) {
        struct graph_node *n = order[i];
        bool child = n->work.type == cudaGraphNodeTypeGraph;
        int at = step[n->index] = add_step(x, child ? NULL : n, n->work.device);
        for (int j = 0; j < n->before.n; j++)
            step_waits(x, at, step[n->before.at[j].node->index]);
        if (!n->before.n)
            step_waits(x, at, entry);
        if (child)
            step[n->index] = add_child(x, n->work.child, at, n->work.device, &fine, cycle);
    }
    alloc_release(order);
    alloc_release(step);
    return fine;
}

/* A step goes on in the lane of one that it waits for, if that is the lane's end, or begins a lane. */
static void choose_lanes(struct graph_exec *x, struct runtime_device *d)
{
    int end[LANES], next = 1;
    struct runtime_device *of[LANES] = {d};
    for (int i = 0; i < LANES; i++)
        end[i] = -1;
    x->nlanes = 1;
    for (int i = 0; i < x->nsteps; i++) {
        struct step *s = &x->steps[i];
        int lane = s->device == d && end[0] < 0 ? 0 : -1;
        for (int j = 0; j < s->nbefore && lane < 0; j++) {
            int l = x->steps[s->before[j]].lane;
            lane = end[l] == s->before[j] && of[l] == s->device ? l : -1;
        }
        if (lane < 0 && x->nlanes < LANES) {
            lane = x->nlanes++;
            of[lane] = s->device;
        }
        for (int tries = 0; lane < 0 && tries < LANES; tries++, next = (next + 1) % LANES)
            lane = of[next] == s->device ? next : -1;
        s->lane = lane < 0 ? 0 : lane; /* more than LANES devices: there are 8 */
        end[s->lane] = i;
    }
    for (int i = 1; i < x->nlanes; i++)
        x->lane[i] = stream_new(of[i], cudaStreamNonBlocking, 0);
}

/* --- making and ending --- */

static void drop_steps(struct graph_exec *x)
{
    for (int i = 1; i < x->nlanes; i++)
        stream_destroy(x->lane[i]);
    for (int i = 0; i < x->nsteps; i++)
        alloc_release(x->steps[i].before);
    x->nsteps = x->nlanes = 0;
}

static void free_exec(struct graph_exec *x)
{
    drop_steps(x);
    alloc_release(x->steps);
    ticket_release(x->latest);
    graph_free(x->graph);
    pool_give(&execs, x);
}

static void release_exec(struct graph_exec *x)
{
    GRAPHS;
    if (--x->refs == 0)
        free_exec(x);
}

static cudaError_t end_launch(struct command *c, cudaError_t status)
{
    (void)status;
    release_exec(c->call_back.user);
    return cudaSuccess;
}

enum { FLAGS = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagDeviceLaunch |
               cudaGraphInstantiateFlagUseNodePriority };

static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags, struct graph_node **bad,
                               cudaGraphInstantiateResult *result)
{
    struct graph *g = graph_of(graph);
    *result = cudaGraphInstantiateError;
    if (!exec || !g || flags & ~(unsigned long long)FLAGS)
        return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return runtime_not_supported("cudaGraphInstantiate for launches from kernels");
    if (g->memory && g->only) /* "only one instantiation at any point in time" */
        return cudaErrorNotSupported;
    struct graph_exec *x = pool_take(&execs);
    struct graph_node *cycle = NULL;
    x->refs = 1;
    x->flags = flags & cudaGraphInstantiateFlagAutoFreeOnLaunch; /* the others are not told, as an H200 does not */
    x->source = g->id;
    x->graph = graph_copy(g);
    if (!x->graph) {
        pool_give(&execs, x);
        return cudaErrorInvalidDeviceFunction;
    }
    if (!add_steps(x, x->graph, -1, &cycle) || !graph_condition_fine(x->graph, &cycle)) {
        *result = cudaGraphInstantiateInvalidStructure;
        *bad = graph_node_in(g, cycle->origin);
        free_exec(x);
        return cudaErrorInvalidValue;
    }
    choose_lanes(x, g->device);
    g->only = g->memory ? x : NULL;
    *result = cudaGraphInstantiateSuccess;
    *exec = (cudaGraphExec_t)x;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    GRAPH_ENTER(d);
    cudaGraphInstantiateResult result;
    struct graph_node *bad;
    return runtime_leave(instantiate(exec, graph, flags, &bad, &result));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    TRACED;
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params)
{
    GRAPH_ENTER(d);
    struct graph_node *bad = NULL;
    if (!params)
        return runtime_leave(cudaErrorInvalidValue);
    cudaError_t e = instantiate(exec, graph, params->flags, &bad, &params->result_out);
    params->errNode_out = (cudaGraphNode_t)bad;
    return runtime_leave(e);
}

#define EXEC(x, handle)                                                                            \
    struct graph_exec *x = exec_of(handle);                                                        \
    if (!x)                                                                                        \
    return runtime_leave(cudaErrorInvalidValue)

/* Launches that run keep what they need. */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    GRAPH_ENTER(d);
    EXEC(x, exec);
    graph_forget_exec(x->source, x);
    x->destroyed = true;
    release_exec(x);
    return cudaSuccess;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    GRAPH_ENTER(d);
    EXEC(x, exec);
    if (!flags)
        return runtime_leave(cudaErrorInvalidValue);
    *flags = x->flags;
    return cudaSuccess;
}

/* --- launches --- */

/* Memory of the graph that a launch allocates must not be in use, unless it is freed by the launch. */
static cudaError_t look_at_memory(const struct graph_exec *x)
{
    for (int i = 0; i < x->nsteps; i++) {
        const struct node_work *w = x->steps[i].node ? &x->steps[i].node->work : NULL;
        if (w && w->type == cudaGraphNodeTypeMemAlloc && !(x->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) &&
            graph_memory_used((uint64_t)(uintptr_t)w->alloc.dptr))
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static void use_memory(const struct node_work *w)
{
    uint64_t at = (uint64_t)(uintptr_t)(w->type == cudaGraphNodeTypeMemAlloc ? w->alloc.dptr : w->free);
    bool gone;
    if (w->type == cudaGraphNodeTypeMemAlloc || w->type == cudaGraphNodeTypeMemFree)
        graph_memory_give(at, &gone); /* an allocation: freed on launch. The graph is there, so nothing goes */
    if (w->type == cudaGraphNodeTypeMemAlloc)
        graph_memory_take(at);
}

static cudaError_t make_command(const struct step *s, struct command **out)
{
    cudaError_t e = cudaSuccess;
    *out = NULL;
    if (s->node && s->node->work.type == cudaGraphNodeTypeConditional)
        e = graph_condition_command(&s->node->work, out);
    else if (s->node && !s->node->disabled)
        e = node_work_command(&s->node->work, out);
    if (!e && !*out)
        *out = command_new(COMMAND_RECORD);
    return e;
}

static void drop_command(struct command *c)
{
    if (c->kind == COMMAND_CALL)
        c->call_back.function(c, cudaErrorUnknown); /* tidies up */
    command_release(c);
}

/* All commands, or none. */
static cudaError_t make_commands(const struct graph_exec *x, struct command **c)
{
    cudaError_t e = cudaSuccess;
    int n = 0;
    while (n < x->nsteps && !e) {
        e = make_command(&x->steps[n], &c[n]);
        n += !e;
    }
    for (int i = 0; e && i < n; i++)
        drop_command(c[i]);
    return e;
}

static void wait_for_event(struct command *c, cudaEvent_t event)
{
    struct ticket *t;
    if (event_ticket(event, &t))
        command_wait(c, t);
    ticket_release(t);
}

/* Puts one step's command at the end of its lane. */
static struct ticket *put_step(const struct graph_exec *x, int at, struct stream *s, struct command *c, struct ticket *begin,
                               struct ticket **done)
{
    const struct step *step = &x->steps[at];
    const struct node_work *w = step->node ? &step->node->work : NULL;
    if (step->lane && !step->nbefore)
        command_wait(c, begin);
    for (int i = 0; i < step->nbefore; i++)
        if (x->steps[step->before[i]].lane != step->lane)
            command_wait(c, done[step->before[i]]);
    if (w && w->type == cudaGraphNodeTypeWaitEvent)
        wait_for_event(c, w->event);
    if (w)
        use_memory(w);
    c->shown = s->number;
    struct ticket *t = queue_put(step->lane ? x->lane[step->lane] : s, c);
    if (w && w->type == cudaGraphNodeTypeEventRecord)
        event_set(w->event, t);
    return t;
}

static void put_all(struct graph_exec *x, struct stream *s, struct command **c)
{
    struct ticket **done = alloc_zeroed((size_t)(x->nsteps + 1) * sizeof *done);
    struct command *first = graph_condition_begin(x->source), *end = command_new(COMMAND_CALL);
    command_wait(first, x->latest); /* "only one execution of it at a time" */
    struct ticket *begin = queue_put(s, first);
    for (int i = 0; i < x->nsteps; i++)
        done[i] = put_step(x, i, s, c[i], begin, done);
    for (int i = 0; i < x->nsteps; i++)
        if (x->steps[i].last && x->steps[i].lane)
            command_wait(end, done[i]);
    x->refs++;
    end->call_back.function = end_launch;
    end->call_back.user = x;
    ticket_release(x->latest);
    x->latest = queue_put(s, end);
    for (int i = 0; i < x->nsteps; i++)
        ticket_release(done[i]);
    ticket_release(begin);
    alloc_release(done);
}

static cudaError_t launch(struct graph_exec *x, struct stream *s)
{
    struct command **c = alloc_zeroed((size_t)(x->nsteps + 1) * sizeof *c);
    cudaError_t e = look_at_memory(x);
    e = e ? e : make_commands(x, c);
    if (!e)
        put_all(x, s, c);
    alloc_release(c);
    return e;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    GRAPH_ENTER(d);
    EXEC(x, exec);
    struct stream *s = stream_of(stream);
    bool captures;
    if (!s)
        return runtime_leave(cudaErrorInvalidResourceHandle);
    cudaError_t e = capture_admit(s, &captures);
    if (!e && captures)
        e = capture_refuse(s, cudaErrorStreamCaptureUnsupported);
    return runtime_leave(e ? e : launch(x, s));
}

/* There is nothing to carry over. */
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    GRAPH_ENTER(d);
    EXEC(x, exec);
    struct stream *s = stream_of(stream);
    bool captures;
    cudaError_t e = s ? capture_admit(s, &captures) : cudaErrorInvalidResourceHandle;
    return runtime_leave(!e && captures ? capture_refuse(s, cudaErrorStreamCaptureUnsupported) : e);
}

/* --- nodes that are left out --- */

static bool may_be_disabled(const struct graph_node *n)
{
    return n && (n->work.type == cudaGraphNodeTypeKernel || n->work.type == cudaGraphNodeTypeMemset ||
                 n->work.type == cudaGraphNodeTypeMemcpy);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    GRAPH_ENTER(d);
    struct graph_node *n = graph_exec_node(exec, node);
    if (!may_be_disabled(n))
        return runtime_leave(cudaErrorInvalidValue);
    n->disabled = !enabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
    GRAPH_ENTER(d);
    struct graph_node *n = graph_exec_node(exec, node);
    if (!may_be_disabled(n) || !enabled)
        return runtime_leave(cudaErrorInvalidValue);
    *enabled = !n->disabled;
    return cudaSuccess;
}

/* --- updates ---
 *
 * What can run becomes a copy of the other graph, with the handles of the nodes that it was instantiated from. Two graphs are
 * compared as an H200 does it (tests/truth/graphs): numbers of nodes first, then pair by pair in a topological order
 * that begins with the roots as cudaGraphGetRootNodes lists them. */

/* NULL: there is a cycle. */
static struct graph_node **pair_order(const struct graph *g)
{
    int n, *left = alloc_zeroed((size_t)(g->nnodes + 1) * sizeof *left);
    struct graph_node **order = graph_roots(g, &n);
    for (int i = 0; i < g->nnodes; i++)
        left[i] = g->nodes[i]->before.n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < order[i]->after.n; j++)
            if (--left[order[i]->after.at[j].node->index] == 0)
                order[n++] = order[i]->after.at[j].node;
    alloc_release(left);
    if (n == g->nnodes)
        return order;
    alloc_release(order);
    return NULL;
}

static enum cudaGraphExecUpdateResult compare(struct graph *to, struct graph *from, struct graph_node **bad);

static enum cudaGraphExecUpdateResult compare_works(struct node_work *to, struct node_work *from, struct graph_node **bad)
{
    enum cudaGraphExecUpdateResult r = cudaGraphExecUpdateSuccess;
    if (to->type != from->type)
        return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (to->type == cudaGraphNodeTypeGraph)
        return compare(to->child, from->child, bad);
    if (to->type != cudaGraphNodeTypeConditional)
        return node_work_may_become(to, from);
    if (to->condition.params.type != from->condition.params.type || to->condition.params.size != from->condition.params.size)
        return cudaGraphExecUpdateErrorParametersChanged;
    for (unsigned i = 0; i < to->condition.params.size && !r; i++)
        r = compare(to->condition.body[i], from->condition.body[i], bad);
    return r;
}

/* Gives `from`'s nodes the origins and switches of the nodes of `to` that they stand for. */
static enum cudaGraphExecUpdateResult compare(struct graph *to, struct graph *from, struct graph_node **bad)
{
    enum cudaGraphExecUpdateResult r = cudaGraphExecUpdateSuccess;
    if (to->nnodes != from->nnodes)
        return cudaGraphExecUpdateErrorTopologyChanged;
    struct graph_node **a = pair_order(to), **b = pair_order(from);
    for (int i = 0; i < to->nnodes && a && b && !r; i++) {
        struct graph_node *inside = NULL;
        int less = a[i]->before.n - b[i]->before.n; /* dependencies that are gone */
        bool same_type = a[i]->work.type == b[i]->work.type;
        if (same_type && less)
            r = cudaGraphExecUpdateErrorTopologyChanged;
        else
            r = compare_works(&a[i]->work, &b[i]->work, &inside);
        *bad = r == cudaGraphExecUpdateErrorTopologyChanged && less <= 0 ? inside : r ? inside ? inside : b[i] : NULL;
        b[i]->origin = a[i]->origin;
        b[i]->disabled = a[i]->disabled;
    }
    if (!a || !b)
        r = cudaGraphExecUpdateErrorTopologyChanged;
    alloc_release(a);
    alloc_release(b);
    return r;
}

/* The new steps of a graph that has taken another's place. Launches that run have commands of their own. */
static void plan_anew(struct graph_exec *x)
{
    struct graph_node *cycle;
    drop_steps(x);
    add_steps(x, x->graph, -1, &cycle);
    choose_lanes(x, x->graph->device);
}

static void replace(struct graph **place, struct graph *copy)
{
    copy->inside = (*place)->inside;
    graph_free(*place);
    *place = copy;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    GRAPH_ENTER(d);
    EXEC(x, exec);
    struct graph *g = info ? graph_of(graph) : NULL, *copy = g ? graph_copy(g) : NULL;
    struct graph_node *bad = NULL;
    if (!copy)
        return runtime_leave(cudaErrorInvalidValue);
    uint64_t *ids = alloc_zeroed((size_t)(copy->nnodes + 1) * sizeof *ids); /* of the nodes that the copy's stand for */
    for (int i = 0; i < copy->nnodes; i++)
        ids[i] = copy->nodes[i]->origin;
    enum cudaGraphExecUpdateResult r = compare(x->graph, copy, &bad);
    struct graph_node *shown = bad && bad->graph == copy ? graph_node_in(g, ids[bad->index]) : bad ? graph_node_in(g, bad->origin) : NULL;
    alloc_release(ids);
    if (r) {
        graph_free(copy);
    } else {
        replace(&x->graph, copy);
        plan_anew(x);
    }
    *info = (cudaGraphExecUpdateResultInfo){r, (cudaGraphNode_t)shown, NULL};
    return runtime_leave(r ? cudaErrorGraphExecUpdateFailure : cudaSuccess);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
    GRAPH_ENTER(d);
    EXEC(x, exec);
    struct graph_node *n = graph_exec_node(exec, node), *bad = NULL;
    struct graph *g = graph_of(child), *copy = g ? graph_copy(g) : NULL;
    if (!n || n->work.type != cudaGraphNodeTypeGraph || !copy || compare(n->work.child, copy, &bad)) {
        if (copy)
            graph_free(copy);
        return runtime_leave(cudaErrorInvalidValue);
    }
    replace(&n->work.child, copy);
    plan_anew(x);
    return cudaSuccess;
}
