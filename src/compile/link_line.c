/* The linker's command line in the cache (see link_line.h).
 *
 * An entry's key is made of clang's command and of what else clang asks: variables of the environment. The entry is a list of
 * files that clang chose (the linker, start files: deps_add), an empty line, and the linker's words, each with a NUL. In both,
 * TEMP stands for the folder of compiled objects and OUTPUT for the program. A linker that fails is no harm: the caller has
 * clang link then, which says why. */
#include "compile/link_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/store.h"
#include "base/strbuf.h"
#include "compile/cache.h"
#include "compile/files.h"
#include "compile/words.h"

#define TEMP   "\001"
#define OUTPUT "\002"

/* A word without what differs from one link to the next. */
static const char *general(const struct link_line *l, struct arena *a, const char *word)
{
    if (strcmp(word, l->output) == 0)
        return OUTPUT;
    size_t n = l->temp ? strlen(l->temp) : 0;
    return n && strncmp(word, l->temp, n) == 0 && word[n] == '/' ? arena_printf(a, TEMP "%s", word + n) : word;
}

static const char *special(const struct link_line *l, struct arena *a, const char *word)
{
    if (strcmp(word, OUTPUT) == 0)
        return l->output;
    return word[0] == TEMP[0] ? arena_printf(a, "%s%s", l->temp, word + 1) : word;
}

static struct hash128 key_of(const struct toolchain *t, const struct link_line *l, struct arena *a)
{
    static const char *const asked[] = {"PATH", "LIBRARY_PATH", "COMPILER_PATH", "CCC_OVERRIDE_OPTIONS"};
    struct words w = {0};
    words_add(a, &w, "link");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const char *value = getenv(asked[i]);
        words_addf(a, &w, value ? "=%s" : "", value);
    }
    for (int i = 0; i < l->command->n; i++)
        words_add(a, &w, general(l, a, l->command->v[i]));
    return cache_key(t, &w);
}

bool link_line_find(const struct toolchain *t, const struct store *s, const struct link_line *l, struct arena *a, struct words *linker)
{
    struct hash128 key = key_of(t, l, a);
    struct strbuf entry;
    strbuf_init(&entry);
    char *words = store_get(s, STORE_EXE, &key, &entry) ? strstr(entry.s, "\n\n") : NULL;
    if (words) {
        words[1] = '\0';
        if (deps_unchanged(entry.s))
            for (const char *p = words + 2, *end = entry.s + entry.len; p < end; p += strlen(p) + 1)
                words_add(a, linker, special(l, a, p));
    }
    strbuf_release(&entry);
    return linker->n > 0;
}

/* The words of a line as clang prints it: in quotes where needed, with a backslash before a quote, a dollar and a backslash. */
static bool split(const char *line, struct arena *a, struct words *w)
{
    struct strbuf word;
    strbuf_init(&word);
    bool quoted = false;
    for (line += strspn(line, " "); *line && *line != '\n';) {
        strbuf_clear(&word);
        for (; *line && *line != '\n' && (quoted || *line != ' '); line++) {
            if (*line == '"') {
                quoted = !quoted;
                continue;
            }
            if (quoted && *line == '\\' && line[1])
                line++;
            strbuf_add(&word, line, 1);
        }
        words_add(a, w, word.s ? word.s : "");
        line += strspn(line, " ");
    }
    strbuf_release(&word);
    return !quoted;
}

static bool is_among(const struct words *w, const char *word)
{
    for (int i = 0; i < w->n; i++)
        if (strcmp(w->v[i], word) == 0)
            return true;
    return false;
}

static void keep(const struct toolchain *t, struct store *s, const struct link_line *l, struct arena *a, const struct words *linker)
{
    struct hash128 key = key_of(t, l, a);
    struct strbuf entry;
    strbuf_init(&entry);
    for (int i = 0; i < linker->n; i++)
        if (linker->v[i][0] == '/' && !is_among(l->command, linker->v[i]))
            deps_add(&entry, linker->v[i]);
    strbuf_adds(&entry, "\n");
    for (int i = 0; i < linker->n; i++) {
        const char *word = general(l, a, linker->v[i]);
        strbuf_add(&entry, word, strlen(word) + 1);
    }
    store_put(s, STORE_EXE, &key, entry.s, entry.len); /* if it cannot, clang links the next, too */
    strbuf_release(&entry);
}

const char *link_line_learn(const struct toolchain *t, struct store *s, const struct link_line *l, struct arena *a, const char *said,
                            bool linked)
{
    struct strbuf rest;
    struct words linker = {0};
    const char *command = NULL;
    int commands = 0;
    bool configured = false;
    strbuf_init(&rest);
    for (size_t n; said && *said; said += n) {
        n = strcspn(said, "\n");
        n += said[n] == '\n';
        const char *line = arena_strndup(a, said, n);
        if (strncmp(line, " \"", 2) == 0) {
            command = line;
            commands++;
        } else if (command || strstr(line, "warning: ") || strstr(line, "error: ")) {
            strbuf_adds(&rest, line);
        } else if (strncmp(line, "Configuration file: ", 20) == 0) {
            configured = true;
        }
    }
    if (linked && commands == 1 && !configured && split(command, a, &linker) && is_among(&linker, l->output))
        keep(t, s, l, a, &linker);
    const char *kept = arena_strdup(a, rest.s ? rest.s : "");
    strbuf_release(&rest);
    return kept;
}
