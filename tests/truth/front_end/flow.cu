// Lattice Boltzmann, D2Q9, double precision: walls by bounce-back, periodic along x.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define Q 9
constexpr int W = 180, H = 75, CELLS = W * H;

__constant__ int ex[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int ey[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ double wt[Q] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
__constant__ int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

__host__ __device__ inline double equilibrium(double w, double cx, double cy, double rho, double ux, double uy)
{
	double cu = cx * ux + cy * uy;
	return w * rho * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
}

__global__ void initialise(double *f, const unsigned char *solid)
{
	int cell = blockIdx.x * blockDim.x + threadIdx.x;
	if (cell >= CELLS)
		return;
	int x = cell % W, y = cell / W;
	double u = solid[cell] ? 0.0 : 0.04 * sin(M_PI * y / (H - 1)) * (1.0 + 0.1 * cos(2.0 * M_PI * x / W));
	for (int i = 0; i < Q; ++i)
		f[i * CELLS + cell] = equilibrium(wt[i], ex[i], ey[i], 1.0, u, 0.0);
}

__global__ void collideAndStream(const double *__restrict__ f, double *__restrict__ g, const unsigned char *__restrict__ solid, double omega)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	if (x >= W)
		return;
	int cell = y * W + x;
	double in[Q];
	// pull
	#pragma unroll
	for (int i = 0; i < Q; ++i) {
		int sx = x - ex[i], sy = y - ey[i];
		sx = sx < 0 ? W - 1 : sx == W ? 0 : sx;
		if (sy < 0 || sy >= H || solid[sy * W + sx])
			in[i] = f[opposite[i] * CELLS + cell];
		else
			in[i] = f[i * CELLS + sy * W + sx];
	}
	if (solid[cell]) {
		for (int i = 0; i < Q; ++i)
			g[i * CELLS + cell] = in[i];
		return;
	}
	double rho = 0, ux = 0, uy = 0;
	for (int i = 0; i < Q; ++i) {
		rho += in[i];
		ux += in[i] * ex[i];
		uy += in[i] * ey[i];
	}
	ux /= rho;
	uy /= rho;
	#pragma unroll
	for (int i = 0; i < Q; ++i)
		g[i * CELLS + cell] = in[i] - omega * (in[i] - equilibrium(wt[i], ex[i], ey[i], rho, ux, uy));
}

struct Macro { double rho, ux, uy; };

__global__ void macroscopic(const double *f, Macro *out, float *speed)
{
	int cell = blockIdx.x * blockDim.x + threadIdx.x;
	if (cell >= CELLS)
		return;
	Macro m = {0, 0, 0};
	for (int i = 0; i < Q; ++i) {
		double v = f[i * CELLS + cell];
		m.rho += v;
		m.ux += v * ex[i];
		m.uy += v * ey[i];
	}
	m.ux /= m.rho;
	m.uy /= m.rho;
	out[cell] = m;
	speed[cell] = (float)hypot(m.ux, m.uy);
}

int main()
{
	const int hx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, hy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1}, ho[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
	const double hw[Q] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
	std::vector<unsigned char> solid(CELLS);
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			solid[y * W + x] = y == 0 || y == H - 1 || (x - 45) * (x - 45) + (y - 37) * (y - 37) < 81;
	std::vector<double> f(Q * CELLS), g(Q * CELLS), back(Q * CELLS);
	for (int c = 0; c < CELLS; c++) {
		double u = solid[c] ? 0.0 : 0.04 * sin(M_PI * (c / W) / (H - 1)) * (1.0 + 0.1 * cos(2.0 * M_PI * (c % W) / W));
		for (int i = 0; i < Q; i++)
			f[i * CELLS + c] = equilibrium(hw[i], hx[i], hy[i], 1.0, u, 0.0);
	}
	double *df, *dg;
	Macro *dm;
	float *dspeed;
	unsigned char *ds;
	cudaMalloc(&df, Q * CELLS * sizeof(double));
	cudaMalloc(&dg, Q * CELLS * sizeof(double));
	cudaMalloc(&dm, CELLS * sizeof(Macro));
	cudaMalloc(&dspeed, CELLS * sizeof(float));
	cudaMalloc(&ds, CELLS);
	cudaMemcpy(ds, solid.data(), CELLS, cudaMemcpyHostToDevice);
	initialise<<<(CELLS + 255) / 256, 256>>>(df, ds);
	{
		collideAndStream<<<dim3((W + 63) / 64, H), 64>>>(df, dg, ds, 1.7);
		std::swap(df, dg);
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++) {
				int c = y * W + x;
				double in[Q], rho = 0, ux = 0, uy = 0;
				for (int i = 0; i < Q; i++) {
					int sx = (x - hx[i] + W) % W, sy = y - hy[i];
					in[i] = sy < 0 || sy >= H || solid[sy * W + sx] ? f[ho[i] * CELLS + c] : f[i * CELLS + sy * W + sx];
					rho += in[i];
					ux += in[i] * hx[i];
					uy += in[i] * hy[i];
				}
				for (int i = 0; i < Q; i++)
					g[i * CELLS + c] = solid[c] ? in[i] : in[i] - 1.7 * (in[i] - equilibrium(hw[i], hx[i], hy[i], rho, ux / rho, uy / rho));
			}
		f.swap(g);
	}
	macroscopic<<<(CELLS + 127) / 128, 128>>>(df, dm, dspeed);
	std::vector<Macro> m(CELLS);
	std::vector<float> speed(CELLS);
	cudaMemcpy(back.data(), df, Q * CELLS * sizeof(double), cudaMemcpyDeviceToHost);
	cudaMemcpy(m.data(), dm, CELLS * sizeof(Macro), cudaMemcpyDeviceToHost);
	cudaError_t err = cudaMemcpy(speed.data(), dspeed, CELLS * sizeof(float), cudaMemcpyDeviceToHost);
	int bad = err != cudaSuccess;
	for (int i = 0; i < Q * CELLS; i++)
		bad += !(fabs(back[i] - f[i]) < 1e-12);
	for (int c = 0; c < CELLS; c++)
		bad += !(fabs(speed[c] - hypot(m[c].ux, m[c].uy)) < 1e-7) || !(fabs(m[c].rho - 1.0) < 0.1);
	printf("%s\n", bad == 0 ? "PASSED" : "FAILED");
	return bad != 0;
}
