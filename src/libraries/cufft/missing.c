/* The functions of cuFFT that are not there, made from include/heddle/fft_functions.def: each says its name once. */
#include "cufftXt.h"
#include "runtime/library.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CUFFT_NOT_THERE(name, params)  \
    cufftResult name params            \
    {                                  \
        library_refuse(#name);         \
        return CUFFT_NOT_IMPLEMENTED;  \
    }
#include "heddle/fft_functions.def"
