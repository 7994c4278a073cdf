/* CUDA arrays as the driver describes them. */
#ifndef DRIVER_ARRAY_H
#define DRIVER_ARRAY_H

#include "driver/driver.h"

/* The runtime's description of texels of `channels` parts of a format (CUarray_format); false: no format that textures
 * have. And the way back. */
bool array_channels(int format, unsigned channels, struct cudaChannelFormatDesc *out);
bool array_format(const struct cudaChannelFormatDesc *desc, CUarray_format *format, unsigned *channels);

#endif
