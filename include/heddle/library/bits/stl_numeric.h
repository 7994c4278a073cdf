/* The C++ library's <bits/stl_numeric.h>, whose functions kernels may call, too: see functexcept.h. */
#pragma clang force_cuda_host_device begin
#include_next <bits/stl_numeric.h>
#pragma clang force_cuda_host_device end
