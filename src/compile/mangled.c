/* Mangled names of what a file keeps to itself, as clang and as nvcc write them (see mangled.h). Grammar: Itanium C++ ABI, 5.1. */
#include "compile/mangled.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "compile/words.h"

/* At a source name, <length><letters>: its letters, and what is behind it; NULL: it is none. */
static const char *source_name(const char *s, size_t *n, const char **behind)
{
    char *end;
    if (!isdigit((unsigned char)*s))
        return NULL;
    *n = strtoul(s, &end, 10);
    if (!*n || *n > strlen(end))
        return NULL;
    *behind = end + *n;
    return end;
}

/* What both spellings of such a name have in common, and no other name of the file has. */
static const char *key_of(struct arena *a, const char *name)
{
    struct strbuf key;
    strbuf_init(&key);
    bool plain = strncmp(name, "_Z", 2) != 0;
    if (plain)
        strbuf_addf(&key, "_Z%zu", strlen(name));
    for (const char *s = name; *s;) {
        const char *behind;
        size_t n;
        const char *letters = plain ? NULL : source_name(*s == 'L' ? s + 1 : s, &n, &behind);
        if (!letters) {
            strbuf_add(&key, s++, 1);
            continue;
        }
        if (!strncmp(letters, "_GLOBAL__N_", 11))
            strbuf_adds(&key, "12_GLOBAL__N_1");
        else if (strncmp(letters, "_INTERNAL_", 10))
            strbuf_addf(&key, "%zu%.*s", n, (int)n, letters);
        s = behind;
    }
    const char *kept = arena_strdup(a, key.s ? key.s : "");
    strbuf_release(&key);
    return kept;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

void mangled_rename(struct strbuf *text, const struct words *names)
{
    struct arena a;
    struct table by_key, now; /* key -> name; name in the text -> the other name, or itself */
    struct strbuf out;
    arena_init(&a);
    table_init(&by_key);
    table_init(&now);
    strbuf_init(&out);
    for (int i = 0; i < names->n; i++)
        table_set(&by_key, key_of(&a, names->v[i]), (void *)names->v[i]);
    for (const char *s = text->s ? text->s : ""; *s;) {
        size_t n = 0;
        while (is_letter(s[n]))
            n++;
        bool part = s > text->s && (s[-1] == '%' || s[-1] == '.'); /* of a register, an instruction */
        if (!n || part) {
            n = n ? n : 1;
            strbuf_add(&out, s, n);
            s += n;
            continue;
        }
        const char *word = arena_strndup(&a, s, n), *other = table_get(&now, word);
        if (!other) {
            other = table_get(&by_key, key_of(&a, word));
            other = other ? other : word;
            table_set(&now, word, (void *)other);
        }
        strbuf_adds(&out, other);
        s += n;
    }
    strbuf_clear(text);
    strbuf_add(text, out.s ? out.s : "", out.len);
    strbuf_release(&out);
    table_release(&by_key);
    table_release(&now);
    arena_release(&a);
}
