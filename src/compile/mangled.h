/* Names of kernels and device variables that a file keeps to itself: static ones, and those of unnamed namespaces.
 *
 * Clang marks what is static (_ZL4scalPf, _ZN2nsL4sizeE) and calls every unnamed namespace 12_GLOBAL__N_1. nvcc 13.0 marks nothing, writes
 * a static variable outside of namespaces as it is spelled, gives unnamed namespaces a name with a hash of the file, and puts
 * _INTERNAL_... with it in front of their variables. So nvcc's PTX names them otherwise than clang's host code asks for them. */
#ifndef COMPILE_MANGLED_H
#define COMPILE_MANGLED_H

struct strbuf;
struct words;

/* Words of PTX text that are another spelling of one of `names` become that name. */
void mangled_rename(struct strbuf *text, const struct words *names);

#endif
