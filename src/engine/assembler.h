/* Registers as the vendor's assembler reports them, when it is asked for (HEDDLE_REGISTERS=ptxas, `--registers ptxas`). */
#ifndef ENGINE_ASSEMBLER_H
#define ENGINE_ASSEMBLER_H

#include <stdbool.h>

struct ptx_module;
struct strbuf;

/* The environment asks for it. */
bool assembler_is_wanted(void);

/* Runs `ptxas -v` on the module's text and looks up one kernel. 0: why not is added to `why`. A function that is declared and
 * not there (Heddle's own device mathematics) makes it a relocatable assembly, in which calls stay calls. */
int assembler_registers(const struct ptx_module *m, const char *kernel, struct strbuf *why);

#endif
