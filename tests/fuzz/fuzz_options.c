/* nvcc's command line (docs/compile.md), as words of a file of options: each is taken or answered with a message, and the
 * help names what there is. The bytes go through the file's quoting, then through the words. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "compile/compile.h"
#include "compile/words.h"
#include "fuzz.h"

/* Words come out as they went in: those that -v shows can be given to a shell, and so to a file of options. */
static void read_again(const struct compile_options *o, struct diag_list *diags)
{
    struct compile_options second;
    struct words plain = {0};
    char *words[] = {"-optf", NULL, NULL};

    compile_options_init(&second);
    for (int i = 0; i < o->inputs.n; i++)
        if (o->inputs.v[i][0] != '-')
            words_add(&second.arena, &plain, o->inputs.v[i]);
    const char *shown = words_join(&second.arena, &plain);
    words[1] = (char *)fuzz_file(shown, strlen(shown));
    compile_options_parse(&second, 2, words, diags);
    bool same = second.inputs.n == plain.n;
    for (int i = 0; same && i < plain.n; i++)
        same = !strcmp(second.inputs.v[i], plain.v[i]);
    if (!same)
        fuzz_fail("words that are shown are read as others");
    compile_options_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct compile_options o;
    struct diag_list diags;
    struct strbuf b;
    char *words[] = {"-optf", NULL, "x.cu", NULL};

    /* a file that names further files would read what lies about on this machine */
    if (memmem(data, size, "optf", 4) || memmem(data, size, "options-file", 12))
        return 0;
    diag_init(&diags);
    strbuf_init(&b);
    compile_options_init(&o);
    words[1] = (char *)fuzz_file(data, size);
    compile_options_parse(&o, 3, words, &diags);
    if (!o.inputs.n || strcmp(o.inputs.v[o.inputs.n - 1], "x.cu"))
        fuzz_fail("the word after the file of options is lost");
    if (o.arch < 50 || o.arch > 90 || !strchr("0123s", o.host_opt))
        fuzz_fail("a value that there is not");
    read_again(&o, &diags);
    diag_format_all(&diags, &b);
    compile_options_release(&o);
    strbuf_release(&b);
    diag_release(&diags);
    return 0;
}
