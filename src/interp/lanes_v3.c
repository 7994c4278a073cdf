/* The lane functions for hosts of level x86-64-v3; CMakeLists.txt gives the flags. See lanes_expand.h. */
#define LANES_TABLE lanes_table_v3
#include "interp/lanes_expand.h"
