/* Checked runs: what the checkers find goes to the file that HEDDLE_FINDINGS names. */
#ifndef RUNTIME_CHECKING_H
#define RUNTIME_CHECKING_H

#include <stdbool.h>

#include "heddle.h"

/* If HEDDLE_CHECK names tools ("memcheck,racecheck", or "all"), the device's launches are checked with them. A word that
 * is none is told once on stderr. Called when a device is opened. */
void checking_device(heddle_device *engine);

/* True when HEDDLE_CHECK names anything. */
bool runtime_checking(void);

/* The number of the launch that runs next, for its findings. */
void checking_launch(int64_t id);

#endif
