/* The user's source files, line by line, each read once. */
#ifndef REPORT_SOURCES_H
#define REPORT_SOURCES_H

#include "base/arena.h"
#include "base/table.h"

struct sources {
    struct arena arena;
    struct table by_path;
};

void sources_init(struct sources *s);
void sources_release(struct sources *s);

/* How many lines the file has; 0: it cannot be read. */
int sources_count(struct sources *s, const char *path);

/* A line, from 1, without its end and trailing blanks; "" when it is not there. It lives as long as `s`. */
const char *sources_line(struct sources *s, const char *path, int line);

/* The same without leading blanks. */
const char *sources_text(struct sources *s, const char *path, int line);

#endif
