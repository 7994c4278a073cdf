// Lanes that leave a loop of atomics wait behind it for those that go on, however many turns other loops have had meanwhile.
#include <cstdio>

typedef unsigned int u32;

const int LENGTH = 400, SLOTS = 64;

struct Slot {
    u32 taken;
    const char *text; // written after `taken`: all who come for the slot later are in step with who took it
};

// Each lane puts its text into a table, at the first free slot from where it begins. Texts differ in their last letter.
__global__ void probe(Slot *table, const char *texts, u32 *out)
{
    const char *mine = texts + threadIdx.x * LENGTH;
    u32 at = threadIdx.x % 4 * (SLOTS / 4);
    while (true) {
        u32 before = atomicCAS(&table[at].taken, 0, 1);
        if (before == 0)
            table[at].text = mine;
        __syncwarp(__activemask());
        if (before == 0)
            break;
        int same = 0;
        while (same < LENGTH && table[at].text[same] == mine[same])
            same++;
        if (same == LENGTH)
            break;
        at = (at + 1) % SLOTS;
    }
    out[threadIdx.x] = __activemask();
}

int main()
{
    Slot *table;
    char *texts;
    u32 *out;
    cudaMallocManaged(&table, SLOTS * sizeof *table);
    cudaMallocManaged(&texts, 32 * LENGTH);
    cudaMallocManaged(&out, 32 * sizeof *out);
    cudaMemset(table, 0, SLOTS * sizeof *table);
    for (int i = 0; i < 32 * LENGTH; i++)
        texts[i] = i % LENGTH == LENGTH - 1 ? 'A' + i / LENGTH : 'x';
    probe<<<1, 32>>>(table, texts, out);
    int apart = 0;
    cudaError_t e = cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++)
        apart += out[i] != ~0u;
    printf(e || apart ? "FAILED: %s, %d lanes apart\n" : "PASSED\n", cudaGetErrorString(e), apart);
    return e || apart;
}
