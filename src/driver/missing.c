/* The functions of the driver interface that are not there, made from include/heddle/driver_functions.def: each says its
 * name once on stderr and answers CUDA_ERROR_NOT_SUPPORTED. */
#include "driver/driver.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CU_NOT_THERE(name, since, params)                                                                              \
    CUresult name params                                                                                               \
    {                                                                                                                  \
        return driver_leave(driver_not_supported(#name));                                                              \
    }
#include "heddle/driver_functions.def"
