/* Memory that the program maps itself (virtual.c): what other files ask of it. */
#ifndef DRIVER_VIRTUAL_H
#define DRIVER_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The mapping (cuMemMap) that holds the address. False: there is none. */
bool virtual_mapping(uint64_t address, uint64_t *base, size_t *bytes);

#endif
