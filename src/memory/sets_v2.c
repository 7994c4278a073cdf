/* Questions about lanes' addresses for hosts of level x86-64-v2 (see sets.h). */
#define SETS lane_sets_v2
#include "memory/sets_lanes.h"
