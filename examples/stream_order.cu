// Who waits for whom: streams, the default stream, events, host functions. (Seed row 25, the order rules.)
//
// The lesson. What is queued in one stream runs in that order. Different streams know nothing of each other, except
// through the default stream (stream 0): its work waits for all that was queued before in other streams, and later work
// in other streams waits for it. The seed stops here, but there are streams it does not hold for: those made with
// cudaStreamNonBlocking neither wait for the default stream nor are waited for. An event carries an order from one
// stream to another; a host function runs in its place in the stream; cudaMemcpy without Async waits like any work of
// the default stream, and the host waits for it. (The property that the seed calls asynEngineCount is asyncEngineCount.)
//
// Each round lets kernels write their number into a list, the first one slowly. Where an order is promised it is checked;
// where none is, only that both have run.
//
// The figures: a page of the report for each launch.
//   note: launches = 16, launch__grid_size = 1
#include "example.h"

const int SLOW = 5000;

struct list {
    int length, ids[8];
};

__global__ void note(list *to, int id, int turns)
{
    unsigned busy = id;
    for (int k = 0; k < turns; k++)
        busy = busy * 1664525u + 1013904223u + (busy >> 7);
    if (busy != 1) // always, but the compiler cannot know
        to->ids[atomicAdd(&to->length, 1)] = id;
}

static list *device_list;

static void forget()
{
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemset(device_list, 0, sizeof(list)));
    CHECK(cudaDeviceSynchronize());
}

static list noted()
{
    list l;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&l, device_list, sizeof l, cudaMemcpyDeviceToHost));
    return l;
}

static bool in_order(const list &l, int length)
{
    bool good = l.length == length;
    for (int i = 0; good && i < length; i++)
        good = l.ids[i] == i + 1;
    return good;
}

static void host_function(void *data)
{
    int *value = (int *)data;
    value[1] = value[0]; // what the copy before it in the stream has brought
}

int main()
{
    CHECK(cudaMalloc(&device_list, sizeof(list)));
    cudaStream_t s1, s2, apart;
    CHECK(cudaStreamCreate(&s1));
    CHECK(cudaStreamCreate(&s2));
    CHECK(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));

    forget();
    note<<<1, 1, 0, s1>>>(device_list, 1, SLOW);
    note<<<1, 1, 0, s1>>>(device_list, 2, 0);
    note<<<1, 1, 0, s1>>>(device_list, 3, 0);
    expect(in_order(noted(), 3), "one stream: as queued");

    forget();
    note<<<1, 1, 0, s1>>>(device_list, 1, SLOW);
    note<<<1, 1>>>(device_list, 2, SLOW);
    note<<<1, 1, 0, s2>>>(device_list, 3, 0);
    expect(in_order(noted(), 3), "the default stream waits for others, and others wait for it");

    forget();
    note<<<1, 1, 0, cudaStreamPerThread>>>(device_list, 1, SLOW);
    note<<<1, 1>>>(device_list, 2, 0);
    expect(in_order(noted(), 2), "a thread's own default stream is one of those others");

    forget();
    note<<<1, 1, 0, s1>>>(device_list, 1, SLOW);
    note<<<1, 1, 0, s2>>>(device_list, 2, 0);
    expect(noted().length == 2, "two streams: both run, in any order");

    forget();
    note<<<1, 1, 0, apart>>>(device_list, 1, SLOW);
    note<<<1, 1>>>(device_list, 2, 0);
    expect(noted().length == 2, "a non-blocking stream and the default stream: in any order");

    forget();
    cudaEvent_t done;
    CHECK(cudaEventCreate(&done));
    note<<<1, 1, 0, apart>>>(device_list, 1, SLOW);
    CHECK(cudaEventRecord(done, apart));
    CHECK(cudaStreamWaitEvent(s1, done, 0));
    note<<<1, 1, 0, s1>>>(device_list, 2, 0);
    expect(in_order(noted(), 2), "an event orders what else would not be");
    expect(cudaEventQuery(done) == cudaSuccess, "and has happened");

    forget();
    int *seen;
    CHECK(cudaMallocHost(&seen, 2 * sizeof(int)));
    seen[0] = seen[1] = 0;
    note<<<1, 1, 0, s1>>>(device_list, 1, SLOW);
    CHECK(cudaMemcpyAsync(seen, &device_list->length, sizeof(int), cudaMemcpyDeviceToHost, s1));
    CHECK(cudaLaunchHostFunc(s1, host_function, seen));
    CHECK(cudaStreamSynchronize(s1));
    expect(seen[0] == 1 && seen[1] == 1, "kernel, copy and host function in their order");
    expect(cudaStreamQuery(s1) == cudaSuccess, "and the stream is empty");

    forget();
    note<<<1, 1, 0, s2>>>(device_list, 1, SLOW);
    int length = 0;
    CHECK(cudaMemcpy(&length, &device_list->length, sizeof length, cudaMemcpyDeviceToHost));
    expect(length == 1, "cudaMemcpy waits for other streams");
    return verdict();
}
