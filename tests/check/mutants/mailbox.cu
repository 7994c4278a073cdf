// A running kernel and the host send each other numbers through mapped memory, with fences of the
// system's scope.
#include <atomic>
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int MAILS = 5;
struct mailbox {
    volatile int asked, answered;
    int question, answer;
};

__global__ void serve(mailbox *m)
{
    for (int i = 1; i <= MAILS; i++) {
        while (m->asked != i)
            ;
        if (BUG != 5)
            __threadfence_system();
        m->answer = m->question * 2; // @serve
        if (BUG == 2)
            __threadfence_block();
        else if (BUG != 1)
            __threadfence_system();
        m->answered = i;
    }
}

int main()
{
    mailbox *m, *d;
    int bad = 0;
    cudaHostAlloc((void **)&m, sizeof *m, cudaHostAllocMapped);
    m->asked = m->answered = 0;
    cudaHostGetDevicePointer((void **)&d, (void *)m, 0);
    serve<<<1, 1>>>(d);
    cudaStreamQuery(0);
    for (int i = 1; i <= MAILS; i++) {
        if (BUG == 3)
            m->asked = i;
        m->question = i * 10; // @ask
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (BUG != 3)
            m->asked = i;
        if (BUG == 4)
            bad += m->answer != i * 20; // @answer_early
        while (m->answered != i)
            ;
        std::atomic_thread_fence(std::memory_order_seq_cst);
        bad += m->answer != i * 20; // @answer
    }
    cudaDeviceSynchronize();
    puts(bad ? "FAILED" : "PASSED");
    cudaFreeHost((void *)m);
}
