/* Loads an object (see link.h). */
#define _GNU_SOURCE
#include "jit/link.h"

#include "base/alloc.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct object {
    const char *bytes;
    size_t size;
    const Elf64_Ehdr *head;
    const Elf64_Shdr *section;
    int nsections;
    size_t *place; /* [nsections]: offset in the loaded memory, or SIZE_MAX */
    char *memory;
    char *problem;
    size_t room;
};

static bool bad(struct object *o, const char *what)
{
    snprintf(o->problem, o->room, "generated code: %s", what);
    return false;
}

static bool inside(const struct object *o, uint64_t offset, uint64_t bytes)
{
    return offset <= o->size && bytes <= o->size - offset;
}

static bool read_head(struct object *o)
{
    o->head = (const Elf64_Ehdr *)o->bytes;
    if (!inside(o, 0, sizeof *o->head) || memcmp(o->head->e_ident, ELFMAG, SELFMAG) || o->head->e_machine != EM_X86_64 ||
        o->head->e_type != ET_REL || o->head->e_shentsize != sizeof(Elf64_Shdr))
        return bad(o, "no object file for x86-64");
    o->nsections = o->head->e_shnum;
    if (!inside(o, o->head->e_shoff, (uint64_t)o->nsections * sizeof(Elf64_Shdr)) || o->head->e_shoff % 8)
        return bad(o, "a section table outside of the file");
    o->section = (const Elf64_Shdr *)(o->bytes + o->head->e_shoff);
    for (int i = 0; i < o->nsections; i++)
        if (o->section[i].sh_type != SHT_NOBITS && !inside(o, o->section[i].sh_offset, o->section[i].sh_size))
            return bad(o, "a section outside of the file");
    return true;
}

static size_t lay_out(struct object *o)
{
    size_t at = 0;
    for (int i = 0; i < o->nsections; i++) {
        const Elf64_Shdr *s = &o->section[i];
        uint64_t align = s->sh_addralign ? s->sh_addralign : 1;
        o->place[i] = SIZE_MAX;
        if (!(s->sh_flags & SHF_ALLOC) || s->sh_type == SHT_NOBITS || s->sh_type == SHT_X86_64_UNWIND || align > 4096)
            continue;
        at = (at + align - 1) / align * align;
        o->place[i] = at;
        at += s->sh_size;
    }
    return at;
}

static const Elf64_Sym *symbol_at(const struct object *o, const Elf64_Shdr *table, uint64_t i)
{
    if (table->sh_offset % 8 || table->sh_type == SHT_NOBITS || i >= table->sh_size / sizeof(Elf64_Sym))
        return NULL;
    return (const Elf64_Sym *)(o->bytes + table->sh_offset) + i;
}

static const char *name_of(const struct object *o, const Elf64_Shdr *table, const Elf64_Sym *s)
{
    if (table->sh_link >= (uint32_t)o->nsections)
        return "?";
    const Elf64_Shdr *names = &o->section[table->sh_link];
    if (names->sh_type == SHT_NOBITS || s->st_name >= names->sh_size || o->bytes[names->sh_offset + names->sh_size - 1])
        return "?";
    return o->bytes + names->sh_offset + s->st_name;
}

/* Where a symbol is in the loaded memory, or SIZE_MAX. */
static size_t place_of(const struct object *o, const Elf64_Sym *s)
{
    if (s->st_shndx >= o->nsections || !s->st_shndx || o->place[s->st_shndx] == SIZE_MAX ||
        s->st_value > o->section[s->st_shndx].sh_size)
        return SIZE_MAX;
    return o->place[s->st_shndx] + s->st_value;
}

static bool relocate(struct object *o, const Elf64_Shdr *s)
{
    if (s->sh_info >= (uint32_t)o->nsections || s->sh_link >= (uint32_t)o->nsections || s->sh_offset % 8)
        return bad(o, "relocations of no section");
    size_t base = o->place[s->sh_info];
    if (base == SIZE_MAX)
        return true;
    const Elf64_Shdr *symbols = &o->section[s->sh_link];
    const Elf64_Rela *r = (const Elf64_Rela *)(o->bytes + s->sh_offset);
    for (uint64_t i = 0; i < s->sh_size / sizeof *r; i++) {
        const Elf64_Sym *sym = symbol_at(o, symbols, ELF64_R_SYM(r[i].r_info));
        unsigned type = ELF64_R_TYPE(r[i].r_info), bytes = type == R_X86_64_64 ? 8 : 4;
        if (!sym || r[i].r_offset > o->section[s->sh_info].sh_size || o->section[s->sh_info].sh_size - r[i].r_offset < bytes)
            return bad(o, "a relocation outside of its section");
        size_t to = place_of(o, sym);
        if (to == SIZE_MAX) {
            snprintf(o->problem, o->room, "generated code wants '%s', which it should not", name_of(o, symbols, sym));
            return false;
        }
        char *at = o->memory + base + r[i].r_offset;
        uint64_t value = to + (uint64_t)r[i].r_addend;
        if (type == R_X86_64_64)
            value += (uint64_t)(uintptr_t)o->memory;
        else if (type == R_X86_64_PC32 || type == R_X86_64_PLT32)
            value -= base + r[i].r_offset;
        else
            return bad(o, "a kind of relocation that it should not have");
        memcpy(at, &value, bytes);
    }
    return true;
}

static void *find(const struct object *o, const char *symbol)
{
    for (int i = 0; i < o->nsections; i++) {
        const Elf64_Shdr *table = &o->section[i];
        const Elf64_Sym *s;
        if (table->sh_type != SHT_SYMTAB)
            continue;
        for (uint64_t k = 0; (s = symbol_at(o, table, k)); k++)
            if (!strcmp(name_of(o, table, s), symbol) && place_of(o, s) != SIZE_MAX)
                return o->memory + place_of(o, s);
    }
    return NULL;
}

static bool load(struct object *o, const char *symbol, struct link_code *out)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (lay_out(o) + page) / page * page;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return bad(o, "no memory for it");
    *out = (struct link_code){.memory = memory, .bytes = bytes};
    o->memory = memory;
    for (int i = 0; i < o->nsections; i++)
        if (o->place[i] != SIZE_MAX)
            memcpy(o->memory + o->place[i], o->bytes + o->section[i].sh_offset, o->section[i].sh_size);
    for (int i = 0; i < o->nsections; i++)
        if (o->section[i].sh_type == SHT_RELA && !relocate(o, &o->section[i]))
            return false;
    out->entry = find(o, symbol);
    if (!out->entry)
        return bad(o, "its function is missing");
    return !mprotect(memory, bytes, PROT_READ | PROT_EXEC) || bad(o, "memory may not be made executable");
}

bool link_object(const char *object, size_t bytes, const char *symbol, struct link_code *out, char *problem, size_t room)
{
    struct object o = {.bytes = object, .size = bytes, .problem = problem, .room = room};
    *out = (struct link_code){0};
    if (!read_head(&o))
        return false;
    o.place = alloc_zeroed(sizeof *o.place * ((size_t)o.nsections + 1));
    bool ok = load(&o, symbol, out);
    alloc_release(o.place);
    if (!ok)
        link_release(out);
    return ok;
}

void link_release(struct link_code *c)
{
    if (c->memory)
        munmap(c->memory, c->bytes);
    *c = (struct link_code){0};
}
