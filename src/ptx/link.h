/* Joins the device code of several files to one module: what nvlink does for `nvcc -rdc=true`.
 *
 * In: the PTX text of each file, as clang makes it. Out: one text, which ptx_parse takes. Names that a file keeps to
 * itself get the file's number behind them where another file has the same one: those without .visible, .weak or
 * .extern, and those that C++ makes internal (static, in an unnamed namespace), which clang prints .visible when the
 * host asks for them. Of a .weak function or variable the first definition counts. The numbers of .file and .loc are
 * made distinct. PTX ISA 8.4, sections 5.1 (linking directives) and 11.5. */
#ifndef PTX_LINK_H
#define PTX_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/across.h"

struct strbuf;

struct ptx_unit {
    const char *text; /* with a NUL behind it */
    size_t len;
};

void ptx_link(const struct ptx_unit *units, int n, struct strbuf *out) ACROSS(ptx_link);

/* The name that `name` of file `unit` has in the joined text if another file has the same one to itself, for looking it
 * up; false: it is no name that a file keeps to itself. */
bool ptx_link_name(const char *name, int unit, struct strbuf *out) ACROSS(ptx_link_name);

#endif
