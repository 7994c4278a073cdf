/* Twins: what `heddle build -G` adds to an object so that a debugger can stop in its kernels (base/steps.h, docs/stepping.md).
 *
 * In: the PTX of clang's device pass with -g -O0. Out: assembly text for x86-64: of each function its stubs, with the source
 * lines of its instructions; the table that the runtime finds them by; debug information (dwarf.h).
 * Lines of headers of the system and of Heddle are nobody's business: an instruction that was inlined from there has the
 * line of the call, and a function of theirs has none, so that a debugger steps over it. */
#ifndef COMPILE_STEPPING_H
#define COMPILE_STEPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag_list;
struct strbuf;

/* `id`: blob_header's. `include`: the folder of Heddle's headers. False: an error says why. */
bool stepping_write(const char *ptx, size_t len, uint64_t id, const char *include, struct strbuf *out, struct diag_list *diags);

#endif
