/* One of cuRAND's other header names: the layouts of discrete distributions. */
#ifndef CURANDDISCRETE_H_
#define CURANDDISCRETE_H_

#include "heddle/curand/discrete.h"

#endif
