/* The names of the checkers' tools. */
#include <string.h>

#include "check/check.h"

static const struct {
    const char *name;
    unsigned tools;
} names[] = {{"memcheck", CHECK_MEMCHECK},   {"initcheck", CHECK_INITCHECK}, {"synccheck", CHECK_SYNCCHECK},
             {"racecheck", CHECK_RACECHECK}, {"all", CHECK_ALL}};

unsigned check_tool_named(const char *word, size_t n)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].name) == n && !strncmp(names[i].name, word, n))
            return names[i].tools;
    return 0;
}

const char *check_tool_name(enum check_tool t)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].tools == (unsigned)t)
            return names[i].name;
    return NULL;
}
