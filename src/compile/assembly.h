/* The host's assembly text that clang made (-S), as C++ text for any compiler: what nvcc's -cuda writes. */
#ifndef COMPILE_ASSEMBLY_H
#define COMPILE_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

/* Puts the blob in the place of what section .nv_fatbin holds, and clang's registration of it before the file's own static
 * constructors, as object.h does in an object; makes the whole one asm declaration of C++. `name`: the source file, for the comment
 * above it. A text without that section, of a file without kernels and device variables, gets no blob. False: the text is not as
 * clang-19 writes it. */
bool assembly_to_cpp(struct strbuf *text, const char *name, const void *blob, size_t bytes);

#endif
