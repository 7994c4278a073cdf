/* What the program has said of where managed memory should be. */
#ifndef RUNTIME_ADVICE_H
#define RUNTIME_ADVICE_H

#include <stdint.h>

/* Memory that was freed has no advice. */
void advice_forget(uint64_t address, uint64_t bytes);

#endif
