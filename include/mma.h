/* Tensor cores are not there yet: what a program names of nvcuda::wmma is an error with its line. Files that only include
 * this header compile, with the types that come with it. */
#ifndef __MMA_H__
#define __MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {
}
}

#endif
