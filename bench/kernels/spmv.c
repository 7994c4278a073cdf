/* y = A x for a sparse A in compressed rows (matrix.h). */
#include "bench.h"
#include "matrix.h"

static struct matrix m;
static float *x, *y;

static void spmv(const struct matrix *m, const float *restrict x, float *restrict y)
{
    const int *restrict first = m->first, *restrict column = m->column;
    const float *restrict value = m->value;
#pragma omp parallel for
    for (int row = 0; row < m->rows; row++) {
        float sum = 0;
        for (int i = first[row]; i < first[row + 1]; i++)
            sum += value[i] * x[column[i]];
        y[row] = sum;
    }
}

static void bench_setup(const char *variant, int rows)
{
    (void)variant;
    m = matrix_make(rows);
    x = bench_floats((size_t)rows, 2, 0, 1);
    y = bench_room(sizeof *y * (size_t)rows);
}

static void bench_launch(void)
{
    spmv(&m, x, y);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){y, (size_t)m.rows, 0};
}
