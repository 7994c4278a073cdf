/* The sparse matrix of spmv.cu and spmv.c: compressed rows of 1 to 63 elements, 32 in the mean, anywhere in the row. */
#ifndef MATRIX_H
#define MATRIX_H

#include "bench.h"

struct matrix {
    int rows, elements;
    int *first;  /* [rows + 1]: where a row begins */
    int *column; /* [elements] */
    float *value;
};

static inline struct matrix matrix_make(int rows)
{
    struct matrix m = {rows, 0, NULL, NULL, NULL};
    m.first = (int *)bench_room(sizeof *m.first * ((size_t)rows + 1));
    for (int i = 0; i <= rows; i++) {
        m.first[i] = m.elements;
        m.elements += i < rows ? 1 + (int)(bench_word((uint32_t)i) % 63) : 0;
    }
    m.column = (int *)bench_room(sizeof *m.column * (size_t)m.elements);
    for (int i = 0; i < m.elements; i++)
        m.column[i] = (int)(bench_word((uint32_t)i + 0x40000000u) % (uint32_t)rows);
    m.value = bench_floats((size_t)m.elements, 1, 0, 1);
    return m;
}

#endif
