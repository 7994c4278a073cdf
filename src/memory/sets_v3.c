/* Questions about lanes' addresses for hosts of level x86-64-v3 (see sets.h). */
#define SETS lane_sets_v3
#include "memory/sets_lanes.h"
