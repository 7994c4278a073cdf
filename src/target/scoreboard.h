/* What the code says of waiting: which barriers of the scoreboard an instruction waits for and sets, and how many cycles the next one stands behind it.
 *
 * In: code in physical registers. An instruction whose result takes no fixed time (operations.def: SCOREBOARD) sets one of six barriers, and
 * who reads or overwrites the result waits for it; so does who overwrites the operands of an access, which are read late. Other
 * results are there after a fixed number of cycles. Such words of control are part of the code since Maxwell; before it the hardware looks at
 * registers itself. Source: maxas, "Control Codes"; the form printed is that of CuAssembler. */
#ifndef TARGET_SCOREBOARD_H
#define TARGET_SCOREBOARD_H

#include "target/flow.h"

/* Sets `control` of each instruction of the kernel itself. */
void scoreboard(struct code *c, const struct flow *f);

#endif
