/* User objects: things of the program that graphs keep alive (CUDA C++ programming guide 12, 3.2.8.7 "CUDA User Objects"). */
#include "base/alloc.h"
#include "runtime/graph.h"
#include "runtime/pool.h"

struct user_object {
    bool alive; /* first: pool.h */
    void *ptr;
    cudaHostFn_t destroy;
    unsigned refs;
};

static struct pool objects = {.size = (sizeof(struct user_object) + 15) / 16 * 16};

static struct user_object *object_of(cudaUserObject_t handle)
{
    return handle && pool_holds(&objects, handle) ? (struct user_object *)handle : NULL;
}

static void release(struct user_object *o, unsigned count)
{
    o->refs -= count;
    if (o->refs)
        return;
    cudaHostFn_t destroy = o->destroy;
    void *ptr = o->ptr;
    pool_give(&objects, o);
    destroy(ptr);
}

static struct graph_object *held(struct graph *g, const struct user_object *o)
{
    for (int i = 0; i < g->nobjects; i++)
        if (g->objects[i].object == o)
            return &g->objects[i];
    return NULL;
}

static void hold(struct graph *g, struct user_object *o, unsigned count)
{
    struct graph_object *h = held(g, o);
    if (h) {
        h->count += count;
        return;
    }
    ALLOC_GROW(g->objects, g->nobjects, g->objects_cap);
    g->objects[g->nobjects++] = (struct graph_object){o, count};
}

void graph_objects_share(struct graph *to, const struct graph *from)
{
    for (int i = 0; i < from->nobjects; i++) {
        from->objects[i].object->refs += from->objects[i].count;
        hold(to, from->objects[i].object, from->objects[i].count);
    }
}

void graph_objects_release(struct graph *g)
{
    for (int i = 0; i < g->nobjects; i++)
        release(g->objects[i].object, g->objects[i].count);
    alloc_release(g->objects);
    g->objects = NULL;
    g->nobjects = g->objects_cap = 0;
}

/* --- entry points --- */

#define OBJECT(o, handle, count)                                                                   \
    struct user_object *o = object_of(handle);                                                     \
    if (!o || !(count))                                                                            \
    return runtime_leave(cudaErrorInvalidValue)

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *ptr, cudaHostFn_t destroy, unsigned int count, unsigned int flags)
{
    GRAPH_ENTER(d);
    if (!object || !destroy || !count || flags != cudaUserObjectNoDestructorSync)
        return runtime_leave(cudaErrorInvalidValue);
    struct user_object *o = pool_take(&objects);
    o->ptr = ptr;
    o->destroy = destroy;
    o->refs = count;
    *object = (cudaUserObject_t)o;
    return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    GRAPH_ENTER(d);
    OBJECT(o, object, count);
    o->refs += count;
    return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    GRAPH_ENTER(d);
    OBJECT(o, object, count);
    if (count > o->refs)
        return runtime_leave(cudaErrorInvalidValue);
    release(o, count);
    return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags)
{
    GRAPH_ENTER(d);
    OBJECT(o, object, count);
    struct graph *g = graph_of(graph);
    if (!g || flags & ~(unsigned)cudaGraphUserObjectMove)
        return runtime_leave(cudaErrorInvalidValue);
    if (!(flags & cudaGraphUserObjectMove)) /* moved: the caller's references become the graph's */
        o->refs += count;
    hold(g, o, count);
    return cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count)
{
    GRAPH_ENTER(d);
    OBJECT(o, object, count);
    struct graph *g = graph_of(graph);
    struct graph_object *h = g ? held(g, o) : NULL;
    if (!h || h->count < count)
        return runtime_leave(cudaErrorInvalidValue);
    h->count -= count;
    if (!h->count)
        *h = g->objects[--g->nobjects];
    release(o, count);
    return cudaSuccess;
}
