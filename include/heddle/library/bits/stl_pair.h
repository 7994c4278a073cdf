/* The C++ library's <bits/stl_pair.h>, whose functions kernels may call, too: see functexcept.h. */
#pragma clang force_cuda_host_device begin
#include_next <bits/stl_pair.h>
#pragma clang force_cuda_host_device end
