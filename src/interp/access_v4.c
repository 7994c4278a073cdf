/* Memory instructions for hosts of level x86-64-v4 (see access.h). */
#define ACCESS_OPS access_ops_v4
#include "interp/access.h"
