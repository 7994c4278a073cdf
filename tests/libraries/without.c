/* Preloaded: a machine on which the libraries named in WITHOUT (parts of names, separated by blanks) are not installed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) void *dlopen(const char *name, int flags)
{
    static void *(*real)(const char *, int);
    char missing[256], *rest = missing;
    if (!real)
        real = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    snprintf(missing, sizeof missing, "%s", getenv("WITHOUT") ? getenv("WITHOUT") : "");
    for (const char *word; name && (word = strsep(&rest, " "));)
        if (*word && strstr(name, word))
            return NULL;
    return real(name, flags);
}
