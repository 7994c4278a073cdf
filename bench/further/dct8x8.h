/* What the programs for the discrete cosine transform share: its matrix, a row for each frequency. */
#ifndef DCT8X8_H
#define DCT8X8_H

#define TILE 8

static inline float *cosines(void)
{
    float *m = (float *)bench_room(TILE * TILE * sizeof *m);
    for (int k = 0; k < TILE; k++)
        for (int i = 0; i < TILE; i++)
            m[k * TILE + i] = (float)(sqrt((k ? 2.0 : 1.0) / TILE) * cos((2 * i + 1) * k * 3.14159265358979323846 / (2 * TILE)));
    return m;
}

#endif
