/* A first look at PTX text (see ptxfile.h). Grammar: PTX ISA, "Syntax" and "Directives". */
#include "compile/ptxfile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "compile/compile.h"
#include "compile/files.h"

#include <errno.h>

struct scan {
    const char *p;
    int line;
    int depth;            /* of { } */
    int open_line;        /* where depth left 0 */
    const char *name;     /* of the newest .entry or .func */
    size_t name_bytes;
    bool version;
    int target;
};

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* Steps over a comment or a string; false if there is none here. */
static bool skip_opaque(struct scan *s)
{
    const char *end;
    if (s->p[0] == '/' && s->p[1] == '/') {
        s->p += strcspn(s->p, "\n");
        return true;
    }
    if (s->p[0] == '/' && s->p[1] == '*') {
        end = strstr(s->p + 2, "*/");
        end = end ? end + 2 : s->p + strlen(s->p);
    } else if (s->p[0] == '"') {
        end = s->p + 1 + strcspn(s->p + 1, "\"\n");
        end += *end == '"';
    } else {
        return false;
    }
    for (; s->p < end; s->p++)
        s->line += *s->p == '\n';
    return true;
}

static bool directive(const struct scan *s, const char *name)
{
    size_t n = strlen(name);
    return strncmp(s->p, name, n) == 0 && !word_char(s->p[n]);
}

/* The name after .entry, or after .func and its return parameter. */
static void read_name(struct scan *s, const char *after)
{
    after += strspn(after, " \t\r\n");
    if (*after == '(')
        after += strcspn(after, ")") + 1;
    after += strspn(after, " \t\r\n");
    size_t n = 0;
    while (word_char(after[n]))
        n++;
    if (n) {
        s->name = after;
        s->name_bytes = n;
    }
}

static void look(struct scan *s)
{
    if (*s->p == '\n') {
        s->line++;
    } else if (*s->p == '{') {
        if (s->depth++ == 0)
            s->open_line = s->line;
    } else if (*s->p == '}') {
        s->depth--;
    } else if (*s->p == '.' && s->depth == 0) {
        if (directive(s, ".version"))
            s->version = true;
        else if (directive(s, ".entry"))
            read_name(s, s->p + 6);
        else if (directive(s, ".func"))
            read_name(s, s->p + 5);
        else if (directive(s, ".target") && !s->target) {
            const char *sm = s->p + 7 + strspn(s->p + 7, " \t");
            s->target = strncmp(sm, "sm_", 3) == 0 ? atoi(sm + 3) : 0;
        }
    }
    s->p++;
}

int ptxfile_check(const char *text, size_t bytes, const char *file, struct diag_list *diags)
{
    struct scan s = {.p = text, .line = 1};
    if (strlen(text) != bytes) {
        diag_add(diags, DIAG_ERROR, file, 0, "this is no PTX text: it has NUL bytes");
        return 0;
    }
    while (*s.p && s.depth >= 0)
        if (!skip_opaque(&s))
            look(&s);
    if (!s.version || s.target <= 0) {
        diag_add(diags, DIAG_ERROR, file, 0, "this is no PTX text: it has no %s line",
                 s.version ? "'.target sm_NN'" : "'.version'");
        return 0;
    }
    if (s.depth < 0) {
        diag_add(diags, DIAG_ERROR, file, s.line, "'}' without '{'");
        return 0;
    }
    if (s.depth > 0) {
        struct diag *d = diag_add(diags, DIAG_ERROR, file, s.line,
                                  "the file ends inside '%.*s': is it cut off?", (int)s.name_bytes,
                                  s.name ? s.name : "");
        (void)d;
        diag_add(diags, DIAG_NOTE, file, s.open_line, "its '{' is here");
        return 0;
    }
    const char *last = text + bytes;
    while (last > text && isspace((unsigned char)last[-1]))
        last--;
    if (last > text && !strchr("};", last[-1]) && s.name && s.name > text &&
        strcspn(s.name, "{;") == strlen(s.name)) {
        diag_add(diags, DIAG_ERROR, file, s.line, "the file ends inside the head of '%.*s': is it cut off?",
                 (int)s.name_bytes, s.name);
        return 0;
    }
    return s.target;
}

bool ptxfile_has_entry(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = text; (p = strstr(p, ".entry")) != NULL;) {
        p += 6;
        const char *at = p + strspn(p, " \t\r\n");
        if (at > p && strncmp(at, name, n) == 0 && !word_char(at[n]))
            return true;
    }
    return false;
}

/* Where in the instruction's name a word goes, or 0: it needs none. */
typedef size_t place_function(const char *name);

static void add_words(struct strbuf *ptx, const char *word, place_function *place)
{
    struct strbuf out;
    struct scan s = {.p = ptx->s ? ptx->s : ""};
    const char *from = s.p;
    strbuf_init(&out);
    while (*s.p) {
        if (skip_opaque(&s))
            continue;
        size_t at = s.p == ptx->s || !(word_char(s.p[-1]) || s.p[-1] == '.') ? place(s.p) : 0;
        if (at) {
            strbuf_add(&out, from, (size_t)(s.p + at - from));
            strbuf_addf(&out, "%s.", word);
            from = s.p += at;
        } else {
            s.p++;
        }
    }
    strbuf_adds(&out, from);
    strbuf_clear(ptx);
    strbuf_add(ptx, out.s ? out.s : "", out.len);
    strbuf_release(&out);
}

/* The first word behind `ld.` or `ld.global.` of a load without cache operator and order is its vector or its type. */
static size_t place_of_cache(const char *name)
{
    size_t n = strncmp(name, "ld.global.", 10) == 0 ? 10 : strncmp(name, "ld.", 3) == 0 ? 3 : 0;
    const char *p = name + n;
    bool vector = *p == 'v' && (p[1] == '2' || p[1] == '4' || p[1] == '8') && p[2] == '.';
    return n && (vector || (*p && strchr("bsuf", *p) && isdigit((unsigned char)p[1]))) ? n : 0;
}

void ptxfile_set_load_cache(struct strbuf *ptx, const char *mode)
{
    add_words(ptx, mode, place_of_cache);
}

/* Behind `add.`, `sub.` and `mul.` of floats, unless a rounding comes there. */
static size_t place_of_rounding(const char *name)
{
    enum { OP = 4 };
    if (strncmp(name, "add.", OP) && strncmp(name, "sub.", OP) && strncmp(name, "mul.", OP))
        return 0;
    const char *p = name + OP;
    while (strncmp(p, "ftz.", 4) == 0 || strncmp(p, "sat.", 4) == 0)
        p += 4;
    p += *p == 'b';
    return *p == 'f' && isdigit((unsigned char)p[1]) ? OP : 0;
}

void ptxfile_round(struct strbuf *ptx)
{
    add_words(ptx, "rn", place_of_rounding);
}

/* Behind the name and the parameters of an entry, if that has a body and no bounds of its own; else NULL. */
static const char *place_of_limit(const char *entry)
{
    static const char *const bounds[] = {".maxnreg", ".maxntid", ".reqntid", ".minnctapersm"};
    const char *p = entry + strlen(".entry");
    p += strspn(p, " \t\r\n");
    while (word_char(*p) || *p == '$')
        p++;
    const char *at = p + strspn(p, " \t\r\n");
    at = *at == '(' ? strchr(at, ')') : p;
    const char *body = at ? strchr(at, '{') : NULL;
    if (!body || memchr(at, ';', (size_t)(body - at)))
        return NULL;
    for (const char *word = at; word < body; word++)
        for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
            if (!strncmp(word, bounds[i], strlen(bounds[i])))
                return NULL;
    return *at == ')' ? at + 1 : at;
}

void ptxfile_limit(struct strbuf *ptx, int registers)
{
    struct strbuf out;
    struct scan s = {.p = ptx->s ? ptx->s : ""};
    const char *from = s.p;
    strbuf_init(&out);
    while (*s.p) {
        if (skip_opaque(&s))
            continue;
        const char *at = directive(&s, ".entry") ? place_of_limit(s.p) : NULL;
        if (at) {
            strbuf_add(&out, from, (size_t)(at - from));
            strbuf_addf(&out, " .maxnreg %d", registers);
            from = s.p = at;
        } else {
            s.p++;
        }
    }
    strbuf_adds(&out, from);
    strbuf_clear(ptx);
    strbuf_add(ptx, out.s ? out.s : "", out.len);
    strbuf_release(&out);
}

int compile_check_ptx(const char *file, struct diag_list *diags)
{
    struct strbuf b;
    strbuf_init(&b);
    int arch = 0;
    if (!file_read(file, &b))
        diag_add(diags, DIAG_ERROR, file, 0, "cannot read the PTX file: %s", strerror(errno));
    else
        arch = ptxfile_check(b.s ? b.s : "", b.len, file, diags);
    strbuf_release(&b);
    return arch;
}
