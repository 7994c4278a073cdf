/* ELF objects (see object.h). The layout is that of <elf.h>; every offset from the file is checked before use. */
#include "compile/object.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "compile/words.h"

struct elf {
    char *base;
    size_t bytes;
    Elf64_Shdr *sections;
    size_t n;
    const char *names; /* section names */
    size_t names_bytes;
};

static bool inside(const struct elf *e, const Elf64_Shdr *s)
{
    return s->sh_type == SHT_NOBITS ||
           (s->sh_offset <= e->bytes && s->sh_size <= e->bytes - s->sh_offset);
}

static bool elf_open(struct elf *e, const struct strbuf *object)
{
    memset(e, 0, sizeof *e);
    e->base = object->s;
    e->bytes = object->len;
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)(const void *)e->base;
    if (e->bytes < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_type != ET_REL || h->e_machine != EM_X86_64 ||
        h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shoff % 8 != 0 || h->e_shoff > e->bytes ||
        h->e_shnum > (e->bytes - h->e_shoff) / sizeof(Elf64_Shdr) || h->e_shstrndx >= h->e_shnum)
        return false;
    e->sections = (Elf64_Shdr *)(void *)(e->base + h->e_shoff);
    e->n = h->e_shnum;
    for (size_t i = 0; i < e->n; i++)
        if (!inside(e, &e->sections[i]))
            return false;
    e->names = e->base + e->sections[h->e_shstrndx].sh_offset;
    e->names_bytes = e->sections[h->e_shstrndx].sh_size;
    return e->names_bytes && e->names[e->names_bytes - 1] == '\0';
}

static Elf64_Shdr *section(const struct elf *e, const char *name)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->sections[i].sh_name < e->names_bytes &&
            strcmp(e->names + e->sections[i].sh_name, name) == 0)
            return &e->sections[i];
    return NULL;
}

bool object_set_device_code(struct strbuf *object, const void *blob, size_t bytes, bool *found)
{
    struct elf e;
    if (!elf_open(&e, object))
        return false;
    Elf64_Shdr *s = section(&e, ".nv_fatbin");
    *found = s != NULL;
    if (!s)
        return true;
    static const char zeros[16];
    size_t index = (size_t)(s - e.sections);
    strbuf_add(object, zeros, 16 - object->len % 16); /* the section is aligned to 8 or 16 */
    size_t offset = object->len;
    strbuf_add(object, blob, bytes);
    elf_open(&e, object); /* the buffer may have moved */
    e.sections[index].sh_offset = offset;
    e.sections[index].sh_size = bytes;
    return true;
}

/* ---- symbols ---- */

struct symbols {
    const Elf64_Sym *v;
    size_t n;
    const char *names;
    size_t names_bytes;
};

static bool symbols_open(struct symbols *y, const struct elf *e)
{
    memset(y, 0, sizeof *y);
    for (size_t i = 0; i < e->n; i++) {
        const Elf64_Shdr *s = &e->sections[i];
        if (s->sh_type != SHT_SYMTAB)
            continue;
        if (s->sh_link >= e->n || s->sh_offset % 8 != 0)
            return false;
        y->v = (const Elf64_Sym *)(const void *)(e->base + s->sh_offset);
        y->n = s->sh_size / sizeof *y->v;
        y->names = e->base + e->sections[s->sh_link].sh_offset;
        y->names_bytes = e->sections[s->sh_link].sh_size;
        return !y->names_bytes || y->names[y->names_bytes - 1] == '\0';
    }
    return true;
}

static const char *symbol_name(const struct symbols *y, size_t i)
{
    return y->v[i].st_name < y->names_bytes ? y->names + y->v[i].st_name : "";
}

/* Is relocation `r` the address of symbol `s`, directly or as section and offset? */
static bool refers_to(const struct symbols *y, const Elf64_Rela *r, const Elf64_Sym *s)
{
    size_t i = ELF64_R_SYM(r->r_info);
    if (i >= y->n)
        return false;
    const Elf64_Sym *t = &y->v[i];
    return t->st_shndx == s->st_shndx &&
           t->st_value + (uint64_t)r->r_addend == s->st_value;
}

bool object_register_first(struct strbuf *object)
{
    struct elf e;
    struct symbols y;
    if (!elf_open(&e, object) || !symbols_open(&y, &e))
        return false;
    const Elf64_Sym *registration = NULL;
    for (size_t i = 0; i < y.n; i++)
        if (strcmp(symbol_name(&y, i), "__cuda_module_ctor") == 0)
            registration = &y.v[i];
    const Elf64_Shdr *s = section(&e, ".rela.init_array");
    if (!registration || !s || s->sh_offset % 8 != 0)
        return true;
    Elf64_Rela *r = (Elf64_Rela *)(void *)(e.base + s->sh_offset);
    size_t n = s->sh_size / sizeof *r, first = 0, ours = n;
    for (size_t i = 0; i < n; i++) {
        if (r[i].r_offset < r[first].r_offset)
            first = i;
        if (refers_to(&y, &r[i], registration))
            ours = i;
    }
    if (ours == n || ours == first)
        return true;
    /* every constructor that was before ours moves one place back, ours takes the first place */
    Elf64_Addr to = r[first].r_offset, from = r[ours].r_offset;
    for (size_t i = 0; i < n; i++)
        if (r[i].r_offset < from)
            r[i].r_offset += 8;
    r[ours].r_offset = to;
    return true;
}

const char *object_kernel_of_stub(struct arena *a, const char *symbol)
{
    static const char mark[] = "__device_stub__";
    const size_t m = sizeof mark - 1;
    const char *at = strstr(symbol, mark);
    if (!at)
        return NULL;
    if (at == symbol) /* extern "C" */
        return arena_strdup(a, symbol + m);
    /* <length><name> parts in order; the length before our name counts the mark too */
    const char *p = symbol, *digits = NULL;
    long length = 0;
    while (p < at && !digits) {
        char *end;
        if (!isdigit((unsigned char)*p)) {
            p++;
            continue;
        }
        length = strtol(p, &end, 10);
        if (end == at)
            digits = p;
        p = end + (length < at - end ? length : at - end);
    }
    length -= (long)m;
    if (!digits || length <= 0)
        return NULL;
    return arena_printf(a, "%.*s%ld%s", (int)(digits - symbol), symbol, length, at + m);
}

bool object_kernels(struct arena *a, const struct strbuf *object, struct words *names)
{
    struct elf e;
    struct symbols y;
    if (!elf_open(&e, object) || !symbols_open(&y, &e))
        return false;
    for (size_t i = 0; i < y.n; i++) {
        if (y.v[i].st_shndx == SHN_UNDEF || ELF64_ST_TYPE(y.v[i].st_info) != STT_FUNC)
            continue;
        const char *kernel = object_kernel_of_stub(a, symbol_name(&y, i));
        if (kernel)
            words_add(a, names, kernel);
    }
    return true;
}

bool object_own_variables(struct arena *a, const struct strbuf *object, struct words *names)
{
    struct elf e;
    struct symbols y;
    if (!elf_open(&e, object) || !symbols_open(&y, &e))
        return false;
    for (size_t i = 0; i < y.n; i++)
        if (ELF64_ST_TYPE(y.v[i].st_info) == STT_OBJECT && ELF64_ST_BIND(y.v[i].st_info) == STB_LOCAL)
            words_add(a, names, symbol_name(&y, i));
    return true;
}
