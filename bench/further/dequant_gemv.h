/* What the programs for a matrix in 4-bit integers share: its words, of 8 numbers each, the first in the lowest bits. */
#ifndef DEQUANT_GEMV_H
#define DEQUANT_GEMV_H

#define GROUP 32 /* numbers with one scale; a number q stands for (q - 8) * scale */

static inline uint32_t *words(size_t count)
{
    uint32_t *w = (uint32_t *)bench_room(count * sizeof *w);
    for (size_t i = 0; i < count; i++)
        w[i] = bench_word((uint32_t)i);
    return w;
}

#endif
