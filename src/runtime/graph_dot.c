/* A graph as text for Graphviz: cudaGraphDebugDotPrint. A box for each node, children as clusters of their own. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "report/result.h"
#include "runtime/graph.h"
#include "runtime/library_work.h"
#include "runtime/module.h"

static const char *type_name(enum cudaGraphNodeType t)
{
    static const char *const names[] = {"kernel", "memcpy", "memset", "host", "graph", "empty", "event wait", "event record",
                                        "semaphore signal", "semaphore wait", "mem alloc", "mem free", "batch", "conditional"};
    return (unsigned)t < sizeof names / sizeof *names ? names[t] : "node";
}

/* A name may have quotes and backslashes in it. */
static void put_name(FILE *f, const char *s)
{
    for (; *s; s++)
        fprintf(f, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
}

static void put_kernel(FILE *f, const struct node_work *w, bool params)
{
    struct runtime_kernel *k;
    struct arena a;
    const struct launch_request *r = &w->kernel.request;
    if (w->kernel.library)
        fprintf(f, "\\n%s", w->kernel.library->call.function);
    if (w->kernel.library || module_kernel(w->device, r->func, &k))
        return;
    arena_init(&a);
    fputs("\\n", f);
    put_name(f, result_demangle(&a, k->info.name));
    arena_release(&a);
    if (params)
        fprintf(f, "\\ngrid (%u,%u,%u)\\nblock (%u,%u,%u)\\nshared %zu", r->grid.x, r->grid.y, r->grid.z, r->block.x, r->block.y,
                r->block.z, r->shared);
}

static void put_copy(FILE *f, const struct cudaMemcpy3DParms *p)
{
    fprintf(f, "\\nfrom %p\\nto %p\\nextent (%zu,%zu,%zu)", p->srcArray ? (const void *)p->srcArray : p->srcPtr.ptr,
            p->dstArray ? (const void *)p->dstArray : p->dstPtr.ptr, p->extent.width, p->extent.height, p->extent.depth);
}

static void put_fill(FILE *f, const struct cudaMemsetParams *p)
{
    fprintf(f, "\\nto %p\\nvalue %u of %u bytes\\nwidth %zu, height %zu", p->dst, p->value, p->elementSize, p->width, p->height);
}

static void put_node(FILE *f, const struct graph_node *n, unsigned flags)
{
    const struct node_work *w = &n->work;
    bool all = flags & cudaGraphDebugDotFlagsVerbose;
    fprintf(f, "\"graph_%llu_node_%d\"[shape=\"box\" label=\"%d %s", (unsigned long long)n->graph->id, n->index, n->index, type_name(w->type));
    if (all || flags & cudaGraphDebugDotFlagsHandles)
        fprintf(f, "\\n%p", (const void *)n);
    if (w->type == cudaGraphNodeTypeKernel)
        put_kernel(f, w, all || flags & cudaGraphDebugDotFlagsKernelNodeParams);
    if (w->type == cudaGraphNodeTypeMemcpy && (all || flags & cudaGraphDebugDotFlagsMemcpyNodeParams))
        put_copy(f, &w->copy);
    if (w->type == cudaGraphNodeTypeMemset && (all || flags & cudaGraphDebugDotFlagsMemsetNodeParams))
        put_fill(f, &w->fill);
    if (w->type == cudaGraphNodeTypeHost && (all || flags & cudaGraphDebugDotFlagsHostNodeParams))
        fprintf(f, "\\n%p", w->host.userData);
    if (w->type == cudaGraphNodeTypeMemAlloc && all)
        fprintf(f, "\\n%zu bytes at %p", w->alloc.bytesize, w->alloc.dptr);
    fputs("\"];\n", f);
}

static void put_graph(FILE *f, const struct graph *g, unsigned flags)
{
    fprintf(f, "subgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n", (unsigned long long)g->id, (unsigned long long)g->id);
    for (int i = 0; i < g->nnodes; i++)
        put_node(f, g->nodes[i], flags);
    for (int i = 0; i < g->nnodes; i++)
        for (int j = 0; j < g->nodes[i]->after.n; j++)
            fprintf(f, "\"graph_%llu_node_%d\" -> \"graph_%llu_node_%d\";\n", (unsigned long long)g->id, i, (unsigned long long)g->id,
                    g->nodes[i]->after.at[j].node->index);
    fputs("}\n", f);
    for (int i = 0; i < g->nnodes; i++) {
        const struct node_work *w = &g->nodes[i]->work;
        if (w->type == cudaGraphNodeTypeGraph)
            put_graph(f, w->child, flags);
        for (unsigned j = 0; w->type == cudaGraphNodeTypeConditional && j < w->condition.params.size; j++)
            put_graph(f, w->condition.body[j], flags);
    }
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    GRAPH_ENTER(d);
    const struct graph *g = graph_of(graph);
    FILE *f = g && path ? fopen(path, "w") : NULL;
    if (!g || !path)
        return runtime_leave(cudaErrorInvalidValue);
    if (!f)
        return runtime_leave(cudaErrorOperatingSystem);
    fputs("digraph dot {\n", f);
    put_graph(f, g, flags);
    fputs("}\n", f);
    bool failed = ferror(f) != 0;
    return runtime_leave(fclose(f) || failed ? cudaErrorOperatingSystem : cudaSuccess);
}
