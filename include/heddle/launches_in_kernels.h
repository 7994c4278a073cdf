/* Included before a file whose kernels launch kernels, by clang's pass for the device (src/compile/device_launches.h).
 *
 * Clang lets no code for the device name a kernel. So kernels are functions for both sides here, with a mark. Where the file has
 * `k<<<grid, block, shared, stream>>>(x)` it reads `(__heddle_configure(grid, block, shared, stream), k(x))`, and our pass makes a
 * launch of it and kernels of the marked functions (src/compile/plugin_launches.cpp). */
#ifndef HEDDLE_LAUNCHES_IN_KERNELS_H
#define HEDDLE_LAUNCHES_IN_KERNELS_H

extern "C" __attribute__((host)) __attribute__((device)) void __heddle_configure(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);

#undef __global__
#define __global__ __attribute__((host)) __attribute__((device)) __attribute__((used)) __attribute__((annotate("heddle.kernel")))

#endif
