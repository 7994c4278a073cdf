// Lines of text as a database reads them: fields to numbers and back, characters of UTF-8, patterns with stars, an automaton, Soundex.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

__device__ __forceinline__ bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Field {
    long long value; // in hundredths
    int length;
    int status; // 0: a number, 1: empty, 2: something else
};

// numbers as -123.45, one line a thread
__global__ void parse_money(const char *text, const int *start, Field *field, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const char *p = text + start[i], *end = text + start[i + 1];
    Field f = {0, (int)(end - p), 0};
    while (p < end && *p == ' ') p++;
    if (p == end) {
        f.status = 1;
        field[i] = f;
        return;
    }
    bool minus = *p == '-';
    if (minus || *p == '+') p++;
    long long v = 0;
    int digits = 0;
    for (; p < end && is_digit(*p); p++, digits++) v = v * 10 + (*p - '0');
    int places = 0;
    if (p < end && *p == '.') {
        for (p++; p < end && is_digit(*p) && places < 2; p++, places++) v = v * 10 + (*p - '0');
    }
    for (; places < 2; places++) v *= 10;
    if (!digits || p != end) f.status = 2;
    else f.value = minus ? -v : v;
    field[i] = f;
}

// right-aligned in 12 characters
__global__ void format_ints(const int *value, char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = value[i];
    unsigned u = v < 0 ? 0u - (unsigned)v : v;
    char buf[12];
    int at = 12;
    do {
        buf[--at] = '0' + u % 10;
        u /= 10;
    } while (u);
    if (v < 0) buf[--at] = '-';
    while (at > 0) buf[--at] = ' ';
    for (int k = 0; k < 12; k++) out[i * 12 + k] = buf[k];
}

// a warp a line: code points, and whether the continuation bytes are where they must be
__global__ void utf8_points(const unsigned char *text, const int *start, int *points, unsigned char *valid, int n) {
    int line = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (line >= n) return;
    int first = start[line], last = start[line + 1], count = 0;
    bool good = true;
    for (int base = first; base < last; base += 32) {
        int i = base + lane;
        bool leads = false;
        if (i < last) {
            unsigned char c = text[i];
            leads = (c & 0xc0) != 0x80;
            if (leads) {
                int follow = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
                for (int k = 1; k <= follow; k++)
                    if (i + k >= last || (text[i + k] & 0xc0) != 0x80) good = false;
                if (i + follow + 1 < last && (text[i + follow + 1] & 0xc0) == 0x80) good = false;
            } else if (i == first)
                good = false;
        }
        count += __popc(__ballot_sync(0xffffffff, leads));
    }
    good = __all_sync(0xffffffff, good);
    if (lane == 0) {
        points[line] = count;
        valid[line] = good;
    }
}

__constant__ char glob_pattern[32];

__host__ __device__ bool glob(const char *p, const char *s, int len) {
    int i = 0, j = 0, star = -1, mark = 0;
    while (i < len) {
        if (p[j] == '*') {
            star = j++;
            mark = i;
        } else if (p[j] == '?' || p[j] == s[i]) {
            i++;
            j++;
        } else if (star >= 0) {
            j = star + 1;
            i = ++mark;
        } else
            return false;
    }
    while (p[j] == '*') j++;
    return p[j] == 0;
}

__global__ void glob_lines(const char *text, const int *start, bool *match, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) match[i] = glob(glob_pattern, text + start[i], start[i + 1] - start[i]);
}

// tokens of a small language by a table of states in shared memory; a thread scans a piece
__global__ void scan_tokens(const char *text, int length, int piece, const unsigned char *table, int states, int *tokens) {
    __shared__ unsigned char next[8 * 64];
    __shared__ int kinds[8];
    for (int i = threadIdx.x; i < states * 64; i += blockDim.x) next[i] = table[i];
    if (threadIdx.x < 8) kinds[threadIdx.x] = 0;
    __syncthreads();
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
    int state = 0;
    for (int i = first; i < min(first + piece, length); i++) {
        int to = next[state * 64 + (text[i] & 63)];
        if (to != state && to != 0) atomicAdd(&kinds[to], 1);
        state = to;
    }
    __syncthreads();
    if (threadIdx.x < states && kinds[threadIdx.x]) atomicAdd(&tokens[threadIdx.x], kinds[threadIdx.x]);
}

__host__ __device__ int soundex_code(char c) {
    switch (c) {
    case 'b': case 'f': case 'p': case 'v': return 1;
    case 'c': case 'g': case 'j': case 'k': case 'q': case 's': case 'x': case 'z': return 2;
    case 'd': case 't': return 3;
    case 'l': return 4;
    case 'm': case 'n': return 5;
    case 'r': return 6;
    case 'h': case 'w': return 7;
    default: return 0;
    }
}

__host__ __device__ unsigned soundex_of(const char *s, int len) {
    unsigned code = (unsigned)(s[0] - 32) << 24;
    int shift = 16, last = soundex_code(s[0]);
    for (int i = 1; i < len && shift >= 0; i++) {
        int k = soundex_code(s[i]);
        if (k == 7) continue;
        if (k && k != last) {
            code |= (unsigned)('0' + k) << shift;
            shift -= 8;
        }
        last = k;
    }
    for (; shift >= 0; shift -= 8) code |= (unsigned)'0' << shift;
    return code;
}

__global__ void soundex(const char *names, const int *start, unsigned *code, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        code[i] = soundex_of(names + start[i], start[i + 1] - start[i]);
}

struct Lines {
    std::string text;
    std::vector<int> start{0};
    void add(const std::string &s) {
        text += s;
        start.push_back((int)text.size());
    }
    int count() const { return (int)start.size() - 1; }
    std::string at(int i) const { return text.substr(start[i], start[i + 1] - start[i]); }
};
template <class T> T *up(const T *v, size_t n) {
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, v, n * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <class T> T *room(size_t n) {
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    return d;
}
template <class T> std::vector<T> down(const T *d, size_t n) {
    std::vector<T> v(n);
    cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
}
static int wrong;
static void expect(bool ok, const char *what, int i) {
    if (!ok && wrong++ < 5) printf("%s %d\n", what, i);
}

int main() {
    Lines money;
    for (int i = 0; i < 1700; i++) {
        char b[64];
        if (i % 23 == 0) b[0] = 0;
        else if (i % 19 == 0) snprintf(b, 64, "n/a %d", i);
        else snprintf(b, 64, "%s%d.%0*d", i % 5 ? "" : "   ", (i % 3 - 1) * i * 977 - 1, 1 + i % 2, i % 10);
        money.add(b);
    }
    int n = money.count();
    char *dt = up(money.text.data(), money.text.size());
    int *ds = up(money.start.data(), n + 1);
    Field *df = room<Field>(n);
    parse_money<<<(n + 127) / 128, 128>>>(dt, ds, df, n);
    auto f = down(df, n);
    for (int i = 0; i < n; i++) {
        std::string s = money.at(i);
        long long want = 0;
        int status = i % 23 == 0 ? 1 : i % 19 == 0 ? 2 : 0;
        if (!status) {
            std::string digits;
            for (char c : s.substr(0, s.find('.')) + (s.substr(s.find('.') + 1) + "0").substr(0, 2))
                if (c != ' ') digits += c;
            want = std::stoll(digits);
        }
        expect(f[i].status == status && f[i].value == want && f[i].length == (int)s.size(), "money", i);
    }

    std::vector<int> v(2000);
    for (int i = 0; i < 2000; i++) v[i] = i == 7 ? (int)0x80000000 : i % 2 ? i * 104729 : -(i * 7919) >> i % 20;
    char *dfmt = room<char>(12 * 2000);
    format_ints<<<(2000 + 63) / 64, 64>>>(up(v.data(), 2000), dfmt, 2000);
    auto fmt = down(dfmt, 12 * 2000);
    for (int i = 0; i < 2000; i++) {
        char b[16];
        snprintf(b, 16, "%12d", v[i]);
        expect(!memcmp(b, &fmt[12 * i], 12), "format", i);
    }

    Lines uni;
    const char *piece[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "word ", "\xce\xbb", "z"};
    std::vector<int> points;
    std::vector<bool> fine;
    for (int i = 0; i < 150; i++) {
        std::string s;
        int k = 0;
        for (; k < 3 + i % 40; k++) s += piece[(i * 5 + k * k) % 7 == 4 ? 6 : (i * 5 + k * k) % 7];
        bool bad = i % 7 == 3;
        if (bad) s += "\xe2\x82", k++;
        uni.add(s);
        points.push_back(k);
        fine.push_back(!bad);
    }
    int *dpoints = room<int>(150);
    unsigned char *dvalid = room<unsigned char>(150);
    utf8_points<<<(150 * 32 + 95) / 96, 96>>>((unsigned char *)up(uni.text.data(), uni.text.size()), up(uni.start.data(), 151), dpoints, dvalid, 150);
    auto gp = down(dpoints, 150);
    auto gv = down(dvalid, 150);
    for (int i = 0; i < 150; i++) expect(gp[i] == points[i] && (gv[i] != 0) == fine[i], "utf8", i);

    const char pattern[32] = "*ab?c*d*";
    cudaMemcpyToSymbol(glob_pattern, pattern, sizeof pattern);
    Lines words;
    for (int i = 0; i < 1300; i++) {
        std::string s;
        unsigned x = i * 2654435761u;
        for (int k = 0; k < 4 + i % 21; k++, x = x * 1664525u + 1013904223u) s += "aabbcd"[(x >> 20) % 6];
        words.add(s);
    }
    n = words.count();
    dt = up(words.text.data(), words.text.size());
    ds = up(words.start.data(), n + 1);
    bool *dm = room<bool>(n);
    glob_lines<<<(n + 95) / 96, 96>>>(dt, ds, dm, n);
    bool *m = new bool[n];
    cudaMemcpy(m, dm, n, cudaMemcpyDeviceToHost);
    int matches = 0;
    for (int i = 0; i < n; i++) {
        expect(m[i] == glob(pattern, words.at(i).c_str(), (int)words.at(i).size()), "glob", i);
        matches += m[i];
    }
    expect(matches > 20 && matches < n - 20, "matches", matches);

    // states: 0 blank, 1 word, 2 number, 3 sign
    unsigned char table[4 * 64];
    for (int s = 0; s < 4; s++)
        for (int c = 0; c < 64; c++) table[s * 64 + c] = c == 32 ? 0 : c >= 48 && c <= 57 ? (s == 1 ? 1 : 2) : c < 32 ? 1 : 3;
    std::string code;
    for (int i = 0; code.size() < 30000; i++) code += i % 3 == 0 ? "abc" + std::to_string(i) + " " : i % 3 == 1 ? "+ " : std::to_string(i) + "*x ";
    int *dtok = room<int>(8), length = (int)code.size();
    cudaMemset(dtok, 0, 32);
    scan_tokens<<<12, 64>>>(up(code.data(), code.size()), length, 41, up(table, 256), 4, dtok);
    auto tok = down(dtok, 4);
    int want[4] = {0, 0, 0, 0};
    for (int t = 0; t < 12 * 64; t++)
        for (int i = t * 41, s = 0; i < t * 41 + 41 && i < length; i++) {
            int to = table[s * 64 + (code[i] & 63)];
            if (to != s && to) want[to]++;
            s = to;
        }
    for (int s = 0; s < 4; s++) expect(tok[s] == want[s], "tokens", s);

    Lines names;
    const char *syllable[] = {"ash", "craft", "robert", "tym", "czak", "pfis", "ter", "hon", "ey", "man"};
    for (int i = 0; i < 1000; i++) names.add(std::string(syllable[i % 10]) + syllable[i / 10 % 10] + (i % 4 ? syllable[i / 100] : ""));
    unsigned *dcode = room<unsigned>(1000);
    soundex<<<8, 96>>>(up(names.text.data(), names.text.size()), up(names.start.data(), 1001), dcode, 1000);
    auto sx = down(dcode, 1000);
    for (int i = 0; i < 1000; i++) expect(sx[i] == soundex_of(names.at(i).c_str(), (int)names.at(i).size()), "soundex", i);
    expect(cudaGetLastError() == cudaSuccess, "no error", 0);
    printf("%d matches\n%s\n", matches, wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
