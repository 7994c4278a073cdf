/* From an object file in memory to a function: sections that are loaded, and relocations inside them.
 *
 * Generated code calls nothing by name (its functions come through the frame), so an object is complete in itself; one
 * that is not is refused by the name of what it wants. ELF64, x86-64 (System V ABI, AMD64 supplement, 4.4). */
#ifndef JIT_LINK_H
#define JIT_LINK_H

#include <stdbool.h>
#include <stddef.h>

struct link_code {
    void *memory;
    size_t bytes;
    void *entry; /* of the symbol that was asked for */
};

/* False: `problem` says why. Every offset in the object is checked: it may come from a file. */
bool link_object(const char *object, size_t bytes, const char *symbol, struct link_code *out, char *problem, size_t room);
void link_release(struct link_code *c);

#endif
