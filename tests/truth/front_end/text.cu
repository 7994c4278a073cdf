// Bytes: counting words and lines, changing case, searching a pattern, base64, CRC-32 of records, edit distances.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
#include <cstdint>

__device__ bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t'; }

__global__ void count_words(const char *text, int n, int *words, int *lines)
{
    int w = 0, l = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        char c = text[i];
        if (c == '\n') l++;
        if (!is_space(c) && (i == 0 || is_space(text[i - 1]))) w++;
    }
    __shared__ int bw, bl;
    if (threadIdx.x == 0) bw = bl = 0;
    __syncthreads();
    if (w) atomicAdd(&bw, w);
    if (l) atomicAdd(&bl, l);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(words, bw);
        atomicAdd(lines, bl);
    }
}

__global__ void rot13(char *text, int n)
{
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = 0; k < 4 && at + k < n; k++) {
        char c = text[at + k];
        if (c >= 'a' && c <= 'z')
            c = 'a' + (c - 'a' + 13) % 26;
        else if (c >= 'A' && c <= 'Z')
            c = 'A' + (c - 'A' + 13) % 26;
        text[at + k] = c;
    }
}

__global__ void find_pattern(const char *__restrict__ text, int n, const char *__restrict__ pattern, int m, unsigned char *found)
{
    extern __shared__ char pat[];
    for (int i = threadIdx.x; i < m; i += blockDim.x) pat[i] = pattern[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - m) return;
    int k = 0;
    while (k < m && (text[i + k] == pat[k] || pat[k] == '?')) k++;
    found[i] = k == m;
}

__constant__ char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void base64(const unsigned char *in, char4 *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = 3 * t;
    if (i >= n) return;
    unsigned v = in[i] << 16;
    if (i + 1 < n) v |= in[i + 1] << 8;
    if (i + 2 < n) v |= in[i + 2];
    char4 r;
    r.x = alphabet[v >> 18];
    r.y = alphabet[v >> 12 & 63];
    r.z = i + 1 < n ? alphabet[v >> 6 & 63] : '=';
    r.w = i + 2 < n ? alphabet[v & 63] : '=';
    out[t] = r;
}

__global__ void crc32_records(const uint8_t *data, const int *start, int records, uint32_t *crc)
{
    __shared__ uint32_t table[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    __syncthreads();
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < records) {
        uint32_t c = ~0u;
        for (int i = start[r]; i < start[r + 1]; i++) c = table[(c ^ data[i]) & 0xff] ^ (c >> 8);
        crc[r] = ~c;
    }
}

#define LEN 20
__global__ void edit_distance(const char *a, const char *b, int pairs, int *distance)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    a += p * LEN;
    b += p * LEN;
    unsigned char row[LEN + 1];
    int la = 0, lb = 0;
    while (la < LEN && a[la]) la++;
    while (lb < LEN && b[lb]) lb++;
    for (int j = 0; j <= lb; j++) row[j] = j;
    for (int i = 1; i <= la; i++) {
        int diag = row[0];
        row[0] = i;
        for (int j = 1; j <= lb; j++) {
            int up = row[j], cost = diag + (a[i - 1] != b[j - 1]);
            cost = min(cost, min(up, (int)row[j - 1]) + 1);
            diag = up;
            row[j] = cost;
        }
    }
    distance[p] = row[lb];
}

template <class T> struct Device {
    T *p;
    size_t n;
    explicit Device(size_t n_) : n(n_) { cudaMalloc(&p, n * sizeof(T)); cudaMemset(p, 0, n * sizeof(T)); }
    Device(const T *h, size_t n_) : Device(n_) { cudaMemcpy(p, h, n * sizeof(T), cudaMemcpyHostToDevice); }
    ~Device() { cudaFree(p); }
    std::vector<T> host() const { std::vector<T> v(n); cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }
};

int main()
{
    static const char *words[] = {"the", "Quick", "brown", "fox", "jumps", "over", "A", "lazy", "dog;", "kernel", "Thread"};
    std::string text;
    for (unsigned i = 0; text.size() < 50000; i++) {
        text += words[i * 2654435761u % 4294967291u % 11];
        text += i % 13 == 12 ? '\n' : i % 29 == 28 ? '\t' : ' ';
    }
    const int n = (int)text.size();
    bool ok = true;
    Device<char> t(text.data(), n);
    Device<int> count(2);
    count_words<<<9, 224>>>(t.p, n, count.p, count.p + 1);
    int w = 0, l = 0;
    for (int i = 0; i < n; i++) {
        auto sp = [&](int k) { return text[k] == ' ' || text[k] == '\n' || text[k] == '\t'; };
        l += text[i] == '\n';
        w += !sp(i) && (i == 0 || sp(i - 1));
    }
    auto c = count.host();
    ok &= c[0] == w && c[1] == l;

    const char *pattern = "f?x jumps";
    const int m = (int)strlen(pattern);
    Device<char> pat(pattern, m);
    Device<unsigned char> found(n);
    find_pattern<<<(n + 255) / 256, 256, m>>>(t.p, n, pat.p, m, found.p);
    auto f = found.host();
    for (int i = 0; i + m <= n; i++) {
        bool same = true;
        for (int k = 0; k < m; k++) same &= pattern[k] == '?' || pattern[k] == text[i + k];
        ok &= f[i] == same;
    }

    const int part = 20011, quads = (part + 2) / 3;
    Device<char4> enc(quads);
    base64<<<(quads + 127) / 128, 128>>>((unsigned char *)t.p, enc.p, part);
    auto e = enc.host();
    const char *abc = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int q = 0; q < quads; q++) {
        unsigned char x[3] = {0, 0, 0};
        for (int k = 0; k < 3 && 3 * q + k < part; k++) x[k] = text[3 * q + k];
        ok &= e[q].x == abc[x[0] >> 2] && e[q].y == abc[(x[0] & 3) << 4 | x[1] >> 4];
        ok &= e[q].z == (3 * q + 1 < part ? abc[(x[1] & 15) << 2 | x[2] >> 6] : '=');
        ok &= e[q].w == (3 * q + 2 < part ? abc[x[2] & 63] : '=');
    }

    std::vector<int> start(1, 0);
    for (int r = 0; start.back() + 120 < n; r++) start.push_back(start.back() + 30 + r * 37 % 90);
    const int records = (int)start.size() - 1;
    Device<int> st(start.data(), start.size());
    Device<uint32_t> crc(records);
    crc32_records<<<(records + 63) / 64, 64>>>((uint8_t *)t.p, st.p, records, crc.p);
    auto got = crc.host();
    for (int r = 0; r < records; r++) {
        uint32_t v = ~0u;
        for (int i = start[r]; i < start[r + 1]; i++) {
            v ^= (unsigned char)text[i];
            for (int k = 0; k < 8; k++) v = v & 1 ? 0xedb88320u ^ (v >> 1) : v >> 1;
        }
        ok &= got[r] == ~v;
    }

    const int pairs = 1400;
    std::vector<char> a(pairs * LEN), b(pairs * LEN);
    for (int p = 0; p < pairs; p++) {
        int la = 8 + p % 13, lb = 6 + p * 7 % 15;
        for (int i = 0; i < la && i < LEN; i++) a[p * LEN + i] = 'a' + (p * 31 + i * i * 7) % 5;
        for (int i = 0; i < lb && i < LEN; i++) b[p * LEN + i] = 'a' + (p * 17 + i * 3) % 5;
    }
    Device<char> da(a.data(), a.size()), db(b.data(), b.size());
    Device<int> dist(pairs);
    edit_distance<<<(pairs + 127) / 128, 128>>>(da.p, db.p, pairs, dist.p);
    auto dd = dist.host();
    for (int p = 0; p < pairs; p++) {
        const char *x = &a[p * LEN], *y = &b[p * LEN];
        int la = 0, lb = 0, D[LEN + 1][LEN + 1];
        while (la < LEN && x[la]) la++;
        while (lb < LEN && y[lb]) lb++;
        for (int i = 0; i <= la; i++)
            for (int j = 0; j <= lb; j++) {
                if (!i || !j) { D[i][j] = i + j; continue; }
                int v = D[i - 1][j - 1] + (x[i - 1] != y[j - 1]);
                if (D[i - 1][j] + 1 < v) v = D[i - 1][j] + 1;
                if (D[i][j - 1] + 1 < v) v = D[i][j - 1] + 1;
                D[i][j] = v;
            }
        ok &= dd[p] == D[la][lb];
    }

    rot13<<<(n / 4 + 256) / 256, 256>>>(t.p, n);
    auto r = t.host();
    for (int i = 0; i < n; i++) {
        char x = text[i];
        if (x >= 'a' && x <= 'z') x = 'a' + (x - 'a' + 13) % 26;
        if (x >= 'A' && x <= 'Z') x = 'A' + (x - 'A' + 13) % 26;
        ok &= r[i] == x;
    }
    ok &= cudaDeviceSynchronize() == cudaSuccess;
    puts(ok ? "PASSED" : "FAILED");
    return !ok;
}
