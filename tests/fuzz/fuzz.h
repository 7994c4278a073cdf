/* What the fuzz targets (fuzz_NAME.c) share.
 *
 * A target is one function from bytes to nothing that ends the process where something does not hold. It is built twice:
 * with libFuzzer (cmake -DHEDDLE_FUZZ=ON, tools/fuzz.sh) as fuzz_NAME, and with replay.c as replay_NAME, which CTest runs
 * over the files of corpus/NAME. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process: what is said does not hold. */
void fuzz_fail(const char *what) __attribute__((noreturn));

/* The path of a file that holds these bytes, for readers that want one; until the next call. */
const char *fuzz_file(const void *data, size_t size);

#endif
