// What docs/errors.md shows: a call that is not there.
int main()
{
    cudaGraph_t graph;

    return cudaGraphCreate(&graph, 0) == cudaSuccess;
}
