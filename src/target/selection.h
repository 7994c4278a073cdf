/* Instruction selection: which instructions of an architecture each instruction of the IR becomes.
 *
 * In: a kernel whose places are found (lower.h). Out: its machine code in the order of the sites, not scheduled, with virtual
 * registers. What becomes part of its readers (PLACE_READER) has no instruction of its own; what the assembler adds (constants in
 * registers, the window of shared memory, where lanes meet) has the site that it stands before.
 * Not here: which branches become predicates and which loops are unrolled (shape.h). */
#ifndef TARGET_SELECTION_H
#define TARGET_SELECTION_H

#include "target/code.h"
#include "target/lower.h"

/* To be freed with code_free. */
struct code *selection_new(const struct lowered *l, int arch);

#endif
