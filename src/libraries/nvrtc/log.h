/* What the compiler said, in nvcc's form. */
#ifndef NVRTC_LOG_H
#define NVRTC_LOG_H

#include "text.h"

/* In: the messages of `heddle build` ("f.cu:3:5: error: ...", the source line, a caret). Out: "f.cu(3): error: ...", the line, a
 * caret, and at the end how many errors there were in `name`. `folder` is the temporary directory, which is left out of
 * paths. */
void log_take(const char *said, const char *name, const char *folder, struct text *out);

#endif
