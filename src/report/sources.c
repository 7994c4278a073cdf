/* Source files by path, split into lines (see sources.h). */
#define _GNU_SOURCE /* getline */
#include "report/sources.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct source {
    const char **line;
    int n, cap;
};

void sources_init(struct sources *s)
{
    arena_init(&s->arena);
    table_init(&s->by_path);
}

void sources_release(struct sources *s)
{
    table_release(&s->by_path);
    arena_release(&s->arena);
}

static void add_line(struct sources *s, struct source *f, const char *text, size_t len)
{
    if (f->n == f->cap) {
        int cap = f->cap ? 2 * f->cap : 256;
        const char **grown = ARENA_ARRAY(&s->arena, const char *, cap);

        if (f->n)
            memcpy(grown, f->line, sizeof *grown * (size_t)f->n);
        f->line = grown;
        f->cap = cap;
    }
    while (len && isspace((unsigned char)text[len - 1]))
        len--;
    f->line[f->n++] = arena_strndup(&s->arena, text, len);
}

static struct source *find(struct sources *s, const char *path)
{
    struct source *f = table_get(&s->by_path, path);
    char *text = NULL;
    size_t size = 0;
    FILE *in;

    if (f)
        return f;
    f = ARENA_NEW(&s->arena, struct source);
    table_set(&s->by_path, arena_strdup(&s->arena, path), f);
    in = fopen(path, "re");
    for (ssize_t n; in && (n = getline(&text, &size, in)) >= 0;)
        add_line(s, f, text, (size_t)n);
    free(text);
    if (in)
        fclose(in);
    return f;
}

int sources_count(struct sources *s, const char *path)
{
    return find(s, path)->n;
}

const char *sources_line(struct sources *s, const char *path, int line)
{
    const struct source *f = find(s, path);

    return line > 0 && line <= f->n ? f->line[line - 1] : "";
}

const char *sources_text(struct sources *s, const char *path, int line)
{
    const char *text = sources_line(s, path, line);

    while (isspace((unsigned char)*text))
        text++;
    return text;
}
