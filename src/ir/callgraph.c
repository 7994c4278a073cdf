/* The call graph of a kernel and its cycles (see callgraph.h).
 *
 * Cycles are the strongly connected components with an edge inside: Tarjan, "Depth-first search and linear graph
 * algorithms" (1972), with a stack of its own, since PTX may nest calls as deeply as it likes. */
#include "ir/callgraph.h"

#include "base/alloc.h"
#include "base/table.h"

struct node {
    bool reached, taken;
    int32_t *callee;
    int ncallees, cap;
    int cycle;
    int index, low; /* Tarjan's; index 0: not visited */
    bool open;      /* on his stack */
};

struct callgraph {
    const struct ptx_module *m;
    struct node *node; /* [m->nfuncs] */
    struct table number; /* function's address -> number + 1 */
    bool knows_taken;
};

struct ir_call ir_call_parts(const struct ptx_inst *in)
{
    struct ir_call c = {0};
    for (int i = 0; i < in->noperands; i++) {
        const struct ptx_operand *o = &in->operand[i];
        if (o->kind == PTX_OPERAND_LIST)
            *(c.callee ? &c.args : &c.ret) = o;
        else if (o->kind == PTX_OPERAND_FUNC || o->kind == PTX_OPERAND_REG)
            c.callee = o;
        else if (o->kind == PTX_OPERAND_PROTO)
            c.proto = o->proto;
    }
    return c;
}

static int number_of(const struct callgraph *g, const struct ptx_function *f)
{
    return (int)(uintptr_t)table_getn(&g->number, (const char *)&f, sizeof f) - 1;
}

/* --- what a pointer may mean --- */

static void take(struct callgraph *g, const struct ptx_function *f)
{
    int i = f ? number_of(g, f) : -1;
    if (i >= 0)
        g->node[i].taken = true;
}

/* Addresses in initialisers and in instructions other than calls. */
static void find_taken(struct callgraph *g)
{
    const struct ptx_module *m = g->m;
    if (g->knows_taken)
        return;
    g->knows_taken = true;
    for (int v = 0; v < m->nvars; v++)
        for (int r = 0; r < m->vars[v]->nrelocs; r++)
            take(g, m->vars[v]->reloc[r].func);
    for (int f = 0; f < m->nfuncs; f++)
        for (int i = 0; i < m->funcs[f]->ninsts; i++) {
            const struct ptx_inst *in = &m->funcs[f]->insts[i];
            for (int o = 0; in->op != PTX_OP_CALL && o < in->noperands; o++)
                if (in->operand[o].kind == PTX_OPERAND_FUNC)
                    take(g, in->operand[o].func);
        }
}

static bool same_size(const struct ptx_var *a, const struct ptx_var *b)
{
    return !a == !b && (!a || a->size == b->size);
}

bool callgraph_may_mean(const struct callgraph *g, const struct ptx_proto *p, const struct ptx_function *f)
{
    if (!f->defined || f->entry || !g->node[number_of(g, f)].taken)
        return false;
    if (p->funcs) {
        for (int i = 0; i < p->ntargets; i++)
            if (p->funcs[i] == f)
                return true;
        return false;
    }
    bool same = p->nparams == f->nparams && same_size(p->ret, f->ret);
    for (int i = 0; same && i < f->nparams; i++)
        same = same_size(&p->params[i], f->params[i]);
    return same;
}

/* --- edges --- */

static void add_edge(struct node *n, int32_t to)
{
    for (int i = 0; i < n->ncallees; i++)
        if (n->callee[i] == to)
            return;
    ALLOC_GROW(n->callee, n->ncallees, n->cap);
    n->callee[n->ncallees++] = to;
}

static void add_call(struct callgraph *g, struct node *n, const struct ptx_inst *in)
{
    struct ir_call c = ir_call_parts(in);
    if (c.callee && c.callee->kind == PTX_OPERAND_FUNC) {
        if (c.callee->func && c.callee->func->defined)
            add_edge(n, number_of(g, c.callee->func));
        return;
    }
    find_taken(g);
    for (int i = 0; c.proto && i < g->m->nfuncs; i++)
        if (callgraph_may_mean(g, c.proto, g->m->funcs[i]))
            add_edge(n, i);
}

/* Edges of everything that the kernel may reach. */
static void find_edges(struct callgraph *g, int from)
{
    int32_t *waiting = alloc_zeroed(sizeof *waiting * (size_t)(g->m->nfuncs + 1)), n = 0;
    waiting[n++] = from;
    g->node[from].reached = true;
    while (n) {
        int32_t at = waiting[--n];
        const struct ptx_function *f = g->m->funcs[at];
        struct node *node = &g->node[at];
        for (int i = 0; i < f->ninsts; i++)
            if (f->insts[i].op == PTX_OP_CALL)
                add_call(g, node, &f->insts[i]);
        for (int i = 0; i < node->ncallees; i++)
            if (!g->node[node->callee[i]].reached) {
                g->node[node->callee[i]].reached = true;
                waiting[n++] = node->callee[i];
            }
    }
    alloc_release(waiting);
}

/* --- cycles --- */

static bool calls(const struct node *n, int32_t whom)
{
    for (int i = 0; i < n->ncallees; i++)
        if (n->callee[i] == whom)
            return true;
    return false;
}

struct tarjan {
    struct callgraph *g;
    int32_t *path, *next, *open; /* the way down, the next callee of each on it; nodes of unfinished components */
    int depth, nopen, count, cycles;
};

static void enter(struct tarjan *t, int32_t at)
{
    struct node *n = &t->g->node[at];
    n->index = n->low = ++t->count;
    n->open = true;
    t->open[t->nopen++] = at;
    t->path[t->depth] = at;
    t->next[t->depth++] = 0;
}

static void leave(struct tarjan *t)
{
    int32_t at = t->path[--t->depth], member;
    struct node *nodes = t->g->node, *n = &nodes[at];
    if (t->depth && nodes[t->path[t->depth - 1]].low > n->low)
        nodes[t->path[t->depth - 1]].low = n->low;
    if (n->low != n->index)
        return;
    int size = t->nopen;
    while (t->open[size - 1] != at)
        size--;
    bool cycle = t->nopen - size > 0 || calls(n, at);
    t->cycles += cycle;
    do {
        member = t->open[--t->nopen];
        nodes[member].open = false;
        nodes[member].cycle = cycle ? t->cycles : 0;
    } while (member != at);
}

static void find_cycles(struct callgraph *g, int32_t from)
{
    size_t n = (size_t)g->m->nfuncs + 1;
    int32_t *room = alloc_zeroed(3 * n * sizeof *room);
    struct tarjan t = {.g = g, .path = room, .next = room + n, .open = room + 2 * n};
    enter(&t, from);
    while (t.depth) {
        struct node *node = &g->node[t.path[t.depth - 1]];
        if (t.next[t.depth - 1] == node->ncallees) {
            leave(&t);
            continue;
        }
        int32_t to = node->callee[t.next[t.depth - 1]++];
        if (!g->node[to].index)
            enter(&t, to);
        else if (g->node[to].open && g->node[to].index < node->low)
            node->low = g->node[to].index;
    }
    alloc_release(room);
}

/* --- */

struct callgraph *callgraph_new(const struct ptx_module *m, const struct ptx_function *kernel)
{
    struct callgraph *g = alloc_zeroed(sizeof *g);
    g->m = m;
    g->node = alloc_zeroed(sizeof *g->node * (size_t)(m->nfuncs + 1));
    table_init(&g->number);
    for (int i = 0; i < m->nfuncs; i++)
        table_setn(&g->number, (const char *)&m->funcs[i], sizeof m->funcs[i], (void *)(uintptr_t)(i + 1));
    int from = number_of(g, kernel);
    find_edges(g, from);
    find_cycles(g, from);
    return g;
}

void callgraph_free(struct callgraph *g)
{
    for (int i = 0; i < g->m->nfuncs; i++)
        alloc_release(g->node[i].callee);
    table_release(&g->number);
    alloc_release(g->node);
    alloc_release(g);
}

int callgraph_cycle(const struct callgraph *g, const struct ptx_function *f)
{
    return g->node[number_of(g, f)].cycle;
}
