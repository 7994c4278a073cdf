/* The C++ library's <bits/invoke.h>, whose functions kernels may call, too: see functexcept.h. */
#pragma clang force_cuda_host_device begin
#include_next <bits/invoke.h>
#pragma clang force_cuda_host_device end
