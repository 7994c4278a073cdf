/* See guesses.h. */
#include "device/guesses.h"

#include <string.h>

#include "base/strbuf.h"

static const char *const bound[][2] = {
#define TIMED(figure, bound, there) {#figure, bound},
#include "device/device_timed.def"
#undef TIMED
};

enum { ALL = sizeof bound / sizeof *bound };

struct guesses {
    bool there[ALL], guess[ALL];
};

static void find_there(const struct device *d, bool there[ALL])
{
    int i = 0;
#define TIMED(figure, bound, is) there[i++] = is;
#include "device/device_timed.def"
#undef TIMED
}

int device_timed(const struct device *d)
{
    bool there[ALL];
    int n = 0;

    find_there(d, there);
    for (int i = 0; i < ALL; i++)
        n += there[i];
    return n;
}

static int place_of(const char *figure)
{
    for (int i = 0; i < ALL; i++)
        if (!strcmp(bound[i][0], figure))
            return i;
    return -1;
}

static void see(const struct device_field *f, const struct device_origin *o, void *user)
{
    struct guesses *g = user;
    const int place = place_of(f->id);

    if (place >= 0)
        g->guess[place] = o->kind != DEVICE_SOURCED;
}

bool device_guesses(const struct device *d, struct strbuf *names)
{
    struct guesses g = {0};
    bool first = true;

    find_there(d, g.there);
    if (!device_origins(d, see, &g))
        return false;
    for (int i = 0; i < ALL; i++)
        if (g.there[i] && g.guess[i]) {
            strbuf_addf(names, "%s%s", first ? "" : " ", bound[i][0]);
            first = false;
        }
    return true;
}

const char *device_timed_bound(const char *figure)
{
    const int place = place_of(figure);

    return place < 0 ? NULL : bound[place][1];
}
