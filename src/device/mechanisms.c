/* See mechanisms.h. */
#include "device/mechanisms.h"

#include <string.h>

#include "base/strbuf.h"

static const struct mechanism_info table[] = {
#define MECHANISM(id, header, help, instead) {#id, header, help, instead},
#define OFF(figure, value)
#include "device/mechanisms.def"
#undef MECHANISM
#undef OFF
};

_Static_assert(MECHANISMS < 64, "bits of a mechanism_set");

const struct mechanism_info *mechanism_at(int i)
{
    return i < MECHANISMS ? &table[i] : NULL;
}

static int find(const char *name, size_t n)
{
    for (int i = 0; i < MECHANISMS; i++)
        if (strlen(table[i].name) == n && !strncmp(table[i].name, name, n))
            return i;
    return -1;
}

bool mechanisms_read(const char *names, mechanism_set *set, struct strbuf *why)
{
    *set = 0;
    for (const char *at = names; *at; at += *at == ',') {
        const size_t n = strcspn(at, ",");
        const int which = find(at, n);
        if (which < 0) {
            strbuf_addf(why, "there is no mechanism '%.*s' of the model; `heddle profile --without help` lists them", (int)n, at);
            return false;
        }
        *set |= UINT64_C(1) << which;
        at += n;
    }
    return true;
}

void mechanisms_write(mechanism_set set, struct strbuf *out)
{
    bool first = true;
    for (int i = 0; i < MECHANISMS; i++)
        if (set >> i & 1) {
            strbuf_addf(out, "%s%s", first ? "" : ",", table[i].name);
            first = false;
        }
}

void mechanisms_list(struct strbuf *out)
{
    for (int i = 0; i < MECHANISMS; i++)
        strbuf_addf(out, "%-14s %s (src/%s)\n%-14s without: %s\n", table[i].name, table[i].help, table[i].header, "", table[i].instead);
}

void mechanisms_leave(struct device *d, mechanism_set off)
{
    enum { SLICE_UNITS = 256 * 32 /* bytes a cycle at which a slice has 1/256 of a cycle to do for a sector (memory/caches.h) */ };
    bool is_off = false;
    d->without = off;
#define MECHANISM(id, header, help, instead) is_off = off >> MECHANISM_##id & 1;
#define OFF(figure, value) \
    if (is_off)            \
        d->figure = (value);
#include "device/mechanisms.def"
#undef MECHANISM
#undef OFF
    (void)is_off;
}
