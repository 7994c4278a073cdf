/* The pipeline primitives under their second name: everything is in cuda_pipeline.h. */
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_pipeline.h"

#endif
