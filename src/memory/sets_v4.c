/* Questions about lanes' addresses for hosts of level x86-64-v4 (see sets.h). */
#define SETS lane_sets_v4
#include "memory/sets_lanes.h"
