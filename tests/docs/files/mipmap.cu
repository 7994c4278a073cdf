// What docs/errors.md shows: a call that is not there.
int main()
{
    cudaMipmappedArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();

    return cudaMallocMipmappedArray(&array, &format, make_cudaExtent(8, 8, 0), 2) != cudaErrorNotSupported;
}
