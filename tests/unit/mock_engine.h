/* A stand-in for the engine, for tests of the runtime library: real device memory (space/), kernels in C.
 *
 * The "PTX" of a blob is a list of lines "kernel NAME" and "variable NAME BYTES"; a text that begins with "broken" does
 * not load. Kernels by name:
 *   add_one(u64 p, i32 n)   adds 1 to n ints              log(i32 tag)  appends tag to mock_log
 *   hold()                  runs until mock_release        fault()       illegal address
 *   missing_feature()       is not implemented            sleepy(i32 ms) sleeps
 *   meet()                  waits until two are running, then appends 1 (or -1 after 10 s)
 *   heap(i32 tag, i32 ms)   uses the device heap: sleeps, then appends tag */
#ifndef MOCK_ENGINE_H
#define MOCK_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "cuda_runtime_api.h"

/* Figures of the mock device that tests compute with. */
enum { MOCK_SMS = 4, MOCK_MAX_THREADS = 1024, MOCK_SHARED = 49152, MOCK_SHARED_OPTIN = 65536 };
#define MOCK_MEMORY ((size_t)256 << 20)

extern int mock_log[256], mock_nlog; /* tags in order of running */
extern int mock_modules;             /* modules loaded and not unloaded */
extern int mock_loads;               /* calls of engine_module_load */
extern int mock_results;             /* results given to the writer */
extern long mock_result_ids[256];
extern bool mock_interrupted;
extern int mock_threads;             /* commands that may run at once, but for the patience */

void mock_append(int tag); /* to mock_log, from any thread */

void mock_hold(void);    /* the next "hold" kernel waits */
void mock_release(void); /* until this is called */
bool mock_is_running(void);

/* Registers a blob with this text as clang's start-up code does. */
void **mock_blob(const char *text);
void mock_kernel(void **handle, const void *stub, const char *name);
void mock_variable(void **handle, void *shadow, const char *name, size_t bytes);

/* cudaLaunchKernel with at most two arguments (each the address of a value, or NULL). */
cudaError_t mock_launch(const void *stub, unsigned grid, unsigned block, cudaStream_t stream, void *a, void *b);

#endif
