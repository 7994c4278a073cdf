/* Calls one function of each library that CMake has linked. */
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusparse.h>
#include <nvrtc.h>
int main(void)
{
    int major = 0, minor = 0, fft = 0, rand = 0, sparse = 0;
    return nvrtcVersion(&major, &minor) || cufftGetVersion(&fft) || curandGetVersion(&rand) ||
           cusparseGetProperty(MAJOR_VERSION, &sparse) || cublasGetCudartVersion() == 0 || !major || !fft || !rand || !sparse;
}
