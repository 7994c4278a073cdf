/* Products that are put into the stream without a check of their sizes: the older interface's have their own. */
#ifndef CUSPARSE_PRODUCTS_H
#define CUSPARSE_PRODUCTS_H

#include "libraries/cusparse/call.h"

/* y = alpha op(A) x + beta y */
cusparseStatus_t products_spmv(const char *function, cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,
                               cusparseConstDnVecDescr_t x, const void *beta, cusparseConstDnVecDescr_t y, enum compute as);

/* C = alpha op(A) op(B) + beta C */
cusparseStatus_t products_spmm(const char *function, cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha,
                               cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseConstDnMatDescr_t c, enum compute as);

#endif
