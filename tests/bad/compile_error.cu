// Does not compile: a misspelled variable in a kernel and a missing function on the host.
__global__ void scale(float *data, float factor)
{
    data[threadIdx.x] *= facter;
}

int main()
{
    scale<<<1, 32>>>(nullptr, 2);
    return finish();
}
