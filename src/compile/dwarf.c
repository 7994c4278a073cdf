/* DWARF of PTX to DWARF of x86-64 (see dwarf.h).
 *
 * The data directives become bytes with holes for addresses; the tree is walked entry by entry, in order, and each is printed
 * under a label made of its old offset, which references name. Abbreviations are made anew as they are needed. */
#include "compile/dwarf.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/steps.h"
#include "base/strbuf.h"
#include "compile/words.h"

enum { /* DWARF 4, figures 18, 20, 21 and 24 */
    TAG_UNIT = 0x11, TAG_BASE = 0x24, TAG_STRUCTURE = 0x13, TAG_MEMBER = 0x0d, TAG_VARIABLE = 0x34, TAG_POINTER = 0x0f, TAG_ARRAY = 0x01, TAG_SUBRANGE = 0x21,
    AT_LOCATION = 0x02, AT_NAME = 0x03, AT_BYTE_SIZE = 0x0b, AT_STMT_LIST = 0x10, AT_LOW_PC = 0x11, AT_HIGH_PC = 0x12,
    AT_ADDRESS_CLASS = 0x33, AT_MEMBER_LOCATION = 0x38, AT_ENCODING = 0x3e, AT_EXTERNAL = 0x3f, AT_FRAME_BASE = 0x40,
    AT_TYPE = 0x49, AT_RANGES = 0x55,
    FORM_ADDR = 0x01, FORM_BLOCK2 = 0x03, FORM_BLOCK4 = 0x04, FORM_DATA2 = 0x05, FORM_DATA4 = 0x06, FORM_DATA8 = 0x07,
    FORM_STRING = 0x08, FORM_BLOCK1 = 0x0a, FORM_DATA1 = 0x0b, FORM_FLAG = 0x0c, FORM_SDATA = 0x0d, FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f, FORM_REF4 = 0x13, FORM_SEC_OFFSET = 0x17, FORM_EXPRLOC = 0x18,
    OP_ADDR = 0x03, OP_DEREF = 0x06, OP_PLUS_UCONST = 0x23, OP_BREG3 = 0x73, OP_BREG6 = 0x76, OP_FBREG = 0x91, OP_CALL_FRAME_CFA = 0x9c,
    CLASS_LOCAL = 6, CLASS_SHARED = 8
};

enum { MOST_ATTRIBUTES = 64, HEAD_BYTES = 11, LOCAL_AT = 24, SHARED_AT = 16 /* base/steps.h: -8(%rbp), below the frame's base, and -16(%rbp) */ };

/* --- data directives --- */

struct hole {
    size_t at;
    const char *name; /* a label, or a section with its dot */
    size_t name_bytes;
};

struct bytes {
    uint8_t *v;
    size_t n, cap;
    struct hole *holes;
    int nholes, holes_cap;
    bool bad;
};

static void put(struct bytes *b, uint64_t value, int width)
{
    for (int i = 0; i < width; i++) {
        ALLOC_GROW(b->v, b->n, b->cap);
        b->v[b->n++] = (uint8_t)(value >> 8 * i);
    }
}

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

/* The values of one directive, up to the end of its line. */
static const char *read_values(struct bytes *b, const char *p, const char *end, int width)
{
    for (; p < end && *p != '\n'; p++) {
        if (*p == '/') {
            while (p + 1 < end && p[1] != '\n')
                p++;
        } else if (isdigit((unsigned char)*p) || *p == '-') {
            char *after;
            put(b, *p == '-' ? (uint64_t)strtoll(p, &after, 0) : strtoull(p, &after, 0), width);
            p = after - 1;
        } else if (name_char(*p)) {
            const char *first = p;
            while (p < end && name_char(*p))
                p++;
            ALLOC_GROW(b->holes, b->nholes, b->holes_cap);
            b->holes[b->nholes++] = (struct hole){b->n, first, (size_t)(p - first)};
            put(b, 0, width);
            p--;
        } else {
            b->bad |= *p != ',' && !isspace((unsigned char)*p);
        }
    }
    return p;
}

static const char *find(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    for (; p + n < end; p++)
        if (!memcmp(p, word, n))
            return p;
    return NULL;
}

/* The bytes of a section's braces. */
static bool read_section(const char *ptx, size_t len, const char *name, struct bytes *b)
{
    const char *end = ptx + len, *p = find(ptx, end, ".section");
    while (p) {
        p += strlen(".section");
        while (p < end && isspace((unsigned char)*p))
            p++;
        if ((size_t)(end - p) > strlen(name) && !memcmp(p, name, strlen(name)) && !name_char(p[strlen(name)]))
            break;
        p = find(p, end, ".section");
    }
    p = p ? memchr(p, '{', (size_t)(end - p)) : NULL;
    for (p = p ? p + 1 : end; p < end && *p != '}'; p++) {
        static const struct {
            const char *word;
            int width;
        } directives[] = {{".b8 ", 1}, {".b16 ", 2}, {".b32 ", 4}, {".b64 ", 8}};
        for (size_t i = 0; *p == '.' && i < sizeof directives / sizeof *directives; i++)
            if ((size_t)(end - p) > 5 && !strncmp(p, directives[i].word, strlen(directives[i].word))) {
                p = read_values(b, p + strlen(directives[i].word), end, directives[i].width);
                break;
            }
    }
    return b->n && !b->bad;
}

static const struct hole *hole_at(const struct bytes *b, size_t at)
{
    int low = 0, high = b->nholes;
    while (low < high) {
        int middle = (low + high) / 2;
        if (b->holes[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < b->nholes && b->holes[low].at == at ? &b->holes[low] : NULL;
}

/* --- reading entries --- */

struct attribute {
    unsigned name, form;
    const uint8_t *v;  /* its value, without the length of a block */
    size_t n, at;      /* at: offset of v in .debug_info */
};

struct abbreviation {
    unsigned code, tag, children;
    int first, n; /* attributes */
};

struct reader {
    struct bytes abbrev, info;
    struct abbreviation *abbreviations;
    int nabbreviations, abbreviations_cap;
    struct attribute *pairs; /* name and form */
    int npairs, pairs_cap;
    size_t at; /* in info */
    bool bad;
};

static uint64_t uleb(const struct bytes *b, size_t *at)
{
    uint64_t v = 0;
    for (unsigned shift = 0; *at < b->n; shift += 7) {
        uint8_t byte = b->v[(*at)++];
        v |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
        if (byte < 128)
            break;
    }
    return v;
}

static void read_abbreviations(struct reader *r)
{
    size_t at = 0;
    while (at < r->abbrev.n) {
        struct abbreviation a = {.code = (unsigned)uleb(&r->abbrev, &at), .first = r->npairs};
        if (!a.code)
            break;
        a.tag = (unsigned)uleb(&r->abbrev, &at);
        a.children = (unsigned)uleb(&r->abbrev, &at);
        for (;;) {
            struct attribute p = {.name = (unsigned)uleb(&r->abbrev, &at)};
            p.form = (unsigned)uleb(&r->abbrev, &at);
            if (!p.form || at >= r->abbrev.n)
                break;
            ALLOC_GROW(r->pairs, r->npairs, r->pairs_cap);
            r->pairs[r->npairs++] = p;
        }
        a.n = r->npairs - a.first;
        ALLOC_GROW(r->abbreviations, r->nabbreviations, r->abbreviations_cap);
        r->abbreviations[r->nabbreviations++] = a;
    }
}

static uint64_t number(const uint8_t *v, size_t n)
{
    uint64_t x = 0;
    for (size_t i = 0; i < n && i < 8; i++)
        x |= (uint64_t)v[i] << 8 * i;
    return x;
}

/* Bytes of a value of a fixed size; 0: it has none. */
static size_t fixed_size(unsigned form)
{
    switch (form) {
    case FORM_ADDR:
    case FORM_DATA8:
        return 8;
    case FORM_DATA4:
    case FORM_STRP:
    case FORM_REF4:
    case FORM_SEC_OFFSET:
        return 4;
    case FORM_DATA2:
        return 2;
    case FORM_DATA1:
    case FORM_FLAG:
        return 1;
    default:
        return 0;
    }
}

/* Skips the length of a block, which is the value of the form then. */
static size_t block_size(struct reader *r, unsigned form)
{
    size_t width = form == FORM_BLOCK1 ? 1 : form == FORM_BLOCK2 ? 2 : form == FORM_BLOCK4 ? 4 : 0;
    if (!width || r->at + width > r->info.n) {
        r->bad |= !width && form != FORM_EXPRLOC;
        return width ? 0 : uleb(&r->info, &r->at);
    }
    r->at += width;
    return number(&r->info.v[r->at - width], width);
}

static void read_value(struct reader *r, struct attribute *a)
{
    size_t n = fixed_size(a->form), left;
    if (a->form == FORM_SDATA || a->form == FORM_UDATA) {
        size_t at = r->at;
        uleb(&r->info, &at);
        n = at - r->at;
    } else if (a->form == FORM_STRING) {
        const uint8_t *zero = memchr(&r->info.v[r->at], 0, r->info.n - r->at);
        n = zero ? (size_t)(zero - &r->info.v[r->at]) + 1 : r->info.n;
    } else if (!n) {
        n = block_size(r, a->form);
    }
    left = r->info.n - r->at;
    r->bad |= n > left;
    n = n > left ? left : n;
    a->v = &r->info.v[r->at];
    a->n = n;
    a->at = r->at;
    r->at += n;
}

static const struct abbreviation *abbreviation(const struct reader *r, unsigned code)
{
    for (int i = 0; i < r->nabbreviations; i++)
        if (r->abbreviations[i].code == code)
            return &r->abbreviations[i];
    return NULL;
}

/* --- writing entries --- */

struct writer {
    struct reader *r;
    struct dwarf_variables *variables;
    const char *ranges;
    const char *(*label)(const char *name, void *user);
    void *user;
    struct arena *arena;
    struct words forms; /* of each abbreviation: its text */
    struct strbuf *out;
    struct strbuf form, body; /* of the entry at hand */
};

static void attribute(struct writer *w, unsigned name, unsigned form)
{
    strbuf_addf(&w->form, "\t.uleb128 0x%x, 0x%x\n", name, form);
}

static void add_bytes(struct writer *w, const uint8_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        strbuf_addf(&w->body, "%s%u%s", i % 32 ? "," : "\t.byte ", v[i], i % 32 == 31 || i + 1 == n ? "\n" : "");
}

/* Ends the entry: the number of its abbreviation, which may be new, and its values. */
static void finish_entry(struct writer *w, unsigned tag, bool children)
{
    const char *text = arena_printf(w->arena, "\t.uleb128 0x%x\n\t.byte %d\n%s\t.byte 0,0\n", tag, children, w->form.s ? w->form.s : "");
    int code = 0;
    while (code < w->forms.n && strcmp(w->forms.v[code], text))
        code++;
    if (code == w->forms.n)
        words_add(w->arena, &w->forms, text);
    strbuf_addf(w->out, "\t.uleb128 %d\n%s", code + 1, w->body.s ? w->body.s : "");
    strbuf_clear(&w->form);
    strbuf_clear(&w->body);
}

static int place_of(struct writer *w, struct words *list, const char *name)
{
    int i = 0;
    while (i < list->n && strcmp(list->v[i], name))
        i++;
    if (i == list->n)
        words_add(w->arena, list, arena_strdup(w->variables->arena, name));
    return i;
}

/* Bytes of a number in ULEB128. */
static int uleb_bytes(uint64_t v)
{
    int n = 1;
    while (v >>= 7)
        n++;
    return n;
}

/* The location of a variable in memory, with what follows its address (the offset in a depot). */
static void add_location(struct writer *w, const char *name, unsigned class, const uint8_t *rest, size_t n)
{
    attribute(w, AT_LOCATION, FORM_EXPRLOC);
    if (class == CLASS_LOCAL) {
        strbuf_addf(&w->body, "\t.uleb128 %zu\n\t.byte 0x%x\n\t.sleb128 -%d\n\t.byte 0x%x\n", 3 + n, OP_FBREG, LOCAL_AT, OP_DEREF);
    } else if (class == CLASS_SHARED) {
        uint64_t at = 8 * (uint64_t)place_of(w, &w->variables->shared, name);
        strbuf_addf(&w->body, "\t.uleb128 %zu\n\t.byte 0x%x\n\t.sleb128 -%d\n\t.byte 0x%x, 0x%x\n\t.uleb128 %llu\n\t.byte 0x%x\n",
                    5 + (size_t)uleb_bytes(at) + n, OP_BREG6, SHARED_AT, OP_DEREF, OP_PLUS_UCONST,
                    (unsigned long long)at, OP_DEREF);
    } else {
        strbuf_addf(&w->body, "\t.uleb128 %zu\n\t.byte 0x%x\n\t.quad .Lheddle_global_at+%d\n\t.byte 0x%x\n", 10 + n, OP_ADDR,
                    8 * place_of(w, &w->variables->globals, name), OP_DEREF);
    }
    add_bytes(w, rest, n);
}

static const char *hole_name(const struct writer *w, size_t at)
{
    const struct hole *h = hole_at(&w->r->info, at);
    return h ? arena_strndup(w->arena, h->name, h->name_bytes) : NULL;
}

static void write_location(struct writer *w, const struct attribute *a, unsigned class)
{
    const char *name = a->form == FORM_BLOCK1 && a->n >= 9 && a->v[0] == OP_ADDR ? hole_name(w, a->at + 1) : NULL;
    if (name)
        add_location(w, name, class, a->v + 9, a->n - 9);
}

static void write_attribute(struct writer *w, const struct attribute *a, unsigned tag, unsigned class)
{
    if (a->name == AT_ADDRESS_CLASS || (tag == TAG_UNIT && (a->name == AT_LOW_PC || a->name == AT_HIGH_PC)))
        return;
    if (a->name == AT_LOCATION) {
        write_location(w, a, class);
        return;
    }
    if (a->name == AT_FRAME_BASE) {
        attribute(w, a->name, FORM_EXPRLOC);
        strbuf_addf(&w->body, "\t.byte 1, 0x%x\n", OP_CALL_FRAME_CFA);
        return;
    }
    const char *name = hole_name(w, a->at);
    if (a->form == FORM_ADDR) {
        const char *at = name ? w->label(name, w->user) : "";
        if (!*at)
            return;
        attribute(w, a->name, a->form);
        strbuf_addf(&w->body, "\t.quad %s\n", at);
    } else if (a->form == FORM_REF4) {
        attribute(w, a->name, a->form);
        strbuf_addf(&w->body, "\t.long .Lheddle_entry_%llu-.Lheddle_info\n", (unsigned long long)number(a->v, 4));
    } else if (a->name == AT_STMT_LIST) {
        attribute(w, a->name, FORM_SEC_OFFSET);
        strbuf_adds(&w->body, "\t.long .Lheddle_line\n");
    } else if (!name) {
        attribute(w, a->name, a->form);
        size_t width = a->form == FORM_BLOCK1 ? 1 : a->form == FORM_BLOCK2 ? 2 : a->form == FORM_BLOCK4 ? 4 : 0;
        uint8_t size[4] = {(uint8_t)a->n, (uint8_t)(a->n >> 8), (uint8_t)(a->n >> 16), (uint8_t)(a->n >> 24)};
        add_bytes(w, size, width);
        add_bytes(w, a->v, a->n);
    }
}

static void write_unit_ranges(struct writer *w)
{
    attribute(w, AT_LOW_PC, FORM_ADDR);
    attribute(w, AT_RANGES, FORM_SEC_OFFSET);
    strbuf_addf(&w->body, "\t.quad 0\n\t.long %s\n", w->ranges);
}

static void write_entry(struct writer *w, const struct abbreviation *a, size_t offset)
{
    struct attribute v[MOST_ATTRIBUTES];
    unsigned class = 0;
    w->r->bad |= a->n > MOST_ATTRIBUTES;
    for (int i = 0; i < a->n && !w->r->bad; i++) {
        v[i] = w->r->pairs[a->first + i];
        read_value(w->r, &v[i]);
        if (v[i].name == AT_ADDRESS_CLASS)
            class = (unsigned)number(v[i].v, v[i].n);
    }
    strbuf_addf(w->out, ".Lheddle_entry_%zu:\n", offset);
    for (int i = 0; i < a->n && !w->r->bad; i++)
        write_attribute(w, &v[i], a->tag, class);
    if (a->tag == TAG_UNIT)
        write_unit_ranges(w);
    finish_entry(w, a->tag, a->children);
}

/* --- what CUDA has and the text does not --- */

static void add_name(struct writer *w, const char *name)
{
    attribute(w, AT_NAME, FORM_STRING);
    strbuf_addf(&w->body, "\t.asciz \"%s\"\n", name);
}

static void add_type(struct writer *w, const char *label)
{
    attribute(w, AT_TYPE, FORM_REF4);
    strbuf_addf(&w->body, "\t.long %s-.Lheddle_info\n", label);
}

static void add_size(struct writer *w, unsigned bytes)
{
    attribute(w, AT_BYTE_SIZE, FORM_DATA1);
    strbuf_addf(&w->body, "\t.byte %u\n", bytes);
}

static void add_base_type(struct writer *w, const char *label, const char *name, unsigned bytes, unsigned encoding)
{
    strbuf_addf(w->out, "%s:\n", label);
    add_name(w, name);
    add_size(w, bytes);
    attribute(w, AT_ENCODING, FORM_DATA1);
    strbuf_addf(&w->body, "\t.byte %u\n", encoding);
    finish_entry(w, TAG_BASE, false);
}

/* A variable of struct step_context. */
static void add_variable(struct writer *w, const char *name, const char *type, size_t offset)
{
    add_name(w, name);
    add_type(w, type);
    attribute(w, AT_EXTERNAL, FORM_FLAG);
    attribute(w, AT_LOCATION, FORM_EXPRLOC);
    strbuf_addf(&w->body, "\t.byte 1\n\t.uleb128 %d\n\t.byte 0x%x\n\t.sleb128 %zu\n", offset < 64 ? 2 : 3, OP_BREG3, offset);
    finish_entry(w, TAG_VARIABLE, false);
}

/* extern __shared__ T x[]: bytes, since nothing says what they are. */
static void write_dynamic(struct writer *w)
{
    strbuf_adds(w->out, ".Lheddle_bytes:\n");
    add_type(w, ".Lheddle_char");
    finish_entry(w, TAG_ARRAY, true);
    add_type(w, ".Lheddle_int");
    finish_entry(w, TAG_SUBRANGE, false);
    strbuf_adds(w->out, "\t.byte 0\n");
    for (int i = 0; i < w->variables->dynamic.n; i++) {
        add_name(w, w->variables->dynamic.v[i]);
        add_type(w, ".Lheddle_bytes");
        add_location(w, w->variables->dynamic.v[i], CLASS_SHARED, NULL, 0);
        finish_entry(w, TAG_VARIABLE, false);
    }
}

static void write_builtins(struct writer *w)
{
    static const struct {
        const char *name;
        size_t at;
    } of_three[] = {{"threadIdx", offsetof(struct step_context, thread_index)}, {"blockIdx", offsetof(struct step_context, block_index)},
                    {"blockDim", offsetof(struct step_context, block_dim)}, {"gridDim", offsetof(struct step_context, grid_dim)}};
    add_base_type(w, ".Lheddle_uint", "unsigned int", 4, 7);
    add_base_type(w, ".Lheddle_int", "int", 4, 5);
    add_base_type(w, ".Lheddle_char", "char", 1, 6);
    strbuf_adds(w->out, ".Lheddle_text:\n");
    add_type(w, ".Lheddle_char");
    add_size(w, 8);
    finish_entry(w, TAG_POINTER, false);
    strbuf_adds(w->out, ".Lheddle_uint3:\n");
    add_name(w, "uint3");
    add_size(w, 12);
    finish_entry(w, TAG_STRUCTURE, true);
    for (int i = 0; i < 3; i++) {
        const char name[] = {"xyz"[i], 0};
        add_name(w, name);
        add_type(w, ".Lheddle_uint");
        attribute(w, AT_MEMBER_LOCATION, FORM_DATA1);
        strbuf_addf(&w->body, "\t.byte %d\n", 4 * i);
        finish_entry(w, TAG_MEMBER, false);
    }
    strbuf_adds(w->out, "\t.byte 0\n");
    write_dynamic(w);
    for (size_t i = 0; i < sizeof of_three / sizeof *of_three; i++)
        add_variable(w, of_three[i].name, ".Lheddle_uint3", of_three[i].at);
    add_variable(w, "warpSize", ".Lheddle_int", offsetof(struct step_context, warp_size));
    add_variable(w, "heddle_fault", ".Lheddle_text", offsetof(struct step_context, fault));
}

/* --- */

static void write_entries(struct writer *w)
{
    struct reader *r = w->r;
    int depth = 0;
    r->at = HEAD_BYTES;
    while (r->at < r->info.n && !r->bad) {
        size_t offset = r->at;
        unsigned code = (unsigned)uleb(&r->info, &r->at);
        if (!code) {
            if (depth == 1)
                write_builtins(w);
            strbuf_adds(w->out, "\t.byte 0\n");
            if (--depth <= 0)
                return;
            continue;
        }
        const struct abbreviation *a = abbreviation(r, code);
        r->bad = !a;
        if (!a)
            return;
        write_entry(w, a, offset);
        depth += a->children != 0;
    }
}

bool dwarf_translate(const char *ptx, size_t len, const char *ranges, const char *(*label)(const char *name, void *user), void *user,
                     struct dwarf_variables *variables, struct strbuf *out)
{
    struct reader r = {.at = 0};
    struct arena arena;
    arena_init(&arena);
    struct writer w = {.r = &r, .variables = variables, .ranges = ranges, .label = label, .user = user, .arena = &arena, .out = out};
    strbuf_init(&w.form);
    strbuf_init(&w.body);
    bool ok = read_section(ptx, len, ".debug_abbrev", &r.abbrev) && read_section(ptx, len, ".debug_info", &r.info) && r.info.n > HEAD_BYTES;
    if (ok) {
        read_abbreviations(&r);
        strbuf_adds(out, "\t.section .debug_info,\"\",@progbits\n.Lheddle_info:\n\t.long .Lheddle_info_end-.Lheddle_info_begin\n"
                         ".Lheddle_info_begin:\n\t.short 4\n\t.long .Lheddle_abbrev\n\t.byte 8\n");
        write_entries(&w);
        strbuf_adds(out, ".Lheddle_info_end:\n\t.section .debug_abbrev,\"\",@progbits\n.Lheddle_abbrev:\n");
        for (int i = 0; i < w.forms.n; i++)
            strbuf_addf(out, "\t.uleb128 %d\n%s", i + 1, w.forms.v[i]);
        strbuf_adds(out, "\t.byte 0\n");
    }
    ok = ok && !r.bad;
    strbuf_release(&w.form);
    strbuf_release(&w.body);
    alloc_release(r.abbrev.v);
    alloc_release(r.abbrev.holes);
    alloc_release(r.info.v);
    alloc_release(r.info.holes);
    alloc_release(r.abbreviations);
    alloc_release(r.pairs);
    arena_release(&arena);
    return ok;
}
