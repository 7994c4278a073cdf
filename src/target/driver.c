/* See driver.h. */
#include "target/driver.h"

const int16_t driver_printf[PRINTED_NUMBERS][PIPES] = {
#define PRINTF(of, none, alu, fma, xu, lsu, adu, cbu, uniform)                                                                                  \
    [PRINTED_##of] = {[PIPE_NONE] = (none), [PIPE_ALU] = (alu), [PIPE_FMA] = (fma), [PIPE_XU] = (xu),                                          \
                      [PIPE_LSU] = (lsu),   [PIPE_ADU] = (adu), [PIPE_CBU] = (cbu), [PIPE_UNIFORM] = (uniform)},
#include "target/driver.def"
#undef PRINTF
};
