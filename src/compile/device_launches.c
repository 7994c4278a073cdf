/* See device_launches.h. */
#include "compile/device_launches.h"

#include <ctype.h>
#include <string.h>

#include "base/strbuf.h"
#include "compile/source_text.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* --- where launches stand --- */

/* A launch: `callee <<< configuration >>> ( arguments )`. */
struct found {
    const char *callee, *open, *configuration, *close, *arguments, *end;
};

static const char *back_over_blanks(const char *begin, const char *p)
{
    while (p > begin && isspace((unsigned char)p[-1]))
        p--;
    return p;
}

/* The bracket that belongs to the closing one before p; NULL: there is none. */
static const char *back_over_brackets(const char *begin, const char *p, char open, char close)
{
    int depth = 0, round = 0; /* a comparison in round brackets is none of these */
    for (const char *q = p; q > begin; q--) {
        round += open == '<' ? (q[-1] == ')') - (q[-1] == '(') : 0;
        depth += round ? 0 : (q[-1] == close) - (q[-1] == open);
        if (!depth && !round)
            return q - 1;
        if (q[-1] == ';' || q[-1] == '{' || round < 0)
            return NULL;
    }
    return NULL;
}

/* `a::b<int>` or `(*f)` that ends at p; NULL: something else. */
static const char *back_over_callee(const char *begin, const char *p)
{
    const char *at = p = back_over_blanks(begin, p);
    for (bool first = true;; first = false) {
        if (p > begin && p[-1] == '>')
            p = back_over_brackets(begin, p, '<', '>');
        else if (first && p > begin && p[-1] == ')')
            return back_over_brackets(begin, p, '(', ')');
        p = p ? back_over_blanks(begin, p) : NULL;
        const char *word = p;
        while (word && word > begin && is_word(word[-1]))
            word--;
        if (!p || word == p)
            return first ? NULL : at; /* ::name */
        at = word;
        p = back_over_blanks(begin, word);
        if (p - begin < 2 || p[-1] != ':' || p[-2] != ':')
            return at;
        at = p = p - 2;
        p = back_over_blanks(begin, p);
    }
}

/* The end of the brackets that open at p; NULL: they do not close. */
static const char *over_brackets(const struct source_text *t, const char *p)
{
    int depth = 0;
    while (p < t->end) {
        const char *over = source_over_opaque(t, p);
        if (over > p) {
            p = over;
            continue;
        }
        depth += (*p == '(') - (*p == ')');
        p++;
        if (!depth)
            return p;
    }
    return NULL;
}

static bool find(const struct source_text *t, const char *p, struct found *f)
{
    bool apart;
    f->open = p;
    f->configuration = source_three(t, p, '<', &apart);
    f->close = f->configuration ? source_closing(t, f->configuration, &f->arguments, &apart) : NULL;
    if (!f->close)
        return false;
    while (f->arguments < t->end && isspace((unsigned char)*f->arguments))
        f->arguments++;
    f->callee = back_over_callee(t->begin, p);
    f->end = f->arguments < t->end && *f->arguments == '(' ? over_brackets(t, f->arguments) : NULL;
    return f->callee && f->end;
}

/* --- bodies --- */

static bool has_word(const char *from, const char *to, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = from; p + n <= to; p++)
        if (!memcmp(p, word, n) && (p == from || !is_word(p[-1])) && (p + n == to || !is_word(p[n])))
            return true;
    return false;
}

static const char *over_line(const struct source_text *t, const char *p)
{
    while (p < t->end && *p != '\n')
        p += *p == '\\' && p + 1 < t->end ? 2 : 1;
    return p;
}

bool device_launches_in(const char *text, size_t len)
{
    struct source_text t = {text, text + len};
    const char *declaration = text; /* since the last one ended */
    int depth = 0;                  /* of braces within a body for the device; 0: outside of such */
    bool line_begins = true;
    for (const char *p = text; p < t.end;) {
        const char *over = line_begins && *p == '#' ? over_line(&t, p) : source_over_opaque(&t, p);
        struct found f;
        if (over > p) {
            p = over;
            continue;
        }
        if (depth && *p == '<' && find(&t, p, &f))
            return true;
        if (*p == '{')
            depth += depth || has_word(declaration, p, "__global__") || has_word(declaration, p, "__device__");
        if (*p == '}' && depth)
            depth--;
        if (!depth && strchr(";{}", *p) && *p)
            declaration = p + 1;
        line_begins = *p == '\n' || (line_begins && isspace((unsigned char)*p));
        p++;
    }
    return false;
}

/* --- texts --- */

static void put(struct strbuf *out, const char *from, const char *to)
{
    strbuf_add(out, from, (size_t)(to - from));
}

/* The callee is in `out` already, as its last bytes. */
static void put_launch(struct strbuf *out, const struct found *f, bool for_device, size_t callee_at)
{
    struct strbuf callee;
    strbuf_init(&callee);
    strbuf_add(&callee, out->s + callee_at, out->len - callee_at);
    out->len = callee_at;
    out->s[out->len] = 0;
    strbuf_adds(out, for_device ? "(__heddle_configure(" : "[&]{ ");
    if (for_device) {
        put(out, f->configuration, f->close);
        strbuf_adds(out, "), ");
        strbuf_add(out, callee.s, callee.len);
        put(out, f->arguments, f->end);
        strbuf_adds(out, ")");
    } else {
        strbuf_add(out, callee.s, callee.len);
        put(out, f->open, f->end);
        strbuf_adds(out, "; }()");
    }
    strbuf_release(&callee);
}

void device_launches_mend(const char *text, size_t len, bool for_device, struct strbuf *out)
{
    struct source_text t = {text, text + len};
    for (const char *p = text; p < t.end;) {
        const char *over = source_over_opaque(&t, p);
        struct found f;
        if (over > p) {
            put(out, p, over);
            p = over;
        } else if (*p == '<' && find(&t, p, &f) && (size_t)(p - f.callee) <= out->len) {
            put_launch(out, &f, for_device, out->len - (size_t)(p - f.callee));
            p = f.end;
        } else {
            strbuf_add(out, p++, 1);
        }
    }
}

void device_launches_includes(const char *text, size_t len, void (*visit)(const char *name, size_t n, void *user), void *user)
{
    const struct source_text t = {text, text + len};
    for (const char *p = text; p < t.end; p = over_line(&t, p), p += p < t.end) {
        while (p < t.end && (*p == ' ' || *p == '\t'))
            p++;
        if (p == t.end || *p != '#')
            continue;
        for (p++; p < t.end && (*p == ' ' || *p == '\t'); p++)
            ;
        if (t.end - p < 8 || strncmp(p, "include", 7))
            continue;
        for (p += 7; p < t.end && (*p == ' ' || *p == '\t'); p++)
            ;
        const char *close = p < t.end && *p == '"' ? memchr(p + 1, '"', (size_t)(t.end - p - 1)) : NULL;
        if (close)
            visit(p + 1, (size_t)(close - p - 1), user);
    }
}
