/* Conditional nodes (CUDA C++ programming guide 12, "Conditional Graph Nodes").
 *
 * A handle is the address of 4 bytes on the device, which cudaGraphSetConditional stores into. What follows from them is known
 * only when the node's turn has come, so its command runs the bodies itself: a node after the other, each as a command of
 * its own that profiles and checks see. */
#include "runtime/graph_exec.h"

#include "base/alloc.h"
#include "runtime/command.h"
#include "space/space.h"

struct condition {
    uint64_t address, graph; /* graph: its id */
    struct runtime_device *device;
    unsigned value;
    bool anew; /* every launch begins with the value */
};

/* Guarded by graph_lock. As long as the process: graphs and what they were instantiated as share them. */
static struct condition *conditions;
static int nconditions, conditions_cap;

bool graph_condition_is(cudaGraphConditionalHandle handle)
{
    int i = 0;
    while (i < nconditions && conditions[i].address != handle)
        i++;
    return i < nconditions;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int value,
                                             unsigned int flags)
{
    GRAPH_ENTER(d);
    struct graph *g = graph_of(graph);
    uint64_t address;
    if (!handle || !g || flags & ~(unsigned)cudaGraphCondAssignDefault)
        return runtime_leave(cudaErrorInvalidValue);
    if (space_alloc(d->space, sizeof value, SPACE_ENGINE, NULL, &address))
        return runtime_leave(cudaErrorMemoryAllocation);
    heddle_fill(d->engine, address, value, sizeof value, 1);
    ALLOC_GROW(conditions, nconditions, conditions_cap);
    conditions[nconditions++] = (struct condition){address, g->id, d, value, flags & cudaGraphCondAssignDefault};
    *handle = address;
    return cudaSuccess;
}

/* --- the beginning of a launch --- */

struct values {
    int n;
    struct condition at[];
};

static cudaError_t set_values(struct command *c, cudaError_t status)
{
    struct values *v = c->call_back.user;
    (void)status;
    for (int i = 0; i < v->n; i++)
        heddle_fill(v->at[i].device->engine, v->at[i].address, v->at[i].value, sizeof v->at[i].value, 1);
    alloc_release(v);
    return cudaSuccess;
}

struct command *graph_condition_begin(uint64_t graph)
{
    struct values *v = NULL;
    for (int i = 0; i < nconditions; i++) {
        if (conditions[i].graph != graph || !conditions[i].anew)
            continue;
        int n = v ? v->n : 0;
        v = alloc_resize(v, sizeof *v + (size_t)(n + 1) * sizeof *v->at);
        v->at[n] = conditions[i];
        v->n = n + 1;
    }
    struct command *c = command_new(v ? COMMAND_CALL : COMMAND_RECORD);
    if (v) {
        c->call_back.function = set_values;
        c->call_back.user = v;
    }
    return c;
}

/* --- bodies --- */

static bool may_be_inside(enum cudaGraphNodeType type)
{
    return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset ||
           type == cudaGraphNodeTypeEmpty || type == cudaGraphNodeTypeGraph || type == cudaGraphNodeTypeConditional;
}

static bool fine_inside(const struct graph *g, bool body, struct graph_node **bad)
{
    struct graph_node **order = alloc_zeroed((size_t)(g->nnodes + 1) * sizeof *order);
    bool fine = graph_order(g, order);
    if (!fine)
        *bad = g->nodes[0];
    alloc_release(order);
    for (int i = 0; i < g->nnodes && fine; i++) {
        const struct node_work *w = &g->nodes[i]->work;
        fine = !body || may_be_inside(w->type);
        if (!fine)
            *bad = g->nodes[i];
        if (w->type == cudaGraphNodeTypeGraph)
            fine = fine && fine_inside(w->child, body, bad);
        for (unsigned j = 0; w->type == cudaGraphNodeTypeConditional && j < w->condition.params.size && fine; j++)
            fine = fine_inside(w->condition.body[j], true, bad);
    }
    return fine;
}

bool graph_condition_fine(const struct graph *g, struct graph_node **bad)
{
    return fine_inside(g, false, bad);
}

static cudaError_t run_graph(const struct command *as, const struct graph *g);

static cudaError_t run_condition(const struct command *as, const struct node_work *w)
{
    const struct cudaConditionalNodeParams *p = &w->condition.params;
    cudaError_t e = cudaSuccess;
    bool again = true;
    while (again && !e) {
        unsigned value;
        e = runtime_error(heddle_copy_out(w->device->engine, &value, p->handle, sizeof value));
        unsigned body = p->type == cudaGraphCondTypeSwitch ? value : value == 0;
        if (!e && body < p->size)
            e = run_graph(as, w->condition.body[body]);
        again = p->type == cudaGraphCondTypeWhile && value;
    }
    return e;
}

static cudaError_t run_node(const struct command *as, const struct node_work *w)
{
    struct command *c;
    if (w->type == cudaGraphNodeTypeConditional)
        return run_condition(as, w);
    if (w->type == cudaGraphNodeTypeGraph)
        return run_graph(as, w->child);
    cudaError_t e = node_work_command(w, &c);
    if (e || !c)
        return e;
    c->call = as->call;
    c->unseen = as->unseen;
    c->frames = as->frames;
    c->shown = as->shown;
    c->stream = as->stream;
    e = command_run(c, cudaSuccess);
    command_release(c);
    return e;
}

static cudaError_t run_graph(const struct command *as, const struct graph *g)
{
    struct graph_node **order = alloc_zeroed((size_t)(g->nnodes + 1) * sizeof *order);
    cudaError_t e = cudaSuccess;
    graph_order(g, order);
    for (int i = 0; i < g->nnodes && !e; i++)
        e = run_node(as, &order[i]->work);
    alloc_release(order);
    return e;
}

/* The launch has its own copy of what runs: the program may update the graph meanwhile. */
static cudaError_t run(struct command *c, cudaError_t status)
{
    struct node_work *w = c->call_back.user;
    cudaError_t e = status ? cudaSuccess : run_condition(c, w);
    GRAPHS;
    node_work_release(w);
    alloc_release(w);
    return e;
}

cudaError_t graph_condition_command(const struct node_work *w, struct command **out)
{
    struct node_work *copy = alloc_zeroed(sizeof *copy);
    cudaError_t e = node_work_copy(copy, w);
    if (e) {
        alloc_release(copy);
        return e;
    }
    struct command *c = *out = command_new(COMMAND_CALL);
    c->call_back.function = run;
    c->call_back.user = copy;
    return cudaSuccess;
}
