/* See assembly.h. */
#include "compile/assembly.h"

#include <string.h>

#include "base/strbuf.h"

#define CONSTRUCTORS "\t.section\t.init_array,\"aw\",@init_array\n"
#define REGISTRATION "\t.quad\t__cuda_module_ctor\n"
#define DEVICE_CODE "\t.section\t.nv_fatbin,"
#define RAW "HEDDLE"

enum { BYTES_A_LINE = 4096 };

static const char *behind_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

/* A directive with the bytes; whatever is not plain text is an octal number, whole. */
static void add_bytes(struct strbuf *out, const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i % BYTES_A_LINE == 0)
            strbuf_adds(out, i ? "\"\n\t.ascii\t\"" : "\t.ascii\t\"");
        bool plain = p[i] >= ' ' && p[i] < 127 && p[i] != '"' && p[i] != '\\' && p[i] != ')'; /* ) might end the C++ text */
        if (plain)
            strbuf_add(out, (const char *)&p[i], 1);
        else
            strbuf_addf(out, "\\%03o", p[i]);
    }
    strbuf_adds(out, "\"\n");
}

static void add_until(struct strbuf *out, const char *at, const char *end)
{
    strbuf_add(out, at, (size_t)(end - at));
}

static bool add_with_blob(struct strbuf *out, const char *at, const void *blob, size_t bytes)
{
    const char *section = strstr(at, DEVICE_CODE);
    if (!section) {
        strbuf_adds(out, at);
        return true;
    }
    const char *data = strstr(section, "\t.ascii\t"), *size = data ? strstr(data, "\t.size\t") : NULL;
    const char *constructors = size ? strstr(size, CONSTRUCTORS) : NULL, *registration = constructors ? strstr(constructors, REGISTRATION) : NULL;
    const char *first = constructors ? behind_line(behind_line(constructors)) : NULL; /* there is a .p2align between */
    if (!registration || behind_line(data) != size || registration < first)
        return false;
    add_until(out, at, data);
    add_bytes(out, blob, bytes);
    add_until(out, behind_line(size), first); /* nobody asks for the size */
    strbuf_adds(out, REGISTRATION);
    add_until(out, first, registration);
    strbuf_adds(out, behind_line(registration));
    return true;
}

bool assembly_to_cpp(struct strbuf *text, const char *name, const void *blob, size_t bytes)
{
    struct strbuf out;
    strbuf_init(&out);
    strbuf_addf(&out, "// %s as compiled by heddle build -cuda for x86-64: host code as assembly, device code within. Compile it as C++\n"
                      "// and link it with Heddle's libcudart.\n__asm__(R\"" RAW "(\n", name);
    bool ok = add_with_blob(&out, text->s ? text->s : "", blob, bytes);
    strbuf_adds(&out, ")" RAW "\");\n");
    strbuf_release(text);
    *text = out;
    return ok;
}
