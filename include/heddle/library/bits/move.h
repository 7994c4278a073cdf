/* The C++ library's <bits/move.h>, whose functions kernels may call, too: see functexcept.h. */
#pragma clang force_cuda_host_device begin
#include_next <bits/move.h>
#pragma clang force_cuda_host_device end
