/* Device printf: the format string over the argument buffer that clang packs.
 *
 * The buffer has the arguments one after the other with natural alignment: 4 bytes for int and char, 8 for long, long
 * long, pointers and floating values (which are doubles). Conversions: %[flags][width][.precision][size]type with the
 * types d i o u x X f F e E g G a A c s p and the sizes h hh l ll and more (CUDA C++ programming guide, "Formatted
 * Output"); width and precision may be *. The text of a conversion is the host's own printf's. The result is the number
 * of arguments, as CUDA's printf answers, not the number of characters. */
#include "interp/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "simt/output.h"
#include "target/driver.h"

#include "heddle.h"

#define LANE_LOOP(m) for (uint32_t left_ = (m), i; left_ && (i = (uint32_t)__builtin_ctz(left_), 1); left_ &= left_ - 1)

struct format {
    const struct warp *w;
    int lane, used;
    uint64_t args;
    uint64_t at; /* bytes of the buffer that are used */
    struct strbuf *out;
    uint64_t *bad;
    uint64_t *printed; /* [PRINTED_NUMBERS] what is gone through, or NULL */
};

static void note(const struct format *f, enum printed_number n, uint64_t more)
{
    if (f->printed)
        f->printed[n] += more;
}

static bool take(struct format *f, unsigned bytes, uint64_t *v)
{
    f->at = (f->at + bytes - 1) / bytes * bytes;
    const char *p = service_bytes(f->w, f->lane, f->args + f->at, bytes);
    *v = 0;
    *f->bad = f->args + f->at;
    if (!p)
        return false;
    memcpy(v, p, bytes);
    f->at += bytes;
    f->used++;
    note(f, bytes == 4 ? PRINTED_WORDS : PRINTED_LONGS, 1);
    return true;
}

/* A conversion taken apart: what printf of the host gets. */
struct spec {
    char text[32];  /* %, flags */
    int n;
    bool has_width, has_precision, is_long;
    int width, precision;
    char type;
};

/* Width and precision are bounded: a kernel's text cannot ask for gigabytes of spaces. */
enum { WIDEST = 4096 };

static const char *read_number(struct format *f, const char *p, bool *has, int *value)
{
    uint64_t v;
    *has = true;
    if (*p == '*') {
        if (!take(f, 4, &v))
            return NULL;
        *value = (int32_t)v;
        p++;
    } else {
        *value = 0;
        while (*p >= '0' && *p <= '9') {
            *value = *value > WIDEST ? WIDEST : *value * 10 + (*p - '0');
            p++;
        }
    }
    *value = *value > WIDEST ? WIDEST : *value < -WIDEST ? -WIDEST : *value;
    return p;
}

/* From behind the % to behind the type. NULL: memory that cannot be read. s->type is 0 for no conversion. */
static const char *read_spec(struct format *f, const char *p, struct spec *s)
{
    memset(s, 0, sizeof *s);
    s->text[s->n++] = '%';
    while (*p && strchr("-+ #0", *p) && s->n < 8)
        s->text[s->n++] = *p++;
    if (*p == '*' || (*p >= '0' && *p <= '9'))
        p = read_number(f, p, &s->has_width, &s->width);
    if (p && *p == '.')
        p = read_number(f, p + 1, &s->has_precision, &s->precision);
    if (!p)
        return NULL;
    for (; *p && strchr("hlLqjzt", *p); p++)
        s->is_long |= *p != 'h' && *p != 'L';
    s->type = *p && strchr("diouxXfFeEgGaAcsp", *p) ? *p : 0;
    return *p ? p + 1 : p;
}

static void finish_spec(struct spec *s, const char *type)
{
    size_t left = sizeof s->text - (size_t)s->n;
    int n = s->n;
    n += s->has_width ? snprintf(s->text + n, left, "*") : 0;
    n += s->has_precision && s->precision >= 0 ? snprintf(s->text + n, sizeof s->text - (size_t)n, ".*") : 0;
    snprintf(s->text + n, sizeof s->text - (size_t)n, "%s", type);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* The four ways a conversion's numbers can stand before its value. */
#define PRINT(value)                                                                               \
    do {                                                                                           \
        bool precise = s->has_precision && s->precision >= 0;                                      \
        if (s->has_width && precise)                                                               \
            strbuf_addf(f->out, s->text, s->width, s->precision, value);                           \
        else if (s->has_width || precise)                                                          \
            strbuf_addf(f->out, s->text, s->has_width ? s->width : s->precision, value);           \
        else                                                                                       \
            strbuf_addf(f->out, s->text, value);                                                   \
    } while (0)

static bool print_string(struct format *f, struct spec *s, uint64_t address)
{
    struct strbuf text;
    bool ok = true;
    strbuf_init(&text);
    if (!address)
        strbuf_adds(&text, "(null)");
    else
        ok = service_string(f->w, f->lane, address, &text, f->bad);
    finish_spec(s, "s");
    if (ok) {
        const char *t = text.s ? text.s : "";
        note(f, PRINTED_STRINGS, 1);
        note(f, PRINTED_STRING_CHARACTERS, strlen(t));
        PRINT(t);
    }
    strbuf_release(&text);
    return ok;
}

static bool print_spec(struct format *f, struct spec *s)
{
    uint64_t v;
    char type[4] = {s->type};
    double d;
    switch (s->type) {
    case 'c':
        if (!take(f, 4, &v))
            return false;
        finish_spec(s, type);
        PRINT((int)v);
        return true;
    case 's':
        return take(f, 8, &v) && print_string(f, s, v);
    case 'p':
        if (!take(f, 8, &v))
            return false;
        finish_spec(s, type);
        PRINT((void *)(uintptr_t)v);
        return true;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        if (!take(f, s->is_long ? 8 : 4, &v))
            return false;
        snprintf(type, sizeof type, s->is_long ? "ll%c" : "%c", s->type);
        finish_spec(s, type);
        if (s->is_long)
            PRINT((long long)v);
        else
            PRINT((int)v);
        return true;
    default:
        if (!take(f, 8, &v))
            return false;
        memcpy(&d, &v, sizeof d);
        finish_spec(s, type);
        PRINT(d);
        return true;
    }
}
#undef PRINT
#pragma GCC diagnostic pop

/* As CUDA's device printf does (CUDA C++ programming guide, "Formatted Output"): `format` over the packed arguments at the format's generic
 * address. Returns how many arguments were used; -1: *bad is an address that cannot be read. What is no conversion of CUDA's is printed as
 * it stands. */
static int print_format(struct format f, const char *format)
{
    struct spec s;
    for (const char *p = format; *p;) {
        size_t plain = strcspn(p, "%");
        strbuf_add(f.out, p, plain);
        p += plain;
        if (!*p)
            break;
        if (p[1] == '%') {
            strbuf_add(f.out, "%", 1);
            p += 2;
            continue;
        }
        const char *next = read_spec(&f, p + 1, &s);
        if (!next)
            return -1;
        if (!s.type)
            strbuf_add(f.out, p, (size_t)(next - p));
        else if (!print_spec(&f, &s))
            return -1;
        p = next;
    }
    return f.used;
}

/* printed: [PRINTED_NUMBERS], or NULL. */
static int print_lane(const struct interp_code *c, struct warp *w, const struct step *st, int lane, struct strbuf *out,
                      uint64_t *bad, uint64_t *printed)
{
    struct strbuf format;
    uint64_t at = step_value(c, w, st, 0, lane);
    strbuf_init(&format);
    int n = !service_string(w, lane, at, &format, bad) ? -1
          : !format.s ? 0 : print_format((struct format){.w = w, .lane = lane, .args = step_value(c, w, st, 1, lane), .out = out, .bad = bad, .printed = printed}, format.s);
    if (printed) {
        printed[PRINTED_CHARACTERS] += format.len;
        printed[PRINTED_SOME] += n > 0;
    }
    strbuf_release(&format);
    return n;
}

bool service_vprintf(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    struct strbuf out;
    uint64_t bad = 0, printed[PRINTED_NUMBERS] = {[PRINTED_CALLS] = 1, [PRINTED_LANES] = (uint64_t)__builtin_popcount(m)};
    uint64_t *all = w->block->launch->printed;
    int lane = 0, n = 0;
    strbuf_init(&out);
    LANE_LOOP(m)
    {
        lane = (int)i;
        /* "Internal errors in printf() return -1 ... if the format string is NULL, -1" (programming guide) */
        n = step_value(c, w, st, 0, lane) ? print_lane(c, w, st, lane, &out, &bad, all && (m & -m) == 1u << i ? printed : NULL) : -1;
        if (n < 0 && bad)
            break;
        if (st->in->ndst && st->d[0] != PLACE_NONE)
            step_write(c, w, st, 0, lane, (uint32_t)n);
    }
    for (int i = 0; all && i < PRINTED_NUMBERS; i++)
        __atomic_fetch_add(&all[(size_t)(st - c->step) * PRINTED_NUMBERS + (size_t)i], printed[i], __ATOMIC_RELAXED);
    if (out.len)
        output_add(w->block, OUTPUT_PRINTF, out.s, out.len);
    strbuf_release(&out);
    if (n < 0 && bad)
        return service_fault(c, w, st, HEDDLE_ILLEGAL_ADDRESS, lane, bad, "printf read its format, an argument or a string there");
    return true;
}
