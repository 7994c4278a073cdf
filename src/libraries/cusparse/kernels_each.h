/* The loops of one format. Before: E the type of a number, CONJUGATE(x), ROOT(x), SIZE(x) its absolute value, F(name) the
 * function's name. Undefines them. */

static void F(spmv)(const struct csr *a, struct way w, const void *alpha_, const void *x_, const void *beta_, void *y_)
{
    const E alpha = *(const E *)alpha_, beta = *(const E *)beta_, *x = x_, *v = a->values;
    const int32_t *column = a->column;
    const int base = a->base;
    E *y = y_;
    if (!w.transposed) {
        for (int64_t i = 0; i < a->rows; i++) {
            E sum = 0;
            for (int64_t k = a->offset[i]; k < a->offset[i + 1]; k++)
                sum += (w.conjugated ? CONJUGATE(v[k]) : v[k]) * x[column[k] - base];
            y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i];
        }
        return;
    }
    for (int64_t j = 0; j < a->cols; j++)
        y[j] = beta == 0 ? 0 : beta * y[j];
    for (int64_t i = 0; i < a->rows; i++) {
        const E t = alpha * x[i];
        for (int64_t k = a->offset[i]; k < a->offset[i + 1]; k++)
            y[column[k] - base] += (w.conjugated ? CONJUGATE(v[k]) : v[k]) * t;
    }
}

static void F(spmm)(const struct csr *a, struct way w, const void *alpha_, const struct dense *b, bool conjugate_b, const void *beta_,
                    const struct dense *c, int64_t n)
{
    const E alpha = *(const E *)alpha_, beta = *(const E *)beta_, *v = a->values, *bv = b->values;
    E *cv = c->values;
    const int64_t m = w.transposed ? a->cols : a->rows;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            E *to = &cv[i * c->row + j * c->col];
            *to = beta == 0 ? 0 : beta * *to;
        }
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->offset[i]; k < a->offset[i + 1]; k++) {
            const int64_t other = a->column[k] - a->base;
            const E t = alpha * (w.conjugated ? CONJUGATE(v[k]) : v[k]);
            const E *from = &bv[(w.transposed ? i : other) * b->row];
            E *to = &cv[(w.transposed ? other : i) * c->row];
            for (int64_t j = 0; j < n; j++)
                to[j * c->col] += t * (conjugate_b ? CONJUGATE(from[j * b->col]) : from[j * b->col]);
        }
}

static void F(sddmm)(const struct csr *c, void *values, const void *alpha_, const struct dense *a, const struct dense *b, int64_t n,
                     const void *beta_)
{
    const E alpha = *(const E *)alpha_, beta = *(const E *)beta_, *av = a->values, *bv = b->values;
    E *v = values;
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t k = c->offset[r]; k < c->offset[r + 1]; k++) {
            const int64_t other = c->column[k] - c->base, i = c->transposed ? other : r, j = c->transposed ? r : other;
            E sum = 0;
            for (int64_t l = 0; l < n; l++)
                sum += av[i * a->row + l * a->col] * bv[l * b->row + j * b->col];
            v[k] = beta == 0 ? alpha * sum : alpha * sum + beta * v[k];
        }
}

static void F(spgemm_row)(const struct csr *a, const struct csr *b, int64_t row, void *sum_)
{
    const E *av = a->values, *bv = b->values;
    E *sum = sum_;
    for (int64_t k = a->offset[row]; k < a->offset[row + 1]; k++) {
        const int64_t i = a->column[k] - a->base;
        for (int64_t l = b->offset[i]; l < b->offset[i + 1]; l++)
            sum[b->column[l] - b->base] += av[k] * bv[l];
    }
}

static void F(take)(void *sum_, const int32_t *at, int64_t n, const void *alpha_, const void *beta_, void *out_)
{
    const E alpha = *(const E *)alpha_, beta = *(const E *)beta_;
    E *sum = sum_, *out = out_;
    for (int64_t i = 0; i < n; i++) {
        out[i] = beta == 0 ? alpha * sum[at[i]] : alpha * sum[at[i]] + beta * out[i];
        sum[at[i]] = 0;
    }
}

/* Row by row (x[i] is known once all before it are), or column by column where transposed: x[i] is taken from all behind it. A
 * diagonal that is not there counts as 0. */
static void F(trsv)(const struct csr *a, struct way w, struct triangle t, void *x_)
{
    const E *v = a->values;
    E *x = x_;
    const bool down = t.upper == w.transposed; /* upper and lower are said of the arrays */
    for (int64_t step = 0; step < a->rows; step++) {
        const int64_t i = down ? step : a->rows - 1 - step;
        E sum = x[i], diagonal = 0;
        for (int64_t k = a->offset[i]; k < a->offset[i + 1]; k++) {
            const int64_t j = a->column[k] - a->base;
            const E value = w.conjugated ? CONJUGATE(v[k]) : v[k];
            if (j == i)
                diagonal += value;
            else if (!w.transposed && (j > i) == t.upper)
                sum -= value * x[j];
        }
        x[i] = t.unit ? sum : sum / diagonal;
        for (int64_t k = a->offset[i]; w.transposed && k < a->offset[i + 1]; k++) {
            const int64_t j = a->column[k] - a->base;
            if (j != i && (j > i) == t.upper)
                x[j] -= (w.conjugated ? CONJUGATE(v[k]) : v[k]) * x[i];
        }
    }
}

static void F(scale)(const void *alpha_, const void *from_, int64_t from_step, bool conjugated, void *to_, int64_t to_step, int64_t n)
{
    const E alpha = *(const E *)alpha_, *from = from_;
    E *to = to_;
    for (int64_t i = 0; i < n; i++)
        to[i * to_step] = alpha * (conjugated ? CONJUGATE(from[i * from_step]) : from[i * from_step]);
}

static bool F(is_zero)(const void *number)
{
    return *(const E *)number == 0;
}

static void F(axpby)(const void *alpha_, const void *x_, const int64_t *at, int64_t nnz, const void *beta_, void *y_, int64_t n)
{
    const E alpha = *(const E *)alpha_, beta = *(const E *)beta_, *x = x_;
    E *y = y_;
    for (int64_t i = 0; i < n; i++)
        y[i] = beta == 0 ? 0 : beta * y[i];
    for (int64_t i = 0; i < nnz; i++)
        y[at[i]] += alpha * x[i];
}

static void F(rot)(const void *c_, const void *s_, void *x_, const int64_t *at, int64_t nnz, void *y_)
{
    const E c = *(const E *)c_, s = *(const E *)s_;
    E *x = x_, *y = y_;
    for (int64_t i = 0; i < nnz; i++) {
        const E a = x[i], b = y[at[i]];
        x[i] = c * a + s * b;
        y[at[i]] = c * b - s * a;
    }
}

static void F(dot)(bool conjugated, const void *x_, const int64_t *at, int64_t nnz, const void *y_, void *result)
{
    const E *x = x_, *y = y_;
    E sum = 0;
    for (int64_t i = 0; i < nnz; i++)
        sum += (conjugated ? CONJUGATE(x[i]) : x[i]) * y[at[i]];
    *(E *)result = sum;
}

/* Row by row, by the rows above (Saad, "Iterative Methods for Sparse Linear Systems", algorithm 10.4, ILU(0)). place: by column, where
 * the row has it, + 1. */
static int64_t F(ilu0)(const struct csr *a, void *values, int64_t *place)
{
    const int32_t *column = a->column;
    int64_t zero = -1;
    E *v = values;
    for (int64_t i = 0; i < a->rows; i++) {
        for (int64_t k = a->offset[i]; k < a->offset[i + 1]; k++)
            place[column[k] - a->base] = k + 1;
        for (int64_t k = a->offset[i]; k < a->offset[i + 1] && column[k] - a->base < i; k++) {
            const int64_t r = column[k] - a->base;
            E diagonal = 0;
            for (int64_t l = a->offset[r]; l < a->offset[r + 1]; l++)
                if (column[l] - a->base == r)
                    diagonal = v[l];
            v[k] /= diagonal;
            for (int64_t l = a->offset[r]; l < a->offset[r + 1]; l++)
                if (column[l] - a->base > r && place[column[l] - a->base])
                    v[place[column[l] - a->base] - 1] -= v[k] * v[l];
        }
        if (zero < 0 && place[i] && v[place[i] - 1] == 0)
            zero = i;
        for (int64_t k = a->offset[i]; k < a->offset[i + 1]; k++)
            place[column[k] - a->base] = 0;
    }
    return zero;
}

/* The lower triangle: entry (i, j) is what is left of it behind the product of both rows' parts before j, by the diagonal of j. */
static int64_t F(ic0)(const struct csr *a, void *values, int64_t *place)
{
    const int32_t *column = a->column;
    int64_t zero = -1;
    E *v = values;
    for (int64_t i = 0; i < a->rows; i++) {
        E left = 0;
        for (int64_t k = a->offset[i]; k < a->offset[i + 1]; k++)
            place[column[k] - a->base] = k + 1;
        for (int64_t k = a->offset[i]; k < a->offset[i + 1] && column[k] - a->base < i; k++) {
            const int64_t j = column[k] - a->base;
            E sum = v[k], diagonal = 0;
            for (int64_t l = a->offset[j]; l < a->offset[j + 1] && column[l] - a->base <= j; l++) {
                if (column[l] - a->base == j)
                    diagonal = v[l];
                else if (place[column[l] - a->base])
                    sum -= v[place[column[l] - a->base] - 1] * CONJUGATE(v[l]);
            }
            v[k] = sum / diagonal;
            left += v[k] * CONJUGATE(v[k]);
        }
        if (place[i]) {
            const E d = v[place[i] - 1] - left;
            v[place[i] - 1] = ROOT(d);
            if (zero < 0 && d == 0)
                zero = i;
        }
        for (int64_t k = a->offset[i]; k < a->offset[i + 1]; k++)
            place[column[k] - a->base] = 0;
    }
    return zero;
}

static void F(add_row)(const struct csr *a, int64_t row, const void *alpha, void *sum_)
{
    const E *v = a->values;
    E *sum = sum_;
    for (int64_t k = a->offset[row]; k < a->offset[row + 1]; k++)
        sum[a->column[k] - a->base] += *(const E *)alpha * v[k];
}

/* Gauss with the largest pivot of a column. A row of the work has its diagonal at `below`, and room for what a pivot brings. */
static void F(band)(int64_t m, int below, int above, const void *const *diagonals, int64_t step, void *x_, int64_t x_step, void *work)
{
    const int width = 2 * below + above + 1;
    E *row = work, *x = x_; /* entry (i, j): row[i * width + j - i + below] */
    for (int64_t i = 0; i < m; i++)
        for (int d = 0; d < width; d++)
            row[i * width + d] = d < below + above + 1 && i + d - below >= 0 && i + d - below < m ? ((const E *)diagonals[d])[i * step] : 0;
    for (int64_t j = 0; j < m; j++) {
        int64_t best = j;
        for (int64_t i = j + 1; i <= j + below && i < m; i++)
            if (SIZE(row[i * width + j - i + below]) > SIZE(row[best * width + j - best + below]))
                best = i;
        for (int64_t c = j; best != j && c <= j + below + above && c < m; c++) {
            E *p = &row[j * width + c - j + below], *q = &row[best * width + c - best + below], kept = *p;
            *p = *q;
            *q = kept;
        }
        const E kept = x[j * x_step];
        x[j * x_step] = x[best * x_step];
        x[best * x_step] = best == j ? x[j * x_step] : kept;
        for (int64_t i = j + 1; i <= j + below && i < m; i++) {
            const E t = row[i * width + j - i + below] / row[j * width + below];
            for (int64_t c = j; c <= j + below + above && c < m; c++)
                row[i * width + c - i + below] -= t * row[j * width + c - j + below];
            x[i * x_step] -= t * x[j * x_step];
        }
    }
    for (int64_t i = m - 1; i >= 0; i--) {
        E sum = x[i * x_step];
        for (int64_t c = i + 1; c <= i + below + above && c < m; c++)
            sum -= row[i * width + c - i + below] * x[c * x_step];
        x[i * x_step] = sum / row[i * width + below];
    }
}

#undef E
#undef CONJUGATE
#undef ROOT
#undef SIZE
#undef F
