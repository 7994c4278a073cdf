/* What modules and libraries share. */
#ifndef DRIVER_MODULE_H
#define DRIVER_MODULE_H

#include "driver/driver.h"

struct binary;
struct jit;

/* Loads code on a device; messages go where the options say. */
CUresult module_compile(struct binary *code, struct runtime_device *d, struct jit *j);

/* How many kernels it has, and the first n of them. */
CUresult module_count(struct binary *code, struct runtime_device *d, unsigned *count);
CUresult module_list(struct binary *code, struct runtime_device *d, unsigned n, const void **stubs);

/* The module that a library's or the program's own code is in a context. It ends with the code: module_forget. */
CUmodule module_for(struct binary *code, const struct context *c);
void module_forget(const struct binary *code);

/* The context that a function was loaded in with its module; NULL: its code is the program's or a library's, which any context runs. */
const struct context *module_context(CUfunction f);

#endif
