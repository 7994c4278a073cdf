/* Orders of the rows of sparse matrices (see sparse.h). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/cusolver/sparse.h"

bool sparse_is_good(const struct sparse *a)
{
    for (int i = 0; i < a->rows; i++) {
        int64_t from = (int64_t)a->row[i] - a->base, to = (int64_t)a->end[i] - a->base;
        if (from < 0 || to < from || to > a->nnz)
            return false;
        for (int64_t k = from; k < to; k++)
            if (a->column[k] < a->base || (int64_t)a->column[k] - a->base >= a->cols)
                return false;
    }
    return true;
}

/* --- the graph of A + A^T --- */

struct graph {
    int n;
    int64_t *first; /* n + 1 */
    int *to;
};

static void count_neighbours(const struct sparse *a, struct graph *g)
{
    for (int i = 0; i < a->rows; i++)
        for (int k = a->row[i] - a->base; k < a->end[i] - a->base; k++) {
            g->first[i + 1] += a->column[k] - a->base != i;
            g->first[a->column[k] - a->base + 1] += a->column[k] - a->base != i;
        }
    for (int i = 0; i < g->n; i++)
        g->first[i + 1] += g->first[i];
}

/* Each entry is a neighbour in both directions: a symmetric pair is there twice, which changes no order. */
static bool graph_make(struct graph *g, const struct sparse *a)
{
    *g = (struct graph){.n = a->rows, .first = calloc((size_t)a->rows + 1, sizeof *g->first), .to = malloc(2 * sizeof(int) * ((size_t)a->nnz + 1))};
    int64_t *fill = malloc(((size_t)a->rows + 1) * sizeof *fill);
    bool made = g->first && g->to && fill;
    if (made) {
        count_neighbours(a, g);
        memcpy(fill, g->first, ((size_t)a->rows + 1) * sizeof *fill);
        for (int i = 0; i < a->rows; i++)
            for (int k = a->row[i] - a->base; k < a->end[i] - a->base; k++) {
                int j = a->column[k] - a->base;
                if (j != i) {
                    g->to[fill[i]++] = j;
                    g->to[fill[j]++] = i;
                }
            }
    }
    free(fill);
    return made;
}

static void graph_release(struct graph *g)
{
    free(g->first);
    free(g->to);
}

static int64_t degree(const struct graph *g, int i)
{
    return g->first[i + 1] - g->first[i];
}

/* --- reverse Cuthill-McKee --- */

struct search {
    const struct graph *g;
    int *order;
    bool *seen;
    uint64_t *sorted; /* scratch: degree and row of each */
};

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_by_degree(const struct search *s, int from, int to)
{
    for (int k = from; k < to; k++)
        s->sorted[k] = (uint64_t)degree(s->g, s->order[k]) << 32 | (uint32_t)s->order[k];
    qsort(s->sorted + from, (size_t)(to - from), sizeof *s->sorted, ascending);
    for (int k = from; k < to; k++)
        s->order[k] = (int)(uint32_t)s->sorted[k];
}

/* Breadth first from `start`, neighbours by their degrees, into order[from] and on: the end; and the last level, where it begins and how many there are. */
static int search_from(const struct search *s, int start, int from, int *last, int *levels)
{
    int end = from + 1, level_end = end;
    s->order[from] = start;
    s->seen[start] = true;
    *last = from;
    *levels = 1;
    for (int k = from; k < end; k++) {
        if (k == level_end) {
            *last = k;
            level_end = end;
            ++*levels;
        }
        int before = end;
        for (int64_t e = s->g->first[s->order[k]]; e < s->g->first[s->order[k] + 1]; e++)
            if (!s->seen[s->g->to[e]]) {
                s->seen[s->g->to[e]] = true;
                s->order[end++] = s->g->to[e];
            }
        sort_by_degree(s, before, end);
    }
    return end;
}

static void forget(const struct search *s, int from, int to)
{
    for (int k = from; k < to; k++)
        s->seen[s->order[k]] = false;
}

/* Of the rows that `start` is connected with: from a row that is far from another, as far as steps to a farther one lead. */
static int order_component(const struct search *s, int start, int from)
{
    int last, levels, more, end = search_from(s, start, from, &last, &levels);
    for (;;) {
        int far = s->order[last];
        for (int k = last; k < end; k++)
            far = degree(s->g, s->order[k]) < degree(s->g, far) ? s->order[k] : far;
        forget(s, from, end);
        search_from(s, far, from, &last, &more);
        if (more <= levels)
            return end;
        levels = more;
    }
}

static void reverse(int *order, int n)
{
    for (int i = 0; i < n / 2; i++) {
        int other = order[n - 1 - i];
        order[n - 1 - i] = order[i];
        order[i] = other;
    }
}

bool order_narrow(const struct sparse *a, int *order)
{
    struct graph g;
    bool made = graph_make(&g, a);
    struct search s = {.g = &g, .order = order, .seen = calloc((size_t)a->rows + 1, sizeof *s.seen), .sorted = malloc(((size_t)a->rows + 1) * sizeof *s.sorted)};
    made = made && s.seen && s.sorted;
    for (int i = 0, at = 0; made && i < a->rows; i++)
        if (!s.seen[i])
            at = order_component(&s, i, at);
    if (made)
        reverse(order, a->rows);
    graph_release(&g);
    free(s.seen);
    free(s.sorted);
    return made;
}

/* --- symmetry --- */

/* The i-th row of A^T as marks: entries (i, j) are looked for among them. By columns: rows of each column, then compared row by row. */
int sparse_is_symmetric(const struct sparse *a)
{
    size_t n = (size_t)a->rows;
    int64_t *first = calloc(n + 2, sizeof *first);
    int *at = malloc(((size_t)a->nnz + 1) * sizeof *at), *mark = calloc(n + 1, sizeof *mark), same = first && at && mark ? 1 : -1;
    if (same > 0) {
        for (int i = 0; i < a->rows; i++)
            for (int k = a->row[i] - a->base; k < a->end[i] - a->base; k++)
                first[a->column[k] - a->base + 2]++;
        for (size_t i = 2; i < n + 2; i++)
            first[i] += first[i - 1];
        for (int i = 0; i < a->rows; i++)
            for (int k = a->row[i] - a->base; k < a->end[i] - a->base; k++)
                at[first[a->column[k] - a->base + 1]++] = i;
    }
    for (int i = 0; same > 0 && i < a->rows; i++) { /* first[i] is where column i begins */
        for (int64_t k = first[i]; k < first[i + 1]; k++)
            mark[at[k]] = i + 1;
        for (int k = a->row[i] - a->base; k < a->end[i] - a->base; k++)
            same = same && mark[a->column[k] - a->base] == i + 1;
    }
    free(first);
    free(at);
    free(mark);
    return same;
}

/* --- a diagonal without zeros --- */

struct match {
    const struct sparse *a;
    bool (*zero)(const void *values, int entry);
    const void *values;
    int *row_of, *next, *seen, *stack, *path; /* row_of: of each column; stack of rows and the columns that they take */
};

/* Gives row `start` a column, with others moved to make room for it, if that can be done. */
static bool augment(const struct match *m, int start)
{
    const struct sparse *a = m->a;
    int depth = 0;
    m->stack[0] = start;
    m->next[start] = a->row[start] - a->base;
    while (depth >= 0) {
        int i = m->stack[depth], k = m->next[i]++;
        if (k >= a->end[i] - a->base) {
            depth--;
            continue;
        }
        int j = a->column[k] - a->base;
        if (m->seen[j] == start + 1 || m->zero(m->values, k))
            continue;
        m->seen[j] = start + 1;
        m->path[depth] = j;
        if (m->row_of[j] < 0) {
            for (; depth >= 0; depth--)
                m->row_of[m->path[depth]] = m->stack[depth];
            return true;
        }
        m->stack[++depth] = m->row_of[j];
        m->next[m->stack[depth]] = a->row[m->stack[depth]] - a->base;
    }
    return false;
}

/* Rows stay where their diagonal is no zero, as far as that can be. */
static int match_all(const struct match *m, bool *has)
{
    const struct sparse *a = m->a;
    int found = 0;
    for (int i = 0; i < a->rows; i++)
        m->row_of[i] = -1;
    for (int i = 0; i < a->rows; i++)
        for (int k = a->row[i] - a->base; k < a->end[i] - a->base && !has[i]; k++)
            if (a->column[k] - a->base == i && !m->zero(m->values, k)) {
                m->row_of[i] = i;
                has[i] = true;
                found++;
            }
    for (int i = 0; i < a->rows; i++)
        if (!has[i] && augment(m, i)) {
            has[i] = true;
            found++;
        }
    for (int j = 0, i = 0; j < a->rows; j++) /* rows that have none go where none has come */
        if (m->row_of[j] < 0) {
            while (has[i])
                i++;
            m->row_of[j] = i++;
        }
    return found;
}

int order_diagonal(const struct sparse *a, bool (*zero)(const void *values, int entry), const void *values, int *order)
{
    size_t n = (size_t)a->rows + 1;
    int *scratch = calloc(4 * n, sizeof *scratch), found = -1;
    bool *has = calloc(n, sizeof *has);
    if (scratch && has) {
        const struct match m = {a, zero, values, order, scratch, scratch + n, scratch + 2 * n, scratch + 3 * n};
        found = match_all(&m, has);
    }
    free(scratch);
    free(has);
    return found;
}

/* --- permutations of a matrix --- */

/* The inverse, -1 where p is no permutation of n. */
static bool invert(const int *p, int n, int *inverse)
{
    memset(inverse, -1, (size_t)n * sizeof *inverse);
    for (int i = 0; i < n; i++) {
        if (p[i] < 0 || p[i] >= n || inverse[p[i]] >= 0)
            return false;
        inverse[p[i]] = i;
    }
    return true;
}

struct permuted {
    int *row, *column, *map;
    uint64_t *sorted; /* column and entry of A */
};

static void permute(const struct sparse *a, const int *map, const int *p, const int *place, const struct permuted *b)
{
    int at = 0;
    for (int i = 0; i < a->rows; i++) {
        int begin = at;
        b->row[i] = at + a->base;
        for (int k = a->row[p[i]] - a->base; k < a->end[p[i]] - a->base; k++)
            b->sorted[at++] = (uint64_t)(uint32_t)place[a->column[k] - a->base] << 32 | (uint32_t)k;
        qsort(b->sorted + begin, (size_t)(at - begin), sizeof *b->sorted, ascending);
    }
    b->row[a->rows] = at + a->base;
    for (int k = 0; k < at; k++) {
        b->column[k] = (int)(b->sorted[k] >> 32) + a->base;
        b->map[k] = map[(uint32_t)b->sorted[k]];
    }
}

cusolverStatus_t order_apply(const struct sparse *a, int *row, int *column, const int *p, const int *q, int *map)
{
    size_t rows = (size_t)a->rows, cols = (size_t)a->cols, nnz = (size_t)a->nnz;
    int *memory = malloc((rows + 1 + 2 * nnz + cols + rows + 1) * sizeof *memory);
    uint64_t *sorted = malloc((nnz + 1) * sizeof *sorted);
    cusolverStatus_t s = memory && sorted ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
    if (!s) {
        const struct permuted b = {memory, memory + rows + 1, memory + rows + 1 + nnz, sorted};
        int *place = b.map + nnz, *other = place + cols;
        s = invert(p, a->rows, other) && invert(q, a->cols, place) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
        if (!s) {
            permute(a, map, p, place, &b);
            memcpy(row, b.row, (rows + 1) * sizeof *row);
            size_t n = (size_t)(row[rows] - a->base);
            memcpy(column, b.column, n * sizeof *column);
            memcpy(map, b.map, n * sizeof *map);
        }
    }
    free(memory);
    free(sorted);
    return s;
}
