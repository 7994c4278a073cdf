/* Libraries that programs for NVIDIA's toolkit use and Heddle lacks: what to say of them. The list is libraries.def;
 * docs/reference/libraries.md is printed from it. */
#ifndef COMPILE_LIBRARIES_H
#define COMPILE_LIBRARIES_H

struct arena;
struct strbuf;

/* What to add to a message of clang ("'cublas_v2.h' file not found") or the linker ("cannot find -lcublas: ...") that means a
 * library of the list: a sentence that begins with a colon, in the arena. NULL: it means none. */
const char *libraries_remedy(struct arena *a, const char *text);

/* docs/reference/libraries.md. */
void libraries_document(struct strbuf *out);

#endif
