// Hash functions and what is built of them: MurmurHash3 of strings, SipHash, chains of buckets, a Bloom filter, a sketch of counts.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

__host__ __device__ inline uint32_t rotl32(uint32_t x, int r) { return x << r | x >> (32 - r); }
__host__ __device__ inline uint64_t rotl64(uint64_t x, int r) { return x << r | x >> (64 - r); }

__host__ __device__ inline uint32_t murmur3(const uint8_t *key, int len, uint32_t seed)
{
	uint32_t h = seed;
	const uint32_t c1 = 0xcc9e2d51, c2 = 0x1b873593;
	int i = 0;
	for (; i + 4 <= len; i += 4) {
		uint32_t k = key[i] | key[i + 1] << 8 | key[i + 2] << 16 | (uint32_t)key[i + 3] << 24;
		k *= c1;
		k = rotl32(k, 15);
		k *= c2;
		h ^= k;
		h = rotl32(h, 13);
		h = h * 5 + 0xe6546b64;
	}
	uint32_t k = 0;
	switch (len & 3) {
	case 3: k ^= key[i + 2] << 16; // fall through
	case 2: k ^= key[i + 1] << 8;  // fall through
	case 1:
		k ^= key[i];
		k *= c1;
		k = rotl32(k, 15);
		k *= c2;
		h ^= k;
	}
	h ^= len;
	h ^= h >> 16;
	h *= 0x85ebca6b;
	h ^= h >> 13;
	h *= 0xc2b2ae35;
	return h ^ h >> 16;
}

struct Sip {
	uint64_t v0, v1, v2, v3;
	__host__ __device__ void round()
	{
		v0 += v1; v1 = rotl64(v1, 13); v1 ^= v0; v0 = rotl64(v0, 32);
		v2 += v3; v3 = rotl64(v3, 16); v3 ^= v2;
		v0 += v3; v3 = rotl64(v3, 21); v3 ^= v0;
		v2 += v1; v1 = rotl64(v1, 17); v1 ^= v2; v2 = rotl64(v2, 32);
	}
};

__host__ __device__ inline uint64_t siphash(const uint64_t *word, int words, uint64_t k0, uint64_t k1)
{
	Sip s = {k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull, k0 ^ 0x6c7967656e657261ull, k1 ^ 0x7465646279746573ull};
	for (int i = 0; i <= words; i++) {
		uint64_t m = i < words ? word[i] : (uint64_t)(words * 8) << 56;
		s.v3 ^= m;
		s.round();
		s.round();
		s.v0 ^= m;
	}
	s.v2 ^= 0xff;
	for (int i = 0; i < 4; i++)
		s.round();
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

__global__ void murmur_strings(const uint8_t *text, const int *start, uint32_t *hash, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		hash[i] = murmur3(text + start[i], start[i + 1] - start[i], 42);
}

__global__ void siphash_records(const uint64_t *records, int words, uint64_t *tag, uint64_t k0, uint64_t k1, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		tag[i] = siphash(records + i * words, words, k0, k1);
}

struct Entry {
	uint32_t key;
	int value;
	int next;
};

// the head of a chain is swapped, so that nobody waits
__global__ void chain_insert(Entry *entry, const uint32_t *key, int *head, int bits, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	Entry e;
	e.key = key[i];
	e.value = i * 3;
	e.next = atomicExch(&head[e.key * 2654435769u >> (32 - bits)], i);
	entry[i] = e;
}

// the chains here were made by the host
__global__ void chain_find(const Entry *entry, const int *head, int bits, const uint32_t *query, int *value, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	uint32_t q = query[i];
	int at = head[q * 2654435769u >> (32 - bits)], found = -1;
	while (at >= 0) {
		if (entry[at].key == q) {
			found = entry[at].value;
			break;
		}
		at = entry[at].next;
	}
	value[i] = found;
}

__global__ void bloom_add(uint32_t *filter, unsigned mask, const uint64_t *key, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	uint64_t h = key[i] * 0x9e3779b97f4a7c15ull;
	uint32_t a = h >> 32, b = (uint32_t)h | 1;
	for (int k = 0; k < 5; k++, a += b)
		atomicOr(&filter[(a & mask) >> 5], 1u << (a & 31));
}

__global__ void bloom_test(const uint32_t *filter, unsigned mask, const uint64_t *key, uint32_t *answer, int *hits, int n)
{
	__shared__ int count;
	if (threadIdx.x == 0)
		count = 0;
	__syncthreads();
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	bool in = i < n;
	if (in) {
		uint64_t h = key[i] * 0x9e3779b97f4a7c15ull;
		uint32_t a = h >> 32, b = (uint32_t)h | 1;
		for (int k = 0; in && k < 5; k++, a += b)
			in = filter[(a & mask) >> 5] >> (a & 31) & 1;
	}
	uint32_t word = __ballot_sync(0xffffffff, in);
	if (threadIdx.x % 32 == 0) {
		if (i < n)
			answer[i / 32] = word;
		atomicAdd(&count, __popc(word));
	}
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(hits, count);
}

template <int DEPTH>
__global__ void count_min(const uint32_t *item, int n, int *table, int width)
{
	extern __shared__ int local[];
	for (int i = threadIdx.x; i < DEPTH * width; i += blockDim.x)
		local[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		uint32_t x = item[i];
#pragma unroll
		for (int d = 0; d < DEPTH; d++) {
			x = (x ^ x >> 15) * (0x2c1b3c6du + 2 * d);
			atomicAdd(&local[d * width + (x >> 7) % width], 1);
		}
	}
	__syncthreads();
	for (int i = threadIdx.x; i < DEPTH * width; i += blockDim.x)
		if (local[i] != 0)
			atomicAdd(&table[i], local[i]);
}

template <class T> T *up(const std::vector<T> &v)
{
	T *d;
	cudaMalloc(&d, v.size() * sizeof(T));
	cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
	return d;
}
template <class T> std::vector<T> down(const T *d, size_t n)
{
	std::vector<T> v(n);
	cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost);
	return v;
}
static int wrong;
static void expect(bool ok, const char *what)
{
	if (!ok && wrong++ < 5)
		printf("wrong: %s\n", what);
}

int main()
{
	const int n = 2500;
	std::vector<int> start(1, 0);
	std::string text;
	for (int i = 0; i < n; i++) {
		text += std::string("the quick brown fox jumps over").substr(i % 11, 3 + i % 17) + std::to_string(i);
		start.push_back((int)text.size());
	}
	std::vector<uint8_t> bytes(text.begin(), text.end());
	uint8_t *dtext = up(bytes);
	int *dstart = up(start);
	uint32_t *dh = up(std::vector<uint32_t>(n));
	murmur_strings<<<(n + 127) / 128, 128>>>(dtext, dstart, dh, n);
	auto h = down(dh, n);
	for (int i = 0; i < n; i++)
		expect(h[i] == murmur3(&bytes[start[i]], start[i + 1] - start[i], 42), "murmur");

	const int records = 3000, words = 3;
	std::vector<uint64_t> rec(records * words);
	for (size_t i = 0; i < rec.size(); i++)
		rec[i] = i * 0xd1342543de82ef95ull + 99;
	uint64_t *drec = up(rec), *dtag = up(std::vector<uint64_t>(records));
	siphash_records<<<10, 128>>>(drec, words, dtag, 0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull, records);
	auto tag = down(dtag, records);
	for (int i = 0; i < records; i++)
		expect(tag[i] == siphash(&rec[i * words], words, 0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull), "siphash");

	const int bits = 11, keys = 4000;
	std::vector<uint32_t> key(keys);
	for (int i = 0; i < keys; i++)
		key[i] = (uint32_t)i * 40503u + 7;
	Entry *dentry;
	cudaMalloc(&dentry, keys * sizeof(Entry));
	uint32_t *dkey = up(key);
	int *dhead = up(std::vector<int>(1 << bits, -1));
	chain_insert<<<(keys + 255) / 256, 256>>>(dentry, dkey, dhead, bits, keys);
	auto head = down(dhead, 1 << bits);
	auto entry = down(dentry, keys);
	std::vector<int> seen(keys, 0);
	for (int b = 0; b < 1 << bits; b++)
		for (int at = head[b]; at >= 0; at = entry[at].next) {
			expect(at < keys && !seen[at]++ && entry[at].key == key[at] && entry[at].key * 2654435769u >> (32 - bits) == (uint32_t)b, "chain");
			if (wrong)
				break;
		}
	for (int i = 0; i < keys; i++)
		expect(seen[i] == 1, "chain holds all");

	std::vector<int> hh(1 << bits, -1);
	for (int i = 0; i < keys; i++) {
		int &b = hh[key[i] * 2654435769u >> (32 - bits)];
		entry[i] = {key[i], i * 3, b};
		b = i;
	}
	std::vector<uint32_t> query(3000);
	for (int i = 0; i < 3000; i++)
		query[i] = i % 3 == 1 ? i * 77777u + 1 : key[i * 31 % keys];
	Entry *de2 = up(entry);
	int *dh2 = up(hh), *dval = up(std::vector<int>(3000));
	uint32_t *dquery = up(query);
	chain_find<<<(3000 + 95) / 96, 96>>>(de2, dh2, bits, dquery, dval, 3000);
	auto val = down(dval, 3000);
	for (int i = 0; i < 3000; i++) {
		int want = -1;
		for (int at = hh[query[i] * 2654435769u >> (32 - bits)]; at >= 0 && want < 0; at = entry[at].next)
			if (entry[at].key == query[i])
				want = entry[at].value;
		expect(val[i] == want, "find");
	}

	const unsigned mask = (1 << 15) - 1;
	uint32_t *dfilter = up(std::vector<uint32_t>((mask + 1) / 32, 0)), *danswer = up(std::vector<uint32_t>(100, 0));
	int *dhits = up(std::vector<int>(1, 0));
	bloom_add<<<12, 160>>>(dfilter, mask, drec, 1900);
	bloom_test<<<12, 256>>>(dfilter, mask, drec + 500, danswer, dhits, 3000);
	auto filter = down(dfilter, (mask + 1) / 32), answer = down(danswer, 100);
	std::vector<uint32_t> wf((mask + 1) / 32, 0);
	for (int i = 0; i < 1900; i++) {
		uint64_t x = rec[i] * 0x9e3779b97f4a7c15ull;
		uint32_t a = x >> 32, b = (uint32_t)x | 1;
		for (int k = 0; k < 5; k++, a += b)
			wf[(a & mask) / 32] |= 1u << (a % 32);
	}
	expect(wf == filter, "filter");
	int hits = 0;
	for (int i = 0; i < 3000; i++) {
		uint64_t x = rec[500 + i] * 0x9e3779b97f4a7c15ull;
		uint32_t a = x >> 32, b = (uint32_t)x | 1, in = 1;
		for (int k = 0; k < 5; k++, a += b)
			in &= wf[(a & mask) / 32] >> (a % 32) & 1;
		hits += in;
		expect((answer[i / 32] >> i % 32 & 1) == in, "answer");
	}
	expect(down(dhits, 1)[0] == hits, "hits");

	const int width = 96;
	int *dtable = up(std::vector<int>(4 * width, 0));
	count_min<4><<<8, 128, 4 * width * sizeof(int)>>>(dquery, 3000, dtable, width);
	auto table = down(dtable, 4 * width);
	std::vector<int> wt(4 * width, 0);
	for (uint32_t x : query)
		for (int d = 0; d < 4; d++) {
			x = (x ^ x >> 15) * (0x2c1b3c6du + 2 * d);
			wt[d * width + (x >> 7) % width]++;
		}
	expect(wt == table, "sketch");
	expect(cudaGetLastError() == cudaSuccess, "no error");
	printf("%d hits\n%s\n", hits, wrong ? "FAILED" : "PASSED");
	return wrong != 0;
}
