/* How long a generator lives: until the program has destroyed it and its calls have run. */
#ifndef LIBRARIES_CURAND_HOLD_H
#define LIBRARIES_CURAND_HOLD_H

#include "libraries/curand/generator.h"

void generator_hold(curandGenerator_t g);
void generator_drop(curandGenerator_t g);

#endif
