/* What a user calls a GPU (names.h). All descriptions are looked into, so it is asked only when no file has the name. */
#include "device/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/near.h"
#include "base/strbuf.h"
#include "device/describe.h"
#include "device/device.h"

enum { SUGGESTED = 4 /* at most, nearest first */ };

/* A word taken out of, or made another in, letters and digits; the other is never longer. */
static void replace(char *s, const char *from, const char *to)
{
    size_t n = strlen(from), m = strlen(to);

    for (char *at = s; (at = strstr(at, from)); at += m) {
        memcpy(at, to, m);
        memmove(at + m, at + n, strlen(at + n) + 1);
    }
}

/* The letters and digits of a name that tell it from others, to be given to alloc_release. "NVIDIA A100-SXM4-80GB": a10080gb. */
static char *plain(const char *name)
{
    static const struct {
        const char *from, *to;
    } words[] = {
#define WORDS(from, to) {from, to},
#include "device/names_words.def"
#undef WORDS
    };
    char *s = alloc_zeroed(strlen(name) + 1), *to = s;

    for (const char *p = name; *p; p++)
        if (isalnum((unsigned char)*p))
            *to++ = (char)tolower((unsigned char)*p);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        replace(s, words[i].from, words[i].to);
    return s;
}

/* --- all descriptions, by both of their names --- */

struct candidate {
    char *id, *plain_id, *plain_name; /* plain_name: "" where the description cannot be read */
    unsigned far;                     /* edits from what was asked for */
};

struct candidates {
    struct candidate *each;
    int n;
};

/* A description that is wrong has its say when it is asked for by its own name. */
static char *plain_name_of(const char *id)
{
    struct strbuf path, name;
    char *s;

    strbuf_init(&path);
    strbuf_init(&name);
    s = describe_find(id, &path) && describe_name(path.s, &name) ? plain(name.s) : alloc_zeroed(1);
    strbuf_release(&name);
    strbuf_release(&path);
    return s;
}

static void candidates_init(struct candidates *all)
{
    char **names;

    all->n = device_names(&names);
    all->each = alloc_zeroed(((size_t)all->n + 1) * sizeof *all->each);
    for (int i = 0; i < all->n; i++)
        all->each[i] = (struct candidate){names[i], plain(names[i]), plain_name_of(names[i]), 0};
    alloc_release(names);
}

static void candidates_release(struct candidates *all)
{
    for (int i = 0; i < all->n; i++) {
        alloc_release(all->each[i].id);
        alloc_release(all->each[i].plain_id);
        alloc_release(all->each[i].plain_name);
    }
    alloc_release(all->each);
}

/* The one that has this name, of the one kind or the other; NULL: none, or several. */
static const struct candidate *the_one(const struct candidates *all, const char *wanted, bool by_id)
{
    const struct candidate *found = NULL;
    int n = 0;

    for (int i = 0; *wanted && i < all->n; i++)
        if (!strcmp(wanted, by_id ? all->each[i].plain_id : all->each[i].plain_name)) {
            found = &all->each[i];
            n++;
        }
    return n == 1 ? found : NULL;
}

bool names_meaning(const char *words, struct strbuf *id)
{
    struct candidates all;
    const struct candidate *found;
    char *wanted = plain(words);

    candidates_init(&all);
    found = the_one(&all, wanted, true);
    if (!found)
        found = the_one(&all, wanted, false);
    if (found)
        strbuf_adds(id, found->id);
    candidates_release(&all);
    alloc_release(wanted);
    return found;
}

/* --- near ones --- */

/* Edits; where one is a part of the other, four letters left out are one. */
static unsigned distance(const char *wanted, const char *name)
{
    size_t n = strlen(wanted), m = strlen(name);
    unsigned far = near_distance(wanted, name, near_limit(wanted));

    if (n >= 3 && m >= 3 && (strstr(name, wanted) || strstr(wanted, name))) {
        unsigned left_out = 1 + (unsigned)((n > m ? n - m : m - n) / 4);

        if (left_out < far)
            far = left_out;
    }
    return far;
}

static int nearest_first(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->far != y->far ? (x->far > y->far) - (x->far < y->far) : strcmp(x->id, y->id);
}

/* The near ones first; how many. */
static int find_near(struct candidates *all, const char *words)
{
    char *wanted = plain(words);
    int n = 0;

    for (int i = 0; i < all->n; i++) {
        struct candidate *c = &all->each[i];
        unsigned by_id = distance(wanted, c->plain_id), by_name = distance(wanted, c->plain_name);

        c->far = by_id < by_name ? by_id : by_name;
        n += c->far < near_limit(wanted);
    }
    if (all->n)
        qsort(all->each, (size_t)all->n, sizeof *all->each, nearest_first);
    alloc_release(wanted);
    return n < SUGGESTED ? n : SUGGESTED;
}

void names_refuse(const char *words, struct diag_list *diags)
{
    struct candidates all;
    struct strbuf b;
    int n;

    candidates_init(&all);
    n = find_near(&all, words);
    strbuf_init(&b);
    for (int i = 0; i < n; i++)
        strbuf_addf(&b, "%s'%s'", i ? " or " : "; did you mean ", all.each[i].id);
    if (n)
        strbuf_adds(&b, "?");
    else if (all.n)
        strbuf_addf(&b, "; `heddle devices` lists the %d there are, `heddle devices --new NAME --from RELATIVE` begins another",
                    all.n);
    else
        strbuf_adds(&b, "; there are no descriptions at all: set HEDDLE_DEVICES to the folder that has them");
    diag_add(diags, DIAG_ERROR, NULL, 0, "no device description '%s'%s", words, b.s);
    strbuf_release(&b);
    candidates_release(&all);
}
