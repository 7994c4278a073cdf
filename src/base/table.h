/* A hash table from strings to pointers. Keys are not copied: they must live as long as the table. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/across.h"

struct table_slot {
    const char *key;
    size_t len;
    void *value;
};

struct table {
    struct table_slot *slots;
    size_t cap; /* a power of two, or 0 */
    size_t n;
};

void table_init(struct table *t);
void table_release(struct table *t);

/* The value of a key, or NULL. */
void *table_get(const struct table *t, const char *key);
void *table_getn(const struct table *t, const char *key, size_t len) ACROSS(table_getn);

/* Sets (and replaces) a key's value, which must not be NULL. */
void table_set(struct table *t, const char *key, void *value);
void table_setn(struct table *t, const char *key, size_t len, void *value) ACROSS(table_setn);

/* FNV-1a, 64 bits; start with HASH_START or the hash of what came before. */
#define HASH_START 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t h, const void *data, size_t n) ACROSS(hash_bytes);

#endif
