/* The functions of cuSPARSE that are not there, made from include/heddle/sparse_functions.def: each says its name once. Programs call
 * them with parameters of any kind, which are not looked at. */
#include "cusparse.h"
#include "runtime/library.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* declared without parameters */

#undef CUSPARSE_NOT_THERE
#define CUSPARSE_NOT_THERE(name)                  \
    cusparseStatus_t name(void)                   \
    {                                             \
        library_refuse(#name);                    \
        return CUSPARSE_STATUS_NOT_SUPPORTED;     \
    }
#include "heddle/sparse_functions.def"
