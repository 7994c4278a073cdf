// cuBLAS's old interface beside the new one's numbers, by hand. 77: no BLAS here.
#include <cublas.h>

#include <cstdio>

#include "check.h"

int main()
{
    if (cublasInit() == CUBLAS_STATUS_NOT_INITIALIZED)
        return 77;
    float host[4] = {1, 2, 3, 4}, out[4], *x, *y;
    CHECK(!cublasAlloc(4, 4, (void **)&x) && !cublasAlloc(4, 4, (void **)&y));
    CHECK(!cublasSetVector(4, 4, host, 1, x, 1) && !cublasSetVector(4, 4, host, 1, y, 1));
    CHECK(cublasSdot(4, x, 1, y, 1) == 30 && cublasSasum(4, x, 1) == 10 && cublasIsamax(4, x, 1) == 4 && cublasIsamin(4, x, 1) == 1);
    cublasSaxpy(4, 2, x, 1, y, 1); // 3 6 9 12
    cublasSgemm('n', 'T', 2, 2, 2, 1, x, 2, x, 2, 1, y, 2);
    cublasGetVector(4, 4, y, 1, out, 1); // (1 3; 2 4) times its transpose
    CHECK(out[0] == 13 && out[1] == 20 && out[2] == 23 && out[3] == 32);
    cublasStrmm('L', 'U', 'N', 'N', 2, 2, 1, x, 2, y, 2);
    cublasGetVector(4, 4, y, 1, out, 1); // (1 3; 0 4) times (13 23; 20 32)
    CHECK(out[0] == 73 && out[1] == 80 && out[2] == 119 && out[3] == 128);
    float a = 3, b = 4, c = 0, s = 0;
    cublasSrotg(&a, &b, &c, &s);
    CHECK(a == 5 && c == 0.6f && s == 0.8f);
    float d1 = 1, d2 = 2, x1 = 3, y1 = 0, param[5] = {9, 9, 9, 9, 9};
    cublasSrotmg(&d1, &d2, &x1, &y1, param);
    CHECK(param[0] == -2 && cublasGetError() == CUBLAS_STATUS_SUCCESS);
    cublasSgemm('X', 'N', 2, 2, 2, 1, x, 2, x, 2, 1, y, 2);
    cublasSscal(4, 2, x, 1);
    CHECK(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE && cublasGetError() == CUBLAS_STATUS_SUCCESS);
    cuComplex z[2] = {{1, 2}, {3, -1}}, *w, dot;
    cublasAlloc(2, 8, (void **)&w);
    cublasSetVector(2, 8, z, 1, w, 1);
    dot = cublasCdotu(2, w, 1, w, 1); // (1 + 2i)^2 + (3 - i)^2
    CHECK(dot.x == 5 && dot.y == -2);
    int version = 0;
    CHECK(!cublasGetVersion(&version) && version == CUBLAS_VERSION && !cublasSetKernelStream(0));
    CHECK(!cublasFree(x) && !cublasFree(y) && !cublasFree(w) && !cublasShutdown() && cublasShutdown() == CUBLAS_STATUS_NOT_INITIALIZED);
    printf(failures ? "FAILED\n" : "PASSED\n");
    return failures != 0;
}
