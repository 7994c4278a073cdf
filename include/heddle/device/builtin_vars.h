/* threadIdx, blockIdx, blockDim, gridDim and warpSize.
 *
 * Reading a member reads the special register. Unlike the variables of the header that is part of clang, these may be
 * copied, as with nvcc, where they are of type uint3 and dim3: `auto t = threadIdx;`, f(blockIdx) where f is a template.
 * A copy still reads the registers, which cannot change. Not possible: writing to such a copy, the address of one. */
#ifndef HEDDLE_DEVICE_BUILTIN_VARS_H
#define HEDDLE_DEVICE_BUILTIN_VARS_H
#define __CUDA_BUILTIN_VARS_H /* clang's own is not wanted any more */

struct uint3;
struct dim3;

#define HEDDLE_MEMBER(member, sreg)                                                                                 \
    __declspec(property(get = __heddle_##member)) unsigned int member;                                              \
    static inline __attribute__((always_inline, device)) unsigned int __heddle_##member(void)                       \
    {                                                                                                               \
        return __nvvm_read_ptx_sreg_##sreg##_##member();                                                            \
    }
#define HEDDLE_VARIABLE(name, sreg)                                                                                 \
    struct __cuda_builtin_##name##_t {                                                                              \
        HEDDLE_MEMBER(x, sreg)                                                                                      \
        HEDDLE_MEMBER(y, sreg)                                                                                      \
        HEDDLE_MEMBER(z, sreg)                                                                                      \
        __attribute__((device)) operator dim3() const;                                                              \
        __attribute__((device)) operator uint3() const;                                                             \
    };                                                                                                              \
    extern const __attribute__((device, weak)) __cuda_builtin_##name##_t name;

HEDDLE_VARIABLE(threadIdx, tid)
HEDDLE_VARIABLE(blockIdx, ctaid)
HEDDLE_VARIABLE(blockDim, ntid)
HEDDLE_VARIABLE(gridDim, nctaid)
/* 32, which the device's compiler is not to know, as nvcc does not: our pass in clang reads it (compile/plugin_warp.cpp). */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 9999 && !defined(__HEDDLE_NO_PASS__)
extern const __attribute__((device)) int warpSize;
#else
__attribute__((device)) const int warpSize = 32;
#endif

#undef HEDDLE_VARIABLE
#undef HEDDLE_MEMBER

#endif
