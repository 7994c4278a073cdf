/* Findings files (docs/check.md): refused with a message, or read and then fit for text, XML and SARIF, joined or not. What
 * was read and written again reads the same. */
#define _GNU_SOURCE /* open_memstream */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "fuzz.h"
#include "report/findings.h"
#include "report/findings_xml.h"
#include "report/sarif.h"

static void again(const struct findings *fs)
{
    struct findings second;
    struct diag_list diags;
    char *text[2];
    size_t size[2];

    for (int i = 0; i < 2; i++) {
        FILE *f = open_memstream(&text[i], &size[i]);

        for (int k = 0; k < fs->n; k++)
            finding_write(i ? second.finding[k] : fs->finding[k], f);
        fclose(f);
        if (i)
            break;
        diag_init(&diags);
        if (!findings_read(&second, fuzz_file(text[0], size[0]), &diags) || second.n != fs->n)
            fuzz_fail("what was written is not read");
        diag_release(&diags);
    }
    if (size[0] != size[1] || memcmp(text[0], text[1], size[0]))
        fuzz_fail("what was written and read is something else");
    findings_release(&second);
    free(text[0]);
    free(text[1]);
}

static void tell(const struct findings *fs)
{
    struct sources sources;
    struct strbuf out;
    char *file = NULL;
    size_t size;
    FILE *f = open_memstream(&file, &size);

    strbuf_init(&out);
    sources_init(&sources);
    for (int i = 0; i < fs->n; i++) {
        finding_headline(fs->finding[i], &out);
        finding_text(fs->finding[i], &(struct finding_form){"=========", 5, true, true, false, &sources}, &out);
        finding_text(fs->finding[i], &(struct finding_form){"", 1, false, false, true, &sources}, &out);
        strbuf_clear(&out);
    }
    findings_write_xml(fs, f);
    sarif_write(fs, "0", f);
    fclose(f);
    free(file);
    sources_release(&sources);
    strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct findings fs;
    struct diag_list diags;

    diag_init(&diags);
    if (findings_read(&fs, fuzz_file(data, size), &diags) == (diags.errors > 0))
        fuzz_fail("read in spite of errors, or refused without a message");
    if (fs.n) {
        tell(&fs);
        again(&fs);
        findings_join(&fs);
        tell(&fs);
    }
    findings_release(&fs);
    diag_release(&diags);
    return 0;
}
