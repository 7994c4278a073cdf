/* Guesses: of the figures that the modelled time of a launch rests on (device_timed.def), those that nobody measured on the device.
 *
 * In: a device and its description. Out: their names. A figure is a guess where the description assumes it, has it from a relative that has no
 * reason to be the same, or does not know it, and another GPU's or a usual one is taken. */
#ifndef DEVICE_GUESSES_H
#define DEVICE_GUESSES_H

#include "device/device.h"

/* How many figures the time of a launch rests on. */
int device_timed(const struct device *d);

/* The names of the guesses among them by importance, with a blank between two. False: the description cannot be read again. */
bool device_guesses(const struct device *d, struct strbuf *names);

/* What a launch is bound by for which the figure counts most: "DRAM", "latency"; NULL: no time rests on it. */
const char *device_timed_bound(const char *figure);

#endif
