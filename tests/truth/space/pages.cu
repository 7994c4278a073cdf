// What of the addresses around allocations does a GPU map? Each line of `jobs` is one question:
//     list NAME OPS                                      the addresses that the operations give, one row each
//     walk NAME TARGET KIND FROM TO STEP GRID OPS        which 4 KiB pages around an allocation can be reached
// OPS, separated by blanks: a:N cudaMalloc, y:N cudaMallocAsync, p:WxH cudaMallocPitch, h:N cudaMallocHost,
// u:N cudaMallocManaged, g the address of a __device__ variable, f:I free what operation I gave, s set all that is there to 0xff.
// a:NxK is K operations. N may end in K or M.
// A walk goes from `FROM` to `TO` (bytes from the target's first byte, `end+N` from its last; TO below FROM goes down) in steps of STEP.
// KIND r reads all words of each page, w reads and writes back its first. After a page that is not there (an illegal access ends the
// context, so each such page takes a process of its own) it goes on at the next multiple of GRID.
//     nvcc -O2 -arch=sm_90 -o pages pages.cu && ./pages jobs seconds parallel list.tsv walk.tsv
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>
#include <deque>
#include <sys/wait.h>
#include <unistd.h>
#include <cuda_runtime.h>

__device__ unsigned variable[4] = {0x11111111, 0x22222222, 0x33333333, 0x44444444};
__device__ unsigned nonzero;

__global__ void touch(uint64_t at, unsigned words, int write)
{
    volatile unsigned *p = (volatile unsigned *)at;
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) {
        unsigned v = p[i];
        if (write && !i) p[0] = v;
        if (v) atomicAdd(&nonzero, 1);
    }
}

struct piece { uint64_t address, bytes; char how; bool freed; };
struct job { std::string name, ops, from, to; int target; char kind; int64_t step, grid, skip; bool walk; int rep; };

static int64_t number(const char *s)
{
    char *end;
    int64_t n = strtoll(s, &end, 0);
    return *end == 'M' ? n << 20 : *end == 'K' ? n << 10 : n;
}

static void must(cudaError_t e, const char *what)
{
    if (e) { fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); fflush(stderr); _exit(9); }
}

static void one_op(std::vector<piece> &all, const std::string &op)
{
    piece p = {0, 0, op[0], false};
    void *v = nullptr;
    const char *arg = op.size() > 2 ? op.c_str() + 2 : "";
    int64_t n = number(arg);
    size_t pitch = 0;
    p.bytes = n;
    switch (op[0]) {
    case 'a': must(cudaMalloc(&v, n), "cudaMalloc"); break;
    case 'y': must(cudaMallocAsync(&v, n, 0), "cudaMallocAsync"); must(cudaDeviceSynchronize(), "sync"); break;
    case 'p': { int64_t h = number(strchr(arg, 'x') + 1); must(cudaMallocPitch(&v, &pitch, n, h), "cudaMallocPitch"); p.bytes = pitch * h; break; }
    case 'h': must(cudaMallocHost(&v, n), "cudaMallocHost"); break;
    case 'u': must(cudaMallocManaged(&v, n), "cudaMallocManaged"); break;
    case 'g': must(cudaGetSymbolAddress(&v, variable), "cudaGetSymbolAddress"); p.bytes = sizeof variable; break;
    case 's':
        for (piece &q : all) if (!q.freed && q.how != 'g') must(cudaMemset((void *)q.address, 0xff, q.bytes), "cudaMemset");
        break;
    case 'f': {
        piece &q = all[n];
        q.freed = true;
        if (q.how == 'y') { must(cudaFreeAsync((void *)q.address, 0), "cudaFreeAsync"); must(cudaDeviceSynchronize(), "sync"); }
        else if (q.how == 'h') must(cudaFreeHost((void *)q.address), "cudaFreeHost");
        else must(cudaFree((void *)q.address), "cudaFree");
        p.address = q.address; p.bytes = q.bytes;
        all.push_back(p);
        return;
    }
    default: fprintf(stderr, "operation %s?\n", op.c_str()); _exit(9);
    }
    p.address = (uint64_t)v;
    all.push_back(p);
}

static std::vector<piece> perform(const std::string &ops)
{
    std::vector<piece> all;
    size_t at = 0;
    while (at < ops.size()) {
        size_t end = ops.find(' ', at);
        std::string op = ops.substr(at, end == std::string::npos ? end : end - at);
        at = end == std::string::npos ? ops.size() : end + 1;
        if (op.empty()) continue;
        size_t x = op[0] == 'p' ? std::string::npos : op.find('x');
        int times = x == std::string::npos ? 1 : atoi(op.c_str() + x + 1);
        if (x != std::string::npos) op = op.substr(0, x);
        for (int i = 0; i < times; i++) one_op(all, op);
    }
    return all;
}

// The rows of one list.
static void list(FILE *out, const job &j)
{
    std::vector<piece> all = perform(j.ops);
    for (size_t i = 0; i < all.size(); i++)
        fprintf(out, "%s\t%d\t%zu\t%c\t%llu\t0x%llx\t%lld\n", j.name.c_str(), j.rep, i, all[i].how, (unsigned long long)all[i].bytes,
                (unsigned long long)all[i].address, (long long)(all[i].address - all[0].address));
}

static int64_t place(const std::string &s, const piece &t)
{
    return s.compare(0, 3, "end") ? number(s.c_str()) : (int64_t)t.bytes + (s.size() > 3 ? number(s.c_str() + (s[3] == '+' ? 4 : 3)) : 0);
}

// Goes until the end or the first page that is not there; the latter is the exit status 3, and *next is where to go on.
static int walk(FILE *out, const job &j, int64_t *next)
{
    std::vector<piece> all = perform(j.ops);
    const piece &t = all[j.target];
    int64_t from = j.skip != INT64_MIN ? j.skip : place(j.from, t), to = place(j.to, t), dir = to < from ? -1 : 1;
    int64_t page = 4096, first = INT64_MIN, last = 0;
    // the page that holds the first byte of the way
    int64_t at = (int64_t)((t.address + from) / page * page - t.address);
    uint64_t filled = 0;
    unsigned count;
    auto flush = [&](const char *word, int64_t lo, int64_t hi, int error) {
        fprintf(out, "%s\t%d\t%d\t%c\t0x%llx\t%llu\t%s\t%lld\t%lld\t0x%llx\t%d\t%llu\n", j.name.c_str(), j.rep, j.target, j.kind,
                (unsigned long long)t.address, (unsigned long long)t.bytes, word, (long long)lo, (long long)hi,
                (unsigned long long)(t.address + lo), error, (unsigned long long)filled);
        fflush(out);
    };
    for (; dir > 0 ? at < to : at + page > to; at += dir * j.step) {
        unsigned zero = 0;
        must(cudaMemcpyToSymbol(nonzero, &zero, 4), "set");
        touch<<<1, 128>>>(t.address + at, 1024, j.kind == 'w');
        cudaError_t e = cudaDeviceSynchronize();
        if (e) {
            if (first != INT64_MIN) flush("there", dir > 0 ? first : last, (dir > 0 ? last : first) + page, 0);
            filled = 0;
            flush("missing", at, at + page, (int)e);
            uint64_t a = t.address + at;
            *next = dir > 0 ? (int64_t)((a / j.grid + 1) * j.grid - t.address) : (int64_t)(a / j.grid * j.grid - t.address) - page;
            return (dir > 0 ? *next < to : *next + page > to) ? 3 : 0;
        }
        must(cudaMemcpyFromSymbol(&count, nonzero, 4), "get");
        filled += count;
        if (first == INT64_MIN) first = at;
        last = at;
    }
    if (first != INT64_MIN) flush("there", dir > 0 ? first : last, (dir > 0 ? last : first) + page, 0);
    return 0;
}

static std::vector<std::string> fields(char *line, int most)
{
    std::vector<std::string> f;
    char *at = line;
    while (*at && (int)f.size() < most - 1) {
        char *end = strpbrk(at, " \n");
        if (!end) break;
        f.push_back(std::string(at, end - at));
        at = end + 1;
        while (*at == ' ') at++;
    }
    at[strcspn(at, "\n")] = 0;
    if (*at) f.push_back(at);
    return f;
}

static std::deque<job> read_jobs(const char *path)
{
    std::deque<job> jobs;
    char line[1000];
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        if (line[0] == '#' || line[0] == '\n') continue;
        job j = {};
        j.skip = INT64_MIN;
        j.walk = !strncmp(line, "walk", 4);
        std::vector<std::string> w = fields(line, j.walk ? 9 : 3);
        if ((int)w.size() != (j.walk ? 9 : 3)) { fprintf(stderr, "cannot read: %s\n", line); exit(1); }
        j.name = w[1];
        j.ops = w.back();
        if (j.walk) { j.target = atoi(w[2].c_str()); j.kind = w[3][0]; j.from = w[4]; j.to = w[5]; j.step = number(w[6].c_str()); j.grid = number(w[7].c_str()); }
        for (j.rep = 0; j.rep < (j.walk ? 1 : 3); j.rep++) jobs.push_back(j);
    }
    return jobs;
}

static void append(FILE *to, const std::string &path)
{
    char text[4096];
    FILE *f = fopen(path.c_str(), "r");
    while (f && fgets(text, sizeof text, f)) fputs(text, to);
    if (f) fclose(f);
    unlink(path.c_str());
}

int main(int argc, char **argv)
{
    if (argc < 6) { fprintf(stderr, "usage: pages jobs seconds parallel list.tsv walk.tsv\n"); return 1; }
    std::deque<job> jobs = read_jobs(argv[1]);
    double limit = atof(argv[2]);
    int parallel = atoi(argv[3]), made = 0, bad = 0;
    FILE *lists = fopen(argv[4], "w"), *walks = fopen(argv[5], "w");
    struct running { pid_t pid; job j; std::string file; };
    std::vector<running> busy;
    time_t begin = time(nullptr);
    if (!lists || !walks) { perror("open"); return 1; }
    fprintf(lists, "scenario\trep\tindex\top\tbytes\taddress\tfrom_first\n");
    fprintf(walks, "scenario\trep\ttarget\tkind\ttarget_address\ttarget_bytes\tstate\tfrom\tto\taddress\terror\tnonzero_words\n");
    while (!busy.empty() || (!jobs.empty() && difftime(time(nullptr), begin) < limit)) {
        while ((int)busy.size() < parallel && !jobs.empty() && difftime(time(nullptr), begin) < limit) {
            job j = jobs.front();
            jobs.pop_front();
            std::string file = std::string(argv[5]) + ".part" + std::to_string(made++);
            pid_t pid = fork(); // before any call of CUDA: each child has a context of its own
            if (!pid) {
                FILE *out = fopen(file.c_str(), "w"), *more;
                int64_t next = 0;
                alarm(60);
                if (!j.walk) { list(out, j); fclose(out); _exit(0); }
                int rc = walk(out, j, &next);
                fclose(out);
                if (rc == 3 && (more = fopen((file + ".next").c_str(), "w"))) { fprintf(more, "%lld\n", (long long)next); fclose(more); }
                _exit(rc);
            }
            busy.push_back({pid, j, file});
        }
        int status;
        pid_t pid = wait(&status);
        for (size_t i = 0; i < busy.size(); i++) {
            if (busy[i].pid != pid) continue;
            running r = busy[i];
            busy.erase(busy.begin() + i);
            append(r.j.walk ? walks : lists, r.file);
            int rc = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
            if (rc == 3) {
                FILE *more = fopen((r.file + ".next").c_str(), "r");
                long long next;
                if (more && fscanf(more, "%lld", &next) == 1) { r.j.skip = next; jobs.push_back(r.j); } // behind all that have not begun
                if (more) fclose(more);
                unlink((r.file + ".next").c_str());
            } else if (rc) {
                fprintf(stderr, "%s: ended with %d (%s)\n", r.j.name.c_str(), rc, r.j.ops.c_str());
                bad++;
            }
            break;
        }
    }
    printf("%d processes in %.0f s, %d went wrong, %zu jobs left out\n", made, difftime(time(nullptr), begin), bad, jobs.size());
    for (const job &j : jobs) printf("left out: %s target %d from %s\n", j.name.c_str(), j.target, j.skip != INT64_MIN ? std::to_string(j.skip).c_str() : j.from.c_str());
    return 0;
}
