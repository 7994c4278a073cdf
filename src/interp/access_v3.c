/* Memory instructions for hosts of level x86-64-v3 (see access.h). */
#define ACCESS_OPS access_ops_v3
#include "interp/access.h"
