/* JSON texts: jansson uses our allocator (base/alloc.h), so that no part of a text is left out where memory is short. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>

struct strbuf;

/* Adds the value's indented text and a newline to `out`, and drops the value. */
void json_print(struct strbuf *out, json_t *value);

#endif
