/* cuProfilerStart, cuProfilerStop: declared with the rest of the driver interface. */
#ifndef CUDAPROFILER_H
#define CUDAPROFILER_H

#include "cuda.h"

#endif
