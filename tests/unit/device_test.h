/* The device of a group of tests: open_device and close_device are its setup and its end. */
#ifndef DEVICE_TEST_H
#define DEVICE_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "heddle.h"

static heddle_device *dev; /* "h200" of the repository's table */

static int open_device(void **state)
{
    (void)state;
    setenv("HEDDLE_DEVICES", DEVICES, 1);
    if (heddle_device_open("h200", &dev)) {
        fprintf(stderr, "%s\n", heddle_error_text());
        return 1;
    }
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    heddle_device_close(dev);
    return 0;
}

#endif
