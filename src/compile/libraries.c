/* Finding a library by its header or its name (see libraries.h). */
#include "compile/libraries.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"

static const struct library {
    const char *headers, *link, *name, *what, *instead;
} libraries[] = {
#define LIBRARY(headers, link, name, what, instead) {headers, link, name, what, instead},
#include "compile/libraries.def"
#undef LIBRARY
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

/* Is the name one of a list of words? One that ends with '*' is the beginning of many. */
static bool is_among(const char *list, const char *name, size_t n)
{
    for (size_t len; *list; list += len + (list[len] == ' ')) {
        len = strcspn(list, " ");
        bool open = len && list[len - 1] == '*';
        if (open ? n >= len - 1 && !memcmp(list, name, len - 1) : n == len && !memcmp(list, name, n))
            return true;
    }
    return false;
}

/* What stands between two marks; NULL: they are not there. */
static const char *between(const char *text, const char *before, const char *behind, size_t *n)
{
    const char *end = strstr(text, behind), *from = NULL;

    for (const char *at = text; end && (at = strstr(at, before)) && at < end; from = at)
        at += strlen(before);
    *n = from ? (size_t)(end - from) : 0;
    return from;
}

const char *libraries_remedy(struct arena *a, const char *text)
{
    size_t header_length, link_length;
    const char *header = between(text, "'", "' file not found", &header_length), *link = strstr(text, "cannot find -l");

    link = link ? link + strlen("cannot find -l") : NULL;
    link_length = link ? strcspn(link, ": ") : 0;
    for (int i = 0; i < LIBRARIES; i++) {
        const struct library *l = &libraries[i];
        if ((header && is_among(l->headers, header, header_length)) || (link && is_among(l->link, link, link_length)))
            return arena_printf(a, ": %s (%s) is not part of Heddle; %s. docs/reference/libraries.md has the list", l->name, l->what, l->instead);
    }
    return NULL;
}

/* "`a.h`, `b*`" */
static void add_words(struct strbuf *out, const char *list)
{
    const char *before = "`";

    for (size_t n; *list; list += n + (list[n] == ' ')) {
        n = strcspn(list, " ");
        strbuf_addf(out, "%s%.*s`", before, (int)n, list);
        before = ", `";
    }
}

void libraries_document(struct strbuf *out)
{
    strbuf_adds(out, "# Libraries that are not there\n\n"
                     "Printed from `src/compile/libraries.def`; do not edit (`HEDDLE_WRITE_DOCS=1 ctest -R unit.libraries` writes it anew).\n\n"
                     "Heddle has the CUDA runtime ([support.md](support.md)) and the device library of CUDA. Programs that include a header of "
                     "another library, or link it, get an error that says what it is. Debian means Debian 12.\n\n"
                     "| library | what | headers | linked as | instead |\n| --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < LIBRARIES; i++) {
        const struct library *l = &libraries[i];
        strbuf_addf(out, "| %s | %s | ", l->name, l->what);
        add_words(out, l->headers);
        strbuf_adds(out, " | ");
        add_words(out, l->link);
        strbuf_addf(out, " | %s |\n", l->instead);
    }
}
