/*
 * Molecular dynamics of a Lennard-Jones liquid: cells, neighbour lists, forces, a step of velocity Verlet, a histogram of distances.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double real;
typedef struct __align__(16) { real x, y, z; int type; int id; } atom_t;

#define MAXN 48
#define CELL 6
#define NCELLS (CELL * CELL * CELL)
#define CAPACITY 24

struct Params { real box, cut2; real eps[2][2], sigma2[2][2]; };

__device__ __host__ static inline real fold(real d, real box)
{
    if (d > 0.5 * box) d -= box;
    else if (d < -0.5 * box) d += box;
    return d;
}

__global__ void bin_atoms(const atom_t *atoms, int n, real box, int *count, int *cell_of)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int cx = (int)(atoms[i].x / box * CELL) % CELL;
        int cy = (int)(atoms[i].y / box * CELL) % CELL;
        int cz = (int)(atoms[i].z / box * CELL) % CELL;
        int c = (cz * CELL + cy) * CELL + cx;
        cell_of[i] = c;
        atomicAdd(count + c, 1);
    }
}

__global__ void build_list(const atom_t *__restrict__ atoms, const int *__restrict__ start, const int *__restrict__ order, int n, Params p,
                           int *__restrict__ list, int *__restrict__ len)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    real x = atoms[i].x, y = atoms[i].y, z = atoms[i].z;
    int cx = (int)(x / p.box * CELL) % CELL, cy = (int)(y / p.box * CELL) % CELL, cz = (int)(z / p.box * CELL) % CELL;
    int k = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int c = ((cz + dz + CELL) % CELL * CELL + (cy + dy + CELL) % CELL) * CELL + (cx + dx + CELL) % CELL;
                for (int s = start[c]; s < start[c + 1]; s++) {
                    int j = order[s];
                    if (j == i) continue;
                    real rx = fold(atoms[j].x - x, p.box), ry = fold(atoms[j].y - y, p.box), rz = fold(atoms[j].z - z, p.box);
                    if (rx * rx + ry * ry + rz * rz < p.cut2 && k < MAXN)
                        list[k++ * n + i] = j;
                }
            }
    len[i] = k;
}

__global__ void lj_forces(const atom_t *atoms, const int *list, const int *len, int n, Params p, double3 *force, real *energy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atom_t a = atoms[i];
    double3 f = make_double3(0, 0, 0);
    real e = 0;
    for (int k = 0; k < len[i]; k++) {
        const atom_t b = atoms[list[k * n + i]];
        real dx = fold(a.x - b.x, p.box), dy = fold(a.y - b.y, p.box), dz = fold(a.z - b.z, p.box);
        real r2 = dx * dx + dy * dy + dz * dz;
        real s2 = p.sigma2[a.type][b.type] / r2, s6 = s2 * s2 * s2;
        real eps = p.eps[a.type][b.type];
        real w = 24.0 * eps * s6 * (2.0 * s6 - 1.0) / r2;
        f.x += w * dx;
        f.y += w * dy;
        f.z += w * dz;
        e += 2.0 * eps * s6 * (s6 - 1.0);
    }
    force[i] = f;
    energy[i] = e;
}

__global__ void verlet(atom_t *atoms, float3 *velocity, const double3 *force, const float *mass, int n, float dt, real box)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 v = velocity[i];
    float h = 0.5f * dt / mass[atoms[i].type];
    v.x += h * force[i].x;
    v.y += h * force[i].y;
    v.z += h * force[i].z;
    atoms[i].x = fmod(atoms[i].x + dt * v.x + box, box);
    atoms[i].y = fmod(atoms[i].y + dt * v.y + box, box);
    atoms[i].z = fmod(atoms[i].z + dt * v.z + box, box);
    velocity[i] = v;
}

__global__ void distances(const atom_t *atoms, int n, real box, real width, unsigned long long *hist, int bins)
{
    extern __shared__ unsigned h[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) h[b] = 0;
    __syncthreads();
    int i = blockIdx.x;
    real x = atoms[i].x, y = atoms[i].y, z = atoms[i].z;
    for (int j = i + 1 + threadIdx.x; j < n; j += blockDim.x) {
        real dx = fold(atoms[j].x - x, box), dy = fold(atoms[j].y - y, box), dz = fold(atoms[j].z - z, box);
        int b = (int)(sqrt(dx * dx + dy * dy + dz * dz) / width);
        if (b < bins) atomicInc(&h[b], 0xffffffffu);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        if (h[b] != 0) atomicAdd(&hist[b], (unsigned long long)h[b]);
}

#define N 1003
static atom_t atoms[N], after[N];
static int cell_of[N], count[NCELLS], start[NCELLS + 1], order[N], len[N];
static double3 force[N];
static real energy[N];
static float3 vel[N];

int main(void)
{
    Params p = {10.2, 1.6 * 1.6, {{1.0, 0.7}, {0.7, 0.5}}, {{0.64, 0.6}, {0.6, 0.49}}};
    float mass[2] = {1.0f, 2.5f}, dt = 0.001f;
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        atoms[i].x = (i % 10) * 1.02 + 0.3 + 0.1 * sin(i * 1.3);
        atoms[i].y = (i / 10 % 10) * 1.02 + 0.3 + 0.1 * cos(i * 0.7);
        atoms[i].z = i >= 1000 ? 0.8 + i % 3 * 0.01 : (i / 100) * 1.02 + 0.3 + 0.1 * sin(i * 0.2);
        atoms[i].type = i % 3 == 0;
        atoms[i].id = i;
        vel[i].x = 0.1f * (i % 5 - 2), vel[i].y = 0.05f * (i % 7 - 3), vel[i].z = 0.02f * (i % 3 - 1);
    }
    atom_t *da; int *dcell, *dcount, *dstart, *dorder, *dlist, *dlen; double3 *df; real *de; float3 *dv; float *dm; unsigned long long *dh;
    cudaMalloc((void **)&da, sizeof atoms); cudaMalloc((void **)&dcell, sizeof cell_of); cudaMalloc((void **)&dcount, sizeof count);
    cudaMalloc((void **)&dstart, sizeof start); cudaMalloc((void **)&dorder, sizeof order); cudaMalloc((void **)&dlist, MAXN * sizeof len);
    cudaMalloc((void **)&dlen, sizeof len); cudaMalloc((void **)&df, sizeof force); cudaMalloc((void **)&de, sizeof energy);
    cudaMalloc((void **)&dv, sizeof vel); cudaMalloc((void **)&dm, sizeof mass); cudaMalloc((void **)&dh, 50 * 8);
    cudaMemcpy(da, atoms, sizeof atoms, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, vel, sizeof vel, cudaMemcpyHostToDevice);
    cudaMemcpy(dm, mass, sizeof mass, cudaMemcpyHostToDevice);
    cudaMemset(dcount, 0, sizeof count);
    cudaMemset(dh, 0, 50 * 8);

    bin_atoms<<<(N + 127) / 128, 128>>>(da, N, p.box, dcount, dcell);
    cudaMemcpy(cell_of, dcell, sizeof cell_of, cudaMemcpyDeviceToHost);
    cudaMemcpy(count, dcount, sizeof count, cudaMemcpyDeviceToHost);
    for (int c = 0; c < NCELLS; c++) start[c + 1] = start[c] + count[c];
    int fill[NCELLS];
    memcpy(fill, start, sizeof fill);
    for (int i = 0; i < N; i++) order[fill[cell_of[i]]++] = i;
    wrong += start[NCELLS] != N;
    cudaMemcpy(dstart, start, sizeof start, cudaMemcpyHostToDevice);
    cudaMemcpy(dorder, order, sizeof order, cudaMemcpyHostToDevice);
    build_list<<<(N + 63) / 64, 64>>>(da, dstart, dorder, N, p, dlist, dlen);
    lj_forces<<<(N + 95) / 96, 96>>>(da, dlist, dlen, N, p, df, de);
    cudaMemcpy(len, dlen, sizeof len, cudaMemcpyDeviceToHost);
    cudaMemcpy(force, df, sizeof force, cudaMemcpyDeviceToHost);
    cudaMemcpy(energy, de, sizeof energy, cudaMemcpyDeviceToHost);
    unsigned long long hist[50] = {0}, got[50];
    for (int i = 0; i < N; i++) {
        real f[3] = {0, 0, 0}, e = 0, size = 1;
        int k = 0;
        for (int j = 0; j < N; j++) {
            if (j == i) continue;
            real dx = fold(atoms[i].x - atoms[j].x, p.box), dy = fold(atoms[i].y - atoms[j].y, p.box), dz = fold(atoms[i].z - atoms[j].z, p.box);
            real r2 = dx * dx + dy * dy + dz * dz;
            if (j > i && sqrt(r2) < 5.0) hist[(int)(sqrt(r2) / 0.1)]++;
            if (r2 >= p.cut2) continue;
            k++;
            real s2 = p.sigma2[atoms[i].type][atoms[j].type] / r2, s6 = s2 * s2 * s2, eps = p.eps[atoms[i].type][atoms[j].type];
            real w = 24 * eps * s6 * (2 * s6 - 1) / r2;
            f[0] += w * dx, f[1] += w * dy, f[2] += w * dz;
            e += 2 * eps * s6 * (s6 - 1);
            size += fabs(w) * sqrt(r2);
        }
        wrong += len[i] != k || k >= MAXN;
        wrong += !(fabs(f[0] - force[i].x) < 1e-9 * size && fabs(f[1] - force[i].y) < 1e-9 * size && fabs(f[2] - force[i].z) < 1e-9 * size);
        wrong += !(fabs(e - energy[i]) < 1e-9 * size);
    }
    distances<<<N - 1, 128, 50 * sizeof(unsigned)>>>(da, N, p.box, 0.1, dh, 50);
    cudaMemcpy(got, dh, sizeof got, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 50; b++) wrong += llabs((long long)(hist[b] - got[b])) > 2; /* at an edge of two bins */
    verlet<<<(N + 255) / 256, 256>>>(da, dv, df, dm, N, dt, p.box);
    if (cudaMemcpy(after, da, sizeof after, cudaMemcpyDeviceToHost) != cudaSuccess) wrong++;
    for (int i = 0; i < N; i++) {
        float h = 0.5f * dt / mass[atoms[i].type];
        real x = fmod(atoms[i].x + dt * (vel[i].x + h * force[i].x) + p.box, p.box), z = fmod(atoms[i].z + dt * (vel[i].z + h * force[i].z) + p.box, p.box);
        wrong += !(fabs(fold(x - after[i].x, p.box)) < 1e-5 * (1 + fabs(force[i].x) * dt) && fabs(fold(z - after[i].z, p.box)) < 1e-5 * (1 + fabs(force[i].z) * dt));
        wrong += after[i].id != i;
    }
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
