/* Entry points of the driver interface by name. */
#ifndef DRIVER_ENTRY_H
#define DRIVER_ENTRY_H

#include "driver/driver.h"

/* The function that a name means for a version of CUDA (12040), or NULL and the reason. thread: the form whose default
 * stream is the thread's own, where there is one. */
void *entry_find(const char *name, int version, bool thread, CUdriverProcAddressQueryResult *why);

#endif
