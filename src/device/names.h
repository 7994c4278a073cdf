/* Inside this room: what a user calls a GPU.
 *
 * A GPU goes by its description's name ("rtx3060-laptop"), by the name that it reports ("NVIDIA GeForce RTX 3060 Laptop
 * GPU"), and by what people write ("RTX 3060 laptop", "Tesla T4", "A100 80GB"). Compared are the letters and digits, less the
 * words of names_words.def that tell no two GPUs apart. */
#ifndef DEVICE_NAMES_H
#define DEVICE_NAMES_H

#include <stdbool.h>

struct diag_list;
struct strbuf;

/* The description that `words` mean, its name added to `id`; false: none, or several, and nothing is said yet. */
bool names_meaning(const char *words, struct strbuf *id);

/* An error: there is no such description, and which are near. */
void names_refuse(const char *words, struct diag_list *diags);

#endif
