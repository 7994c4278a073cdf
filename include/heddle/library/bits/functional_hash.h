/* The C++ library's <bits/functional_hash.h>, whose functions kernels may call, too: see functexcept.h. */
#pragma clang force_cuda_host_device begin
#include_next <bits/functional_hash.h>
#pragma clang force_cuda_host_device end
