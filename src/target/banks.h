/* Banks of registers: which values change registers so that fewer instructions wait for one.
 *
 * A bank gives an instruction as many words as it has ports (arch_banks, arch_bank_ports). In: values that have their registers. Out: the same,
 * no more registers, pairs and vectors where they were, copies that share a register still sharing one. Two registers of different banks
 * exchange values: all that are alive together with one of them, with one of those, and so on (chains of Kempe's proof of the four colours,
 * 1879). An exchange is made if fewer instructions then read too much of a bank. */
#ifndef TARGET_BANKS_H
#define TARGET_BANKS_H

#include "target/places.h"

/* Instructions that read more words of a bank than it has ports; pairs are not looked at. */
int banks_meet(const struct places *a);

void banks_part(struct places *a);

#endif
