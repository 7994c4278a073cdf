/* What the lattice-Boltzmann programs share: the 19 velocities, and where the obstacle is. */
#ifndef LBM_H
#define LBM_H

#define OMEGA 1.2f

/* X(number, velocity's x, y, z, number of the opposite one, weight, product of velocity and (ux, uy, uz)) */
#define VELOCITIES(X)                                  \
    X(0, 0, 0, 0, 0, 1.0f / 3, 0.0f)                   \
    X(1, 1, 0, 0, 2, 1.0f / 18, ux)                    \
    X(2, -1, 0, 0, 1, 1.0f / 18, -ux)                  \
    X(3, 0, 1, 0, 4, 1.0f / 18, uy)                    \
    X(4, 0, -1, 0, 3, 1.0f / 18, -uy)                  \
    X(5, 0, 0, 1, 6, 1.0f / 18, uz)                    \
    X(6, 0, 0, -1, 5, 1.0f / 18, -uz)                  \
    X(7, 1, 1, 0, 8, 1.0f / 36, ux + uy)               \
    X(8, -1, -1, 0, 7, 1.0f / 36, -ux - uy)            \
    X(9, 1, -1, 0, 10, 1.0f / 36, ux - uy)             \
    X(10, -1, 1, 0, 9, 1.0f / 36, uy - ux)             \
    X(11, 1, 0, 1, 12, 1.0f / 36, ux + uz)             \
    X(12, -1, 0, -1, 11, 1.0f / 36, -ux - uz)          \
    X(13, 1, 0, -1, 14, 1.0f / 36, ux - uz)            \
    X(14, -1, 0, 1, 13, 1.0f / 36, uz - ux)            \
    X(15, 0, 1, 1, 16, 1.0f / 36, uy + uz)             \
    X(16, 0, -1, -1, 15, 1.0f / 36, -uy - uz)          \
    X(17, 0, 1, -1, 18, 1.0f / 36, uy - uz)            \
    X(18, 0, -1, 1, 17, 1.0f / 36, uz - uy)

/* 1 in a ball in the middle of n x n x n cells, else 0. */
static inline unsigned char *obstacle(int n)
{
    unsigned char *solid = (unsigned char *)bench_room((size_t)n * (size_t)n * (size_t)n);
    for (int z = 0, i = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++, i++) {
                int dx = 2 * x - n, dy = 2 * y - n, dz = 2 * z - n;
                solid[i] = 4 * (dx * dx + dy * dy + dz * dz) < n * n;
            }
    return solid;
}

#endif
