// A graph in adjacency lists: a level of breadth-first search by pulling, PageRank, labels of components, triangles.
#include <cstdio>
#include <cmath>
#include <set>
#include <vector>
#include <algorithm>

struct Graph {
	int n;
	const int *__restrict__ rowptr;
	const int *__restrict__ adj;
};

__global__ void bfs_pull(Graph g, const unsigned *frontier, unsigned *next, int *depth, int level, int *changed)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	bool reached = false;
	if (v < g.n && depth[v] < 0) {
		for (int e = g.rowptr[v]; e < g.rowptr[v + 1]; e++) {
			int u = g.adj[e];
			if (frontier[u >> 5] >> (u & 31) & 1) {
				reached = true;
				break;
			}
		}
		if (reached)
			depth[v] = level;
	}
	unsigned word = __ballot_sync(0xffffffff, reached);
	if ((threadIdx.x & 31) == 0 && v < g.n)
		next[v >> 5] = word;
	int any = __syncthreads_count(reached);
	if (threadIdx.x == 0 && any)
		atomicAdd(changed, any);
}

__global__ void pagerank_gather(Graph g, const float *rank, float *out, float damping)
{
	const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 4, part = threadIdx.x % 4;
	float sum = 0.f;
	if (v < g.n)
		for (int e = g.rowptr[v] + part; e < g.rowptr[v + 1]; e += 4) {
			int u = g.adj[e];
			sum += rank[u] / (g.rowptr[u + 1] - g.rowptr[u]);
		}
	sum += __shfl_xor_sync(~0u, sum, 1);
	sum += __shfl_xor_sync(~0u, sum, 2);
	if (v < g.n && part == 0)
		out[v] = (1.f - damping) / g.n + damping * sum;
}

__global__ void pagerank_scatter(Graph g, const float *rank, float *out, float damping)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= g.n)
		return;
	int first = g.rowptr[v], last = g.rowptr[v + 1];
	if (first == last)
		return;
	float share = damping * rank[v] / (last - first);
	for (int e = first; e < last; e++)
		atomicAdd(out + g.adj[e], share);
}

__global__ void label_min(Graph g, const int *in, int *out)
{
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < g.n; v += gridDim.x * blockDim.x) {
		int l = in[v];
		for (int e = g.rowptr[v], end = g.rowptr[v + 1]; e != end; ++e)
			l = min(l, in[g.adj[e]]);
		out[v] = in[l] < l ? in[l] : l;
	}
}

__device__ int common(const int *a, const int *ae, const int *b, const int *be)
{
	int n = 0;
	while (a < ae && b < be) {
		if (*a == *b)
			n++, a++, b++;
		else if (*a < *b)
			a++;
		else
			b++;
	}
	return n;
}

__global__ void triangles(Graph g, unsigned long long *total)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
	if (v < g.n)
		for (int e = g.rowptr[v]; e < g.rowptr[v + 1]; e++) {
			int u = g.adj[e];
			if (u > v)
				count += common(g.adj + e + 1, g.adj + g.rowptr[v + 1], g.adj + g.rowptr[u], g.adj + g.rowptr[u + 1]);
		}
	count = __reduce_add_sync(0xffffffff, count);
	if (threadIdx.x % 32 == 0 && count)
		atomicAdd(total, (unsigned long long)count);
}

int main()
{
	const int n = 5003;
	std::vector<std::set<int>> nb(n);
	unsigned s = 99;
	for (int v = 0; v < n; v++)
		for (int k = 0; k < 1 + v % 4; k++) {
			s = s * 1664525u + 1013904223u;
			int u = (v + 1 + (s >> 10) % (v % 20 == 0 ? n - 1 : 40)) % n;
			if (u != v && v % 100 && u % 100)
				nb[v].insert(u), nb[u].insert(v);
		}
	std::vector<int> ptr(1, 0), adj;
	for (auto &l : nb) {
		adj.insert(adj.end(), l.begin(), l.end());
		ptr.push_back((int)adj.size());
	}
	int *dptr, *dadj, *ddepth, *dchanged, *da, *db;
	unsigned *df, *dn;
	float *dr, *dout;
	unsigned long long *dt;
	cudaMalloc(&dptr, ptr.size() * 4), cudaMalloc(&dadj, adj.size() * 4), cudaMalloc(&ddepth, n * 4), cudaMalloc(&dchanged, 4);
	cudaMalloc(&da, n * 4), cudaMalloc(&db, n * 4), cudaMalloc(&df, (n / 32 + 8) * 4), cudaMalloc(&dn, (n / 32 + 8) * 4);
	cudaMalloc(&dr, n * 4), cudaMalloc(&dout, n * 4), cudaMalloc(&dt, 8);
	cudaMemcpy(dptr, ptr.data(), ptr.size() * 4, cudaMemcpyHostToDevice);
	cudaMemcpy(dadj, adj.data(), adj.size() * 4, cudaMemcpyHostToDevice);
	Graph g = {n, dptr, dadj};
	std::vector<int> depth(n, -1), gdepth(n);
	std::vector<unsigned> front(n / 32 + 8);
	for (int v = 7; v < n; v += 301)
		depth[v] = 0, front[v / 32] |= 1u << v % 32;
	cudaMemcpy(ddepth, depth.data(), n * 4, cudaMemcpyHostToDevice);
	cudaMemcpy(df, front.data(), front.size() * 4, cudaMemcpyHostToDevice);
	cudaMemset(dchanged, 0, 4);
	bfs_pull<<<(n + 127) / 128, 128>>>(g, df, dn, ddepth, 1, dchanged);
	int changed, wrong = 0, found = 0;
	cudaMemcpy(&changed, dchanged, 4, cudaMemcpyDeviceToHost);
	cudaMemcpy(gdepth.data(), ddepth, n * 4, cudaMemcpyDeviceToHost);
	for (int v = 0; v < n; v++) {
		int want = depth[v];
		if (want < 0)
			for (int u : nb[v])
				if (depth[u] == 0)
					want = 1;
		found += want == 1;
		wrong += want != gdepth[v];
	}
	wrong += found != changed;

	std::vector<float> rank(n), out(n, 0.15f / n), got(n);
	for (int v = 0; v < n; v++)
		rank[v] = (1.0f + v % 3) / (2.0f * n);
	cudaMemcpy(dr, rank.data(), n * 4, cudaMemcpyHostToDevice);
	std::vector<double> want(n, 0.15 / n);
	for (int v = 0; v < n; v++)
		for (int u : nb[v])
			want[u] += 0.85 * rank[v] / nb[v].size();
	for (int form = 0; form < 2; form++) {
		if (form) {
			cudaMemcpy(dout, out.data(), n * 4, cudaMemcpyHostToDevice);
			pagerank_scatter<<<(n + 255) / 256, 256>>>(g, dr, dout, 0.85f);
		} else
			pagerank_gather<<<(4 * n + 255) / 256, 256>>>(g, dr, dout, 0.85f);
		cudaMemcpy(got.data(), dout, n * 4, cudaMemcpyDeviceToHost);
		for (int v = 0; v < n; v++)
			wrong += !(fabs(got[v] - want[v]) < 1e-4 * want[v]);
	}

	std::vector<int> label(n), l2(n);
	for (int v = 0; v < n; v++)
		label[v] = (v * 37) % n < v ? (v * 37) % n : v;
	cudaMemcpy(da, label.data(), n * 4, cudaMemcpyHostToDevice);
	label_min<<<11, 192>>>(g, da, db);
	cudaMemcpy(l2.data(), db, n * 4, cudaMemcpyDeviceToHost);
	for (int v = 0; v < n; v++) {
		int l = label[v];
		for (int u : nb[v])
			l = std::min(l, label[u]);
		wrong += l2[v] != std::min(l, label[l]);
	}

	cudaMemset(dt, 0, 8);
	triangles<<<(n + 63) / 64, 64>>>(g, dt);
	unsigned long long t = 0, w = 0;
	cudaError_t e = cudaMemcpy(&t, dt, 8, cudaMemcpyDeviceToHost);
	for (int v = 0; v < n; v++)
		for (int u : nb[v])
			for (int x : nb[v])
				w += v < u && u < x && nb[u].count(x);
	wrong += t != w || e != cudaSuccess;
	printf("%llu triangles\n%s\n", t, wrong ? "FAILED" : "PASSED");
	return wrong != 0;
}
