/* The compiler's messages in nvcc's form (see log.h). */
#define _GNU_SOURCE
#include "log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The message begins behind ": error: " and its like; *file bytes of the line are the file's name. */
static const char *split(const char *line, size_t n, size_t *file, long *number, const char **severity)
{
    static const char *const words[] = {": error: ", ": warning: ", ": note: "};
    const char *found = NULL;
    for (int i = 0; i < 3; i++) {
        const char *at = memmem(line, n, words[i], strlen(words[i]));
        if (at && (!found || at < found)) {
            found = at;
            *severity = words[i];
        }
    }
    if (!found || isspace((unsigned char)*line))
        return NULL;
    *file = (size_t)(found - line);
    *number = 0;
    for (int i = 0; i < 2; i++) { /* ":line:column", or one number: the line */
        size_t digits = *file;
        while (digits && isdigit((unsigned char)line[digits - 1]))
            digits--;
        if (digits == *file || !digits || line[digits - 1] != ':')
            break;
        *number = atol(line + digits);
        *file = digits - 1;
    }
    return found + strlen(*severity);
}

/* "    14 | text" and "       | ^": what stands behind the bar. */
static const char *quoted(const char *line, size_t n)
{
    const char *bar = memchr(line, '|', n);
    for (const char *p = line; bar && p < bar; p++)
        if (*p != ' ' && !isdigit((unsigned char)*p))
            return NULL;
    return bar;
}

void log_take(const char *said, const char *name, const char *folder, struct text *out)
{
    int errors = 0;
    for (const char *line = said, *end; line && *line; line = end) {
        size_t n = strcspn(line, "\n"), file = 0, skip = 0;
        long number;
        const char *severity = NULL, *bar, *text = split(line, n, &file, &number, &severity);
        end = line + n + (line[n] == '\n');
        if (text) {
            if (!strncmp(line, folder, strlen(folder)))
                skip = strlen(folder) + 1 + (strncmp(line + strlen(folder) + 1, "include/", 8) ? 0 : 8);
            errors += severity[2] == 'e';
            text_addf(out, "%s%.*s(%ld)%.*s%.*s\n", severity[2] == 'n' ? "" : out->len ? "\n" : "", (int)(file - skip),
                      line + skip, number, (int)strlen(severity), severity, (int)(end - text - (end[-1] == '\n')), text);
        } else if ((bar = quoted(line, n))) {
            text_addf(out, " %.*s\n", (int)(n - (size_t)(bar - line) - 1), bar + 1);
        } else if (n) {
            text_addf(out, "%.*s\n", (int)n, line);
        }
    }
    if (errors)
        text_addf(out, "\n%d error%s detected in the compilation of \"%s\".\n", errors, errors == 1 ? "" : "s", name);
}
