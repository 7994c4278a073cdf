/* See assembler.h. The assembler is run for each kernel that is compiled: it takes tens of milliseconds, and is off by default. */
#include "engine/assembler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "base/strbuf.h"
#include "ptx/ptx.h"

bool assembler_is_wanted(void)
{
    const char *where = getenv("HEDDLE_REGISTERS");
    return where && !strcmp(where, "ptxas");
}

static bool calls_outside(const struct ptx_module *m)
{
    for (int i = 0; i < m->nfuncs; i++)
        if (!m->funcs[i]->defined)
            return true;
    return false;
}

/* "... entry function 'NAME' ..." and behind it "Used N registers". */
static int find_registers(const char *said, const char *kernel)
{
    static const char entry[] = "entry function '";
    size_t len = strlen(kernel);
    for (const char *at = said; at && (at = strstr(at, entry)); at++) {
        const char *name = at + sizeof entry - 1, *used;
        if (strncmp(name, kernel, len) || name[len] != '\'' || !(used = strstr(name, "Used ")))
            continue;
        return atoi(used + 5);
    }
    return 0;
}

int assembler_registers(const struct ptx_module *m, const char *kernel, struct strbuf *why)
{
    char arch[32];
    struct process p;
    struct strbuf said, path;
    int n = 0, status = -1, fd = file_unnamed();
    snprintf(arch, sizeof arch, "-arch=sm_%d%s", m->arch, m->arch_suffix ? (char[]){m->arch_suffix, 0} : "");
    if (fd < 0 || write(fd, m->text, m->text_len) != (ssize_t)m->text_len) {
        strbuf_addf(why, "HEDDLE_REGISTERS=ptxas: cannot write the PTX to a temporary file: %s\n", strerror(errno));
        if (fd >= 0)
            close(fd);
        return 0;
    }
    strbuf_init(&said);
    strbuf_init(&path);
    file_add_path(&path, fd);
    const char *argv[] = {"ptxas", "-v", arch, path.s, "-o", "/dev/null", calls_outside(m) ? "-c" : NULL, NULL};
    if (process_start(&p, &(struct process_start){.argv = argv}))
        status = process_wait(&p, &said);
    if (status < 0)
        strbuf_addf(why, "HEDDLE_REGISTERS=ptxas: cannot run 'ptxas': %s\n", strerror(errno));
    else if (!(n = find_registers(said.s ? said.s : "", kernel)))
        strbuf_addf(why, "HEDDLE_REGISTERS=ptxas: 'ptxas %s' does not assemble it: %.300s\n", arch, said.s ? said.s : "");
    close(fd);
    strbuf_release(&path);
    strbuf_release(&said);
    return n;
}
