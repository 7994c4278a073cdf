/* The PTX parser under random text: no crash, no leak, no hang; a module or a message, never both.
 *
 * With libFuzzer (cmake -DHEDDLE_FUZZ=ON) this is the fuzz target; with REPLAY defined, a program that runs the
 * files of the directories given, for CTest. What parses is printed too, so that the printer is covered. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
    fprintf(stderr, "fuzz_ptx: %s\n", what);
    abort();
}

static void print_all(const struct ptx_module *m)
{
    struct strbuf b;
    strbuf_init(&b);
    for (int i = 0; i < m->nfuncs; i++)
        for (int k = 0; k < m->funcs[i]->ninsts; k++) {
            strbuf_clear(&b);
            ptx_print_inst(m->funcs[i], &m->funcs[i]->insts[k], &b);
        }
    strbuf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag_list diags;
    struct strbuf b;
    diag_init(&diags);
    strbuf_init(&b);
    struct ptx_module *m = ptx_parse("fuzz.ptx", (const char *)data, size, &diags);
    diag_format_all(&diags, &b);
    if (!m && !diags.errors)
        fail("no module and no message");
    if (m && diags.errors)
        fail("a module in spite of errors");
    if (m)
        print_all(m);
    ptx_free(m);
    strbuf_release(&b);
    diag_release(&diags);
    return 0;
}

#ifdef REPLAY
#include <dirent.h>
#include <string.h>

static int replay(const char *dir)
{
    DIR *d = opendir(dir);
    static char path[4096];
    int n = 0;
    if (!d)
        return 0;
    for (struct dirent *e; (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!f)
            continue;
        fseek(f, 0, SEEK_END);
        long size = ftell(f);
        rewind(f);
        /* exactly as large as the file, so that a sanitizer sees a read behind the end */
        uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
        if (!data || fread(data, 1, (size_t)size, f) != (size_t)size)
            fail("cannot read the corpus");
        LLVMFuzzerTestOneInput(data, (size_t)size);
        free(data);
        fclose(f);
        n++;
    }
    closedir(d);
    return n;
}

int main(int argc, char **argv)
{
    int n = 0;
    for (int i = 1; i < argc; i++)
        n += replay(argv[i]);
    printf("%d inputs\n", n);
    return n == 0;
}
#endif
