/* Second symbols of the driver's functions, made from include/heddle/driver_symbols.def. */
#include "driver/driver.h"
#include "runtime/queue.h"

#define CU_SAME(name, since, as, params, args)                                                                         \
    CUresult name params                                                                                               \
    {                                                                                                                  \
        return as args;                                                                                                \
    }
#define CU_ON_STREAM(name, suffix, params, args)                                                                       \
    CUresult name##_##suffix params                                                                                    \
    {                                                                                                                  \
        bool before = stream_default(true);                                                                            \
        CUresult r = name args;                                                                                        \
        stream_default(before);                                                                                        \
        return r;                                                                                                      \
    }
#define CU_OLD(name, since)                                                                                            \
    CUresult name(void)                                                                                                \
    {                                                                                                                  \
        CALL;                                                                                                          \
        return driver_leave(driver_not_supported(#name " with addresses of 32 bits, which is not " #name "_v2,"));     \
    }
#include "heddle/driver_symbols.def"
