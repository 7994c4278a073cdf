// Lists on the device's heap: a thread makes one of its numbers, a later kernel adds it up and
// frees it.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 32, LENGTH = 5;
struct node {
    int value[3];
    node *next;
};

__global__ void make(const int *a, node **head)
{
    node *first = nullptr;
    for (int i = LENGTH - 1; i >= 0; i--) {
        node *n = (node *)malloc(BUG == 1 ? sizeof(node) - sizeof(node *) : sizeof(node));
        for (int k = 0; k < 3 - (BUG == 5); k++)
            n->value[k] = a[threadIdx.x] + i;
        if (BUG != 4 || first)
            n->next = first; // @link
        first = n;
    }
    head[threadIdx.x] = first;
}

__global__ void take(node **head, int *sum)
{
    int s = 0, count = 0;
    for (node *n = head[threadIdx.x]; n && count < LENGTH + 1; count++) {
        s += n->value[count % 3]; // @value
        node *gone = n;
        if (BUG == 2)
            free(gone);
        n = n->next; // @next
        if (BUG != 2)
            free(gone); // @free
        if (BUG == 3 && count == 0)
            free(gone); // @free_again
    }
    sum[threadIdx.x] = s;
}

int main()
{
    int h[N], got[N], *a, *sum, bad = 0;
    node **head;
    for (int i = 0; i < N; i++)
        h[i] = i * 3;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&sum, sizeof h);
    cudaMalloc(&head, N * sizeof(node *));
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    make<<<1, N>>>(a, head);
    take<<<1, N>>>(head, sum);
    bad += cudaMemcpy(got, sum, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (int i = 0; i < N; i++)
        bad += got[i] != LENGTH * h[i] + LENGTH * (LENGTH - 1) / 2;
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(sum);
    cudaFree(head);
}
