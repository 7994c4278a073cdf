/* Machine code of the architectures before Volta.
 *
 * In: code of selection.h or layout.h, in operations of Volta and later. Out: the same code in operations that its architecture has, by
 * the rows of earlier.def; an operation that has no row and is not there stays, so that a listing can name it (code_missing). Code of
 * Volta and later stays as it is. Modelled, not verified: docs/target.md, "Machine code". */
#ifndef TARGET_EARLIER_H
#define TARGET_EARLIER_H

#include "target/code.h"

void earlier(struct code *c, const struct ir_kernel *k);

#endif
