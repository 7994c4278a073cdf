/* The C++ library's <bits/refwrap.h>, whose functions kernels may call, too: see functexcept.h. */
#pragma clang force_cuda_host_device begin
#include_next <bits/refwrap.h>
#pragma clang force_cuda_host_device end
