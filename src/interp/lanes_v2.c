/* The lane functions for hosts of level x86-64-v2; CMakeLists.txt gives the flags. See lanes_expand.h. */
#define LANES_TABLE lanes_table_v2
#include "interp/lanes_expand.h"
