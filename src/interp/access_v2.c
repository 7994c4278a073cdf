/* Memory instructions for hosts of level x86-64-v2 (see access.h). */
#define ACCESS_OPS access_ops_v2
#include "interp/access.h"
