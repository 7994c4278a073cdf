/* Open addressing with linear probing (see table.h). */
#include "base/table.h"
#include "base/alloc.h"

#include <string.h>

uint64_t hash_bytes(uint64_t h, const void *data, size_t n)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

void table_init(struct table *t)
{
    memset(t, 0, sizeof *t);
}

void table_release(struct table *t)
{
    alloc_release(t->slots);
    table_init(t);
}

static struct table_slot *find(const struct table *t, const char *key, size_t len)
{
    size_t i = hash_bytes(HASH_START, key, len) & (t->cap - 1);
    while (t->slots[i].key &&
           (t->slots[i].len != len || memcmp(t->slots[i].key, key, len) != 0))
        i = (i + 1) & (t->cap - 1);
    return &t->slots[i];
}

void *table_getn(const struct table *t, const char *key, size_t len)
{
    return t->n ? find(t, key, len)->value : NULL;
}

void *table_get(const struct table *t, const char *key)
{
    return table_getn(t, key, strlen(key));
}

static void grow(struct table *t)
{
    struct table old = *t;
    t->cap = old.cap ? old.cap * 2 : 16;
    t->slots = alloc_zeroed(t->cap * sizeof *t->slots);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].key)
            *find(t, old.slots[i].key, old.slots[i].len) = old.slots[i];
    alloc_release(old.slots);
}

void table_setn(struct table *t, const char *key, size_t len, void *value)
{
    if ((t->n + 1) * 4 > t->cap * 3)
        grow(t);
    struct table_slot *s = find(t, key, len);
    if (!s->key)
        t->n++;
    *s = (struct table_slot){key, len, value};
}

void table_set(struct table *t, const char *key, void *value)
{
    table_setn(t, key, strlen(key), value);
}
