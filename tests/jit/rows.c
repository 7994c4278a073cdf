/* Instances of a line: its alternatives are the digits of the instance's number, the first one the lowest. */
#include "rows.h"

#include <string.h>

const struct row rows[] = {
#define ANY ROW_ANY
#define OPEN ROW_OPEN
#define WARP ROW_WARP
#define BLOCK ROW_BLOCK
#define BARE ROW_BARE
#define LATER ROW_LATER
#define ROW(when, text) {when, text},
#define ELSEWHERE(id, types, test)
#define NOWHERE(id, types, why)
#include "rows.def"
#undef ROW
#undef ELSEWHERE
#undef NOWHERE
};
const int nrows = sizeof rows / sizeof *rows;

unsigned row_alternatives(const char *at)
{
    unsigned n = 1;
    for (; *at != '>'; at++)
        n += *at == '/';
    return n;
}

uint64_t row_instances(const char *text)
{
    uint64_t n = 1;
    for (const char *at = text; *at; at++)
        if (*at == '<')
            n *= row_alternatives(at);
    return n;
}

static void choose(struct strbuf *out, const char *text, uint64_t instance)
{
    for (const char *at = text; *at; at++) {
        if (*at != '<') {
            strbuf_add(out, at, 1);
            continue;
        }
        unsigned n = row_alternatives(at), pick = (unsigned)(instance % n);
        instance /= n;
        for (at++; pick; at++)
            pick -= *at == '/';
        for (; *at != '/' && *at != '>'; at++)
            strbuf_add(out, at, 1);
        while (*at != '>')
            at++;
    }
}

void row_write(struct strbuf *out, const char *text, uint64_t instance, const char *guard, row_operand *operand, void *who)
{
    struct strbuf chosen;
    strbuf_init(&chosen);
    choose(&chosen, text, instance);
    bool braces = false;
    char before = 0; /* the last register's letter, while it matters */
    int last = 0;
    strbuf_adds(out, guard);
    for (const char *at = chosen.s; *at; at++) {
        if (*at == '{' || *at == '}')
            braces = *at == '{', before = 0;
        if (*at == ';' && at[1] == ' ') {
            strbuf_addf(out, ";\n%s", guard);
            at++;
        } else if (*at == '$') {
            char letter = *++at;
            bool reg = strchr("hrqfdp", letter) != NULL;
            int value = operand(who, letter, letter == before, last);
            reg ? strbuf_addf(out, "%%%c%d", letter, value) : strbuf_addf(out, "%d", value);
            before = braces || at[1] == '|' ? letter : 0;
            last = value;
        } else {
            strbuf_add(out, at, 1);
        }
    }
    strbuf_adds(out, ";\n");
    strbuf_release(&chosen);
}
