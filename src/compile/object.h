/* The host object that clang made: put the device code into it, look at its kernels. */
#ifndef COMPILE_OBJECT_H
#define COMPILE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "compile/compile.h"

struct strbuf;

/* `object` is a whole ELF file in memory. All return false if it is not an x86-64 relocatable object. */

/* Replaces the contents of section .nv_fatbin. *found is false if there is no such section: a file without kernels
 * and device variables. */
bool object_set_device_code(struct strbuf *object, const void *blob, size_t bytes, bool *found);

/* Moves clang's registration of the device code before the file's own static constructors, so that a constructor may
 * launch kernels, as with nvcc. */
bool object_register_first(struct strbuf *object);

/* The names, as in PTX, of the kernels that the host code can launch. */
bool object_kernels(struct arena *a, const struct strbuf *object, struct words *names);

/* The names of variables that only this file sees: shadows of device variables among them. */
bool object_own_variables(struct arena *a, const struct strbuf *object, struct words *names);

/* "_Z18__device_stub__addPf" -> "_Z3addPf": the kernel of a stub, NULL if the symbol is no stub. */
const char *object_kernel_of_stub(struct arena *a, const char *symbol);

#endif
