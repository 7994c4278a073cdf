# A breakpoint that is set before the program starts; lines, locals, parameters, shared arrays, threadIdx.
break walk.cu:28
#> Breakpoint 1 at ...: file ...walk.cu, line 28.
run
#> "b0 t0" hit Breakpoint 1, sums<float> (n=64, a=2, x=0x200000000000, y=...) at ...walk.cu:28
#> 28	    int i = blockIdx.x * blockDim.x + threadIdx.x;
backtrace
#> #0  sums<float> (n=64, a=2,
delete
next
#> 29	    pair p = {a, (float)i};
next
#> 30	    tile[threadIdx.x] = x[i];
print i
#> $1 = 0
print p
#> $2 = {x = 2, y = 0}
print threadIdx
#> $3 = {x = 0, y = 0, z = 0}
print blockDim.x * gridDim.x
#> $4 = 64
print *x@4
#> $5 = {0, 1, 2, 3}
next
#> 31	    order[threadIdx.x] = i;
next
#> 32	    __syncthreads();
next
#> 33	    if (i < n) {
print tile
#> $6 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}
print ((int *)order)[31]
#> $7 = 31
print bias
#> $8 = 5
print weights
#> $9 = {1, 2, 3, 4}
info locals
#> i = 0
#> p = {x = 2, y = 0}
continue
#> exited normally
