// What both files see.
#pragma once
__global__ void other_file(int *p);
static __global__ void of_header(int *p, int v) { *p = v; }
static __global__ void from_header(int *p) { of_header<<<1, 1>>>(p, 1000); }
