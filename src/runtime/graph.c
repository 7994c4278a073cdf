/* Graphs, their nodes and edges (see graph.h): making, asking, copying. */
#define _GNU_SOURCE /* PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP */
#include "runtime/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "runtime/context.h"
#include "runtime/pool.h"

pthread_mutex_t graph_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static struct pool graphs = {.size = (sizeof(struct graph) + 15) / 16 * 16};
static struct pool nodes = {.size = (sizeof(struct graph_node) + 15) / 16 * 16};
static uint64_t ids;

void graph_unlock(pthread_mutex_t **lock)
{
    pthread_mutex_unlock(*lock);
}

struct graph *graph_of(cudaGraph_t handle)
{
    return handle && pool_holds(&graphs, handle) ? (struct graph *)handle : NULL;
}

struct graph_node *graph_node_of(cudaGraphNode_t handle)
{
    return handle && pool_holds(&nodes, handle) ? (struct graph_node *)handle : NULL;
}

/* --- edges --- */

static int find_edge(const struct graph_edges *e, const struct graph_node *to)
{
    int i = 0;
    while (i < e->n && e->at[i].node != to)
        i++;
    return i < e->n ? i : -1;
}

void graph_edges_add(struct graph_edges *e, struct graph_node *node, cudaGraphEdgeData data)
{
    ALLOC_GROW(e->at, e->n, e->cap);
    e->at[e->n++] = (struct graph_edge){node, data};
}

static void remove_edge(struct graph_edges *e, const struct graph_node *to)
{
    int i = find_edge(e, to);
    if (i < 0)
        return;
    e->at[i] = e->at[--e->n]; /* an H200 lists them so: tests/truth/graphs */
}

static bool is_ordinary(const cudaGraphEdgeData *d)
{
    static const cudaGraphEdgeData ordinary;
    return !memcmp(d, &ordinary, sizeof ordinary);
}

cudaError_t graph_edges_of(const struct graph *g, const cudaGraphNode_t *handles, const cudaGraphEdgeData *edges, size_t n,
                           struct graph_edges *out)
{
    *out = (struct graph_edges){0};
    cudaError_t e = handles || !n ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < n && !e; i++) {
        struct graph_node *node = graph_node_of(handles[i]);
        if (!node || node->graph != g || find_edge(out, node) >= 0)
            e = cudaErrorInvalidValue;
        else
            graph_edges_add(out, node, edges ? edges[i] : (cudaGraphEdgeData){0});
    }
    if (e) {
        alloc_release(out->at);
        *out = (struct graph_edges){0};
    }
    return e;
}

/* --- graphs --- */

struct graph *graph_new(struct runtime_device *d)
{
    struct graph *g = pool_take(&graphs);
    g->id = ++ids;
    g->device = d;
    return g;
}

void graph_note_drop(struct graph_node *n)
{
    alloc_release(n->note);
    n->note = NULL;
    n->note_bytes = 0;
}

static void take_note(struct graph_node *n, const void *note, size_t bytes)
{
    graph_note_drop(n);
    n->note = alloc_zeroed(bytes);
    n->note_bytes = bytes;
    memcpy(n->note, note, bytes);
}

static void free_node(struct graph_node *n)
{
    node_work_release(&n->work);
    graph_note_drop(n);
    alloc_release(n->before.at);
    alloc_release(n->after.at);
    pool_give(&nodes, n);
}

void graph_free(struct graph *g)
{
    for (int i = 0; i < g->nnodes; i++)
        free_node(g->nodes[i]);
    graph_objects_release(g);
    alloc_release(g->nodes);
    pool_give(&graphs, g);
}

static void add_edge(struct graph_node *from, struct graph_node *to, cudaGraphEdgeData data)
{
    graph_edges_add(&from->after, to, data);
    graph_edges_add(&to->before, from, data);
}

static void cut_edge(struct graph_node *from, struct graph_node *to)
{
    remove_edge(&from->after, to);
    remove_edge(&to->before, from);
    if (!to->before.n)
        to->root = ++ids;
}

const struct context *graph_context(const struct runtime_device *d)
{
    bool gone;
    const struct context *c = context_current(&gone);
    return c && c->device == d->index ? c : context_primary(d->index);
}

struct graph_node *graph_add(struct graph *g, const struct graph_edge *before, int n, const struct node_work *w)
{
    struct graph_node *node = pool_take(&nodes);
    node->graph = g;
    node->id = ++ids;
    node->work = *w;
    node->context = graph_context(w->device);
    node->index = g->nnodes;
    ALLOC_GROW(g->nodes, g->nnodes, g->nodes_cap);
    g->nodes[g->nnodes++] = node;
    node->root = ++ids;
    for (int i = 0; i < n; i++)
        add_edge(before[i].node, node, before[i].data);
    g->memory = g->memory || w->type == cudaGraphNodeTypeMemAlloc || w->type == cudaGraphNodeTypeMemFree;
    return node;
}

/* What a node has beside its work. */
static void copy_rest(struct graph_node *to, const struct graph_node *from)
{
    to->origin = from->id;
    to->context = from->context;
    if (from->note)
        take_note(to, from->note, from->note_bytes);
}

struct graph *graph_copy(const struct graph *g)
{
    struct graph *copy = graph_new(g->device);
    copy->origin = g->id;
    for (int i = 0; i < g->nnodes; i++) {
        struct node_work w;
        if (node_work_copy(&w, &g->nodes[i]->work)) { /* its kernel's module was unloaded */
            graph_free(copy);
            return NULL;
        }
        copy_rest(graph_add(copy, NULL, 0, &w), g->nodes[i]);
    }
    for (int i = 0; i < g->nnodes; i++) {
        const struct graph_edges *before = &g->nodes[i]->before;
        for (int j = 0; j < before->n; j++)
            add_edge(copy->nodes[before->at[j].node->index], copy->nodes[i], before->at[j].data);
    }
    copy->memory = g->memory;
    graph_objects_share(copy, g);
    return copy;
}

/* Graphs within a graph: those of child nodes and the bodies of conditional ones. */
static struct graph_node *find_inside(const struct graph_node *n, uint64_t id)
{
    struct graph_node *found = NULL;
    if (n->work.type == cudaGraphNodeTypeGraph)
        return graph_find_copy(n->work.child, id);
    for (unsigned i = 0; n->work.type == cudaGraphNodeTypeConditional && i < n->work.condition.params.size && !found; i++)
        found = graph_find_copy(n->work.condition.body[i], id);
    return found;
}

struct graph_node *graph_find_copy(const struct graph *copy, uint64_t id)
{
    struct graph_node *found = NULL;
    for (int i = 0; i < copy->nnodes && !found; i++)
        found = copy->nodes[i]->origin == id ? copy->nodes[i] : find_inside(copy->nodes[i], id);
    return found;
}

struct graph_node *graph_node_in(const struct graph *g, uint64_t id)
{
    struct graph_node *found = NULL;
    for (int i = 0; i < g->nnodes && !found; i++) {
        struct graph_node *n = g->nodes[i];
        found = n->id == id ? n : NULL;
        if (!found && n->work.type == cudaGraphNodeTypeGraph)
            found = graph_node_in(n->work.child, id);
    }
    return found;
}

bool graph_reaches(const struct graph_node *n, const struct graph_edges *to)
{
    const struct graph *g = n->graph;
    bool *seen = alloc_zeroed((size_t)g->nnodes * sizeof *seen), found = false;
    int *todo = alloc_zeroed((size_t)g->nnodes * sizeof *todo), ntodo = 1;
    todo[0] = n->index;
    seen[n->index] = true;
    while (ntodo && !found) {
        const struct graph_node *at = g->nodes[todo[--ntodo]];
        found = find_edge(to, at) >= 0;
        for (int i = 0; i < at->after.n; i++) {
            int next = at->after.at[i].node->index;
            if (!seen[next])
                todo[ntodo++] = next;
            seen[next] = true;
        }
    }
    alloc_release(seen);
    alloc_release(todo);
    return found;
}

void graph_forget_exec(uint64_t id, const struct graph_exec *x)
{
    for (struct graph *g = pool_next(&graphs, NULL); g; g = pool_next(&graphs, g))
        if (g->id == id && g->only == x)
            g->only = NULL;
}

static int by_root(const void *a, const void *b)
{
    const struct graph_node *x = *(struct graph_node *const *)a, *y = *(struct graph_node *const *)b;
    return x->root < y->root ? 1 : -1;
}

struct graph_node **graph_roots(const struct graph *g, int *n)
{
    struct graph_node **roots = alloc_zeroed((size_t)(g->nnodes + 1) * sizeof *roots);
    *n = 0;
    for (int i = 0; i < g->nnodes; i++)
        if (!g->nodes[i]->before.n)
            roots[(*n)++] = g->nodes[i];
    qsort(roots, (size_t)*n, sizeof *roots, by_root);
    return roots;
}

bool graph_order(const struct graph *g, struct graph_node **order)
{
    int *left = alloc_zeroed((size_t)(g->nnodes + 1) * sizeof *left), n = 0;
    bool *done = alloc_zeroed((size_t)(g->nnodes + 1) * sizeof *done), more = true;
    for (int i = 0; i < g->nnodes; i++)
        left[i] = g->nodes[i]->before.n;
    while (more) { /* nodes mostly come behind what they depend on: one round */
        more = false;
        for (int i = 0; i < g->nnodes; i++) {
            if (done[i] || left[i])
                continue;
            done[i] = more = true;
            order[n++] = g->nodes[i];
            for (int j = 0; j < g->nodes[i]->after.n; j++)
                left[g->nodes[i]->after.at[j].node->index]--;
        }
    }
    alloc_release(left);
    alloc_release(done);
    return n == g->nnodes;
}

/* --- for the driver interface --- */

const struct context *graph_kernel_context(cudaGraphNode_t node)
{
    GRAPHS;
    const struct graph_node *n = graph_node_of(node);
    return n && n->work.type == cudaGraphNodeTypeKernel ? n->context : NULL;
}

void graph_note(cudaGraphNode_t node, const void *note, size_t bytes)
{
    GRAPHS;
    struct graph_node *n = graph_node_of(node);
    if (n)
        take_note(n, note, bytes);
}

bool graph_noted(cudaGraphNode_t node, void *out, size_t bytes)
{
    GRAPHS;
    const struct graph_node *n = graph_node_of(node);
    if (!n || !n->note || n->note_bytes != bytes)
        return false;
    memcpy(out, n->note, bytes);
    return true;
}

/* --- entry points: graphs --- */

#define GRAPH(g, handle)                                                                           \
    struct graph *g = graph_of(handle);                                                            \
    if (!g)                                                                                        \
    return runtime_leave(cudaErrorInvalidValue)
#define NODE(n, handle)                                                                            \
    struct graph_node *n = graph_node_of(handle);                                                  \
    if (!n)                                                                                        \
    return runtime_leave(cudaErrorInvalidValue)

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    GRAPH_ENTER(d);
    if (!graph || flags)
        return runtime_leave(cudaErrorInvalidValue);
    *graph = (cudaGraph_t)graph_new(d);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    GRAPH_ENTER(d);
    GRAPH(g, graph);
    if (g->inside)
        return runtime_leave(cudaErrorInvalidValue);
    graph_free(g);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t original)
{
    GRAPH_ENTER(d);
    GRAPH(g, original);
    if (!clone)
        return runtime_leave(cudaErrorInvalidValue);
    if (g->memory) /* "Graphs containing memory allocation or free nodes cannot be cloned" */
        return runtime_leave(cudaErrorNotSupported);
    struct graph *copy = graph_copy(g);
    *clone = (cudaGraph_t)copy;
    return runtime_leave(copy ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone)
{
    GRAPH_ENTER(d);
    NODE(n, original);
    GRAPH(g, clone);
    struct graph_node *found = graph_find_copy(g, n->id);
    if (!node || !found)
        return runtime_leave(cudaErrorInvalidValue);
    *node = (cudaGraphNode_t)found;
    return cudaSuccess;
}

/* --- entry points: nodes and edges --- */

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    GRAPH_ENTER(d);
    NODE(n, node);
    struct graph *g = n->graph;
    if (g->memory) /* "A graph that contains memory nodes: nodes cannot be removed" */
        return runtime_leave(cudaErrorNotSupported);
    while (n->before.n)
        cut_edge(n->before.at[n->before.n - 1].node, n);
    while (n->after.n)
        cut_edge(n, n->after.at[n->after.n - 1].node);
    for (int i = n->index; i + 1 < g->nnodes; i++) {
        g->nodes[i] = g->nodes[i + 1];
        g->nodes[i]->index = i;
    }
    g->nnodes--;
    free_node(n);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    GRAPH_ENTER(d);
    NODE(n, node);
    if (!type)
        return runtime_leave(cudaErrorInvalidValue);
    *type = n->work.type;
    return cudaSuccess;
}

/* Both ends of the i-th pair, if they are nodes of the graph. */
static bool ends(const struct graph *g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t i, struct graph_node **a,
                 struct graph_node **b)
{
    *a = graph_node_of(from[i]);
    *b = graph_node_of(to[i]);
    return *a && *b && (*a)->graph == g && (*b)->graph == g && *a != *b;
}

static cudaError_t add_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                    const cudaGraphEdgeData *edges, size_t n)
{
    GRAPH_ENTER(d);
    GRAPH(g, graph);
    struct graph_node *a, *b;
    cudaError_t e = (from && to) || !n ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < n && !e; i++)
        if (!ends(g, from, to, i, &a, &b) || find_edge(&a->after, b) >= 0)
            e = cudaErrorInvalidValue;
    for (size_t i = 0; i < n && !e; i++) {
        ends(g, from, to, i, &a, &b);
        add_edge(a, b, edges ? edges[i] : (cudaGraphEdgeData){0});
    }
    return runtime_leave(e);
}

static cudaError_t remove_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                       const cudaGraphEdgeData *edges, size_t n)
{
    GRAPH_ENTER(d);
    GRAPH(g, graph);
    struct graph_node *a, *b;
    cudaError_t e = g->memory ? cudaErrorNotSupported : (from && to) || !n ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < n && !e; i++) {
        int at = ends(g, from, to, i, &a, &b) ? find_edge(&a->after, b) : -1;
        if (at < 0 || (edges && memcmp(&edges[i], &a->after.at[at].data, sizeof *edges)))
            e = cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < n && !e; i++) {
        ends(g, from, to, i, &a, &b);
        cut_edge(a, b);
    }
    return runtime_leave(e);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
    TRACED;
    return add_dependencies(graph, from, to, NULL, n);
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t n)
{
    TRACED;
    return add_dependencies(graph, from, to, edges, n);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
    TRACED;
    return remove_dependencies(graph, from, to, NULL, n);
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edges, size_t n)
{
    TRACED;
    return remove_dependencies(graph, from, to, edges, n);
}

/* --- entry points: lists --- */

/* A list that the program asks for: as much of it as there is room for, the rest null; without room its length. */
struct listing {
    size_t room, n;
    bool lossy; /* an edge says more than the call can tell */
};

static cudaError_t end_list(struct listing *l, bool counts_only, size_t *n)
{
    if (l->lossy && !counts_only)
        return cudaErrorLossyQuery;
    if (counts_only || l->n < *n)
        *n = l->n;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *out, size_t *n)
{
    GRAPH_ENTER(d);
    GRAPH(g, graph);
    if (!n)
        return runtime_leave(cudaErrorInvalidValue);
    struct listing l = {*n, (size_t)g->nnodes, false};
    for (size_t i = 0; out && i < l.room; i++)
        out[i] = i < l.n ? (cudaGraphNode_t)g->nodes[i] : NULL;
    return runtime_leave(end_list(&l, !out, n));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *out, size_t *n)
{
    GRAPH_ENTER(d);
    GRAPH(g, graph);
    int count;
    if (!n)
        return runtime_leave(cudaErrorInvalidValue);
    struct graph_node **roots = graph_roots(g, &count);
    struct listing l = {*n, (size_t)count, false};
    for (size_t i = 0; out && i < l.n && i < l.room; i++)
        out[i] = (cudaGraphNode_t)roots[i];
    alloc_release(roots);
    for (size_t i = l.n; out && i < l.room; i++)
        out[i] = NULL;
    return runtime_leave(end_list(&l, !out, n));
}

static void list_edge(struct listing *l, const struct graph_edge *e, cudaGraphNode_t *to, cudaGraphEdgeData *data)
{
    if (to && l->n < l->room)
        to[l->n] = (cudaGraphNode_t)e->node;
    if (to && data && l->n < l->room)
        data[l->n] = e->data;
    l->lossy = l->lossy || (!data && !is_ordinary(&e->data));
    l->n++;
}

static cudaError_t get_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *n)
{
    GRAPH_ENTER(d);
    GRAPH(g, graph);
    if (!n || !from != !to)
        return runtime_leave(cudaErrorInvalidValue);
    struct listing l = {*n, 0, false};
    for (int i = 0; i < g->nnodes; i++) {
        for (int j = 0; j < g->nodes[i]->after.n; j++) {
            if (from && l.n < l.room)
                from[l.n] = (cudaGraphNode_t)g->nodes[i];
            list_edge(&l, &g->nodes[i]->after.at[j], to, data);
        }
    }
    for (size_t i = l.n; from && i < l.room; i++)
        from[i] = to[i] = NULL;
    return runtime_leave(end_list(&l, !from, n));
}

static cudaError_t get_neighbours(cudaGraphNode_t node, bool after, cudaGraphNode_t *out, cudaGraphEdgeData *data, size_t *n)
{
    GRAPH_ENTER(d);
    NODE(x, node);
    if (!n)
        return runtime_leave(cudaErrorInvalidValue);
    const struct graph_edges *e = after ? &x->after : &x->before;
    struct listing l = {*n, 0, false};
    for (int i = 0; i < e->n; i++)
        list_edge(&l, &e->at[i], out, data);
    for (size_t i = l.n; out && i < l.room; i++)
        out[i] = NULL;
    return runtime_leave(end_list(&l, !out, n));
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n)
{
    TRACED;
    return get_edges(graph, from, to, NULL, n);
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                                 size_t *n)
{
    TRACED;
    return get_edges(graph, from, to, edges, n);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies, size_t *n)
{
    TRACED;
    return get_neighbours(node, false, dependencies, NULL, n);
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *dependencies, cudaGraphEdgeData *edges,
                                            size_t *n)
{
    TRACED;
    return get_neighbours(node, false, dependencies, edges, n);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents, size_t *n)
{
    TRACED;
    return get_neighbours(node, true, dependents, NULL, n);
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *dependents, cudaGraphEdgeData *edges,
                                              size_t *n)
{
    TRACED;
    return get_neighbours(node, true, dependents, edges, n);
}
