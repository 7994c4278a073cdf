/* Graphs: nodes of work and the order between them (CUDA Runtime API reference, "Graph Management"; CUDA C++ programming
 * guide 12, 3.2.8.7 "CUDA Graphs").
 *
 * A graph is a list of nodes in the order in which they were added; a node has a copy of its parameters and edges to both
 * sides. Whatever runs is made of a copy: cudaGraphInstantiate copies the graph, children included, and a launch of the copy
 * makes a command of each node (graph_exec.c). So updating means to change the copy.
 *
 * graph_lock guards graphs and captures. It may be taken again by its holder, before runtime_lock, and never while anything
 * waits for a command. */
#ifndef RUNTIME_GRAPH_H
#define RUNTIME_GRAPH_H

#include "runtime/execution.h"
#include "runtime/queue.h"

struct context;
struct graph;
struct graph_exec;
struct graph_node;

/* A kernel node's arguments as cuLaunchKernel's `extra` has them: the block is the values of `args`. */
struct kernel_packed {
    void *extra[5];
    size_t bytes;
};

/* What a node does, with everything that its parameters point to. */
struct node_work {
    enum cudaGraphNodeType type;
    struct runtime_device *device; /* in whose context it runs */
    union {
        struct {
            struct launch_request request;
            void **args; /* launch_arguments' block */
            struct kernel_packed *packed; /* the program gave them as one block, and gets them back so; else NULL */
            struct library_work *library; /* or a call of a library that was captured, and nothing else */
        } kernel;
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        struct graph *child;
        cudaEvent_t event;
        struct cudaMemAllocNodeParams alloc;
        void *free;
        struct {
            struct cudaConditionalNodeParams params;
            struct graph **body; /* params.size of them */
        } condition;
    };
};

struct graph_edge {
    struct graph_node *node; /* at the other end */
    cudaGraphEdgeData data;
};

struct graph_edges {
    struct graph_edge *at;
    int n, cap;
};

struct graph_node {
    bool alive; /* first: pool.h */
    struct graph *graph;
    int index;           /* in its graph */
    uint64_t id, origin; /* unique in the process; id of the node that it is a copy of, or 0 */
    uint64_t root;       /* larger: it has been without dependencies for a shorter time */
    struct graph_edges before, after;
    struct node_work work;
    const struct context *context; /* of work.device: current when the node was added, or that device's primary one */
    void *note; /* graph_note's, or NULL */
    size_t note_bytes;
    bool disabled; /* of something that was instantiated: launches leave it out */
};

/* References to an object of the program. */
struct graph_object {
    struct user_object *object;
    unsigned count;
};

struct graph {
    bool alive; /* first: pool.h */
    uint64_t id, origin;
    struct runtime_device *device; /* current when it was made */
    struct graph_node **nodes;
    int nnodes, nodes_cap;
    bool inside; /* of a node: nobody else destroys it */
    bool memory; /* has, or had, nodes that allocate or free */
    struct graph_exec *only; /* with memory: what it was instantiated as */
    struct graph_object *objects;
    int nobjects, objects_cap;
};

extern pthread_mutex_t graph_lock;
void graph_unlock(pthread_mutex_t **lock);

#define GRAPHS                                                                                     \
    pthread_mutex_t *graphs_held __attribute__((cleanup(graph_unlock), unused)) =                  \
        (pthread_mutex_lock(&graph_lock), &graph_lock)
#define GRAPH_ENTER(d)                                                                             \
    ENTER(d);                                                                                      \
    GRAPHS

/* --- graph.c --- */

/* What a handle stands for, or NULL. */
struct graph *graph_of(cudaGraph_t handle);
struct graph_node *graph_node_of(cudaGraphNode_t handle);

struct graph *graph_new(struct runtime_device *d);
void graph_free(struct graph *g);

/* A copy with copies of its children. Nodes know what they are copies of. */
struct graph *graph_copy(const struct graph *g);

/* The node of a copy that stands for this one, or NULL. */
struct graph_node *graph_find_copy(const struct graph *copy, uint64_t id);

/* The node of a graph, or of one inside of it, with this id; NULL. */
struct graph_node *graph_node_in(const struct graph *g, uint64_t id);

/* Does a way lead from the node to one of these, or is it one of them? */
bool graph_reaches(const struct graph_node *n, const struct graph_edges *to);

/* What the graph with this id was instantiated as is gone. */
void graph_forget_exec(uint64_t id, const struct graph_exec *x);

/* Adds a node behind others, and takes `w` over. */
struct graph_node *graph_add(struct graph *g, const struct graph_edge *before, int n, const struct node_work *w);

/* The context that a node of this device gets, if it is added now. */
const struct context *graph_context(const struct runtime_device *d);

/* The context of a kernel node; NULL: it is none. */
const struct context *graph_kernel_context(cudaGraphNode_t node);

/* Keeps bytes with a node until its parameters are set again: what the driver interface was given, which it gives back. */
void graph_note(cudaGraphNode_t node, const void *note, size_t bytes);

/* False: there is no such note. */
bool graph_noted(cudaGraphNode_t node, void *out, size_t bytes);
void graph_note_drop(struct graph_node *n);

/* Edges of handles, each once and of this graph: cudaErrorInvalidValue. edges: NULL: ordinary ones. */
cudaError_t graph_edges_of(const struct graph *g, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t n,
                           struct graph_edges *out);
void graph_edges_add(struct graph_edges *e, struct graph_node *node, cudaGraphEdgeData data);

/* The nodes that wait for none, the newest such first, as an H200 lists them (tests/truth/graphs). The caller's to release. */
struct graph_node **graph_roots(const struct graph *g, int *n);

/* The nodes in an order in which each comes behind those that it depends on; among several the one added first. False:
 * there is a cycle. */
bool graph_order(const struct graph *g, struct graph_node **order);

/* --- graph_nodes.c --- */

void node_work_release(struct node_work *w);
cudaError_t node_work_copy(struct node_work *to, const struct node_work *from);

/* May the work of something that was instantiated become another (cudaGraphExecUpdate's rules)? Then it does. */
enum cudaGraphExecUpdateResult node_work_may_become(const struct node_work *to, const struct node_work *from);
void node_work_become(struct node_work *to, const struct node_work *from);

/* The command that does the work of a kernel, copy, fill or host node. *out: NULL when there is nothing to do. */
cudaError_t node_work_command(const struct node_work *w, struct command **out);

cudaError_t node_work_kernel(struct node_work *w, struct runtime_device *d, const struct launch_request *r, void **args);
cudaError_t node_work_alloc(struct node_work *w, struct cudaMemAllocNodeParams *p);

/* May a node of the graph free `p`: there is no other that does? */
bool node_frees_well(const struct graph *g, const void *p);

/* Parameters as nodes keep them; of fills: as those of captured ones do. */
struct cudaMemcpy3DParms node_copy(const struct cudaMemcpy3DParms *p);
struct cudaMemsetParams node_fill(const struct cudaMemsetParams *p);

/* --- graph_memory.c: memory that nodes allocate --- */

/* A new piece, not in use, of one graph. */
cudaError_t graph_memory_new(struct runtime_device *d, size_t bytes, uint64_t *address);

/* One more graph has its node, or one less: without any it goes, at once or when it is freed. */
void graph_memory_share(uint64_t address);
void graph_memory_drop(uint64_t address);

/* A launch allocates it. False: it is allocated, or it is no such memory. */
bool graph_memory_take(uint64_t address);

/* Something frees it; false as above. *gone: no graph has its node any more, so the bytes are the caller's to free. */
bool graph_memory_give(uint64_t address, bool *gone);

/* Is it such memory; is it allocated, or free, just now? */
bool graph_memory_is(uint64_t address);
bool graph_memory_used(uint64_t address);
bool graph_memory_unused(uint64_t address);

/* cudaDeviceGetGraphMemAttribute and its like, which need a device, but no context. High marks are set to 0 only: they start
 * again from what is used now. */
cudaError_t graph_memory_ask(int device, enum cudaGraphMemAttributeType attr, void *value);
cudaError_t graph_memory_set(int device, enum cudaGraphMemAttributeType attr, const void *value);
cudaError_t graph_memory_trim(int device);

/* cudaDeviceReset: nothing is used. */
void graph_memory_reset(const struct runtime_device *d);

/* --- graph_objects.c --- */

void graph_objects_share(struct graph *to, const struct graph *from);
void graph_objects_release(struct graph *g);

#endif
