/* Suppressions (`heddle check --suppressions`): refused with a message that names the place, or read and then compared with
 * findings of several kinds. */
#include "base/diag.h"
#include "base/strbuf.h"
#include "fuzz.h"
#include "report/findings.h"
#include "report/findings_xml.h"

static void compare(const struct suppressions *s)
{
    static struct finding_case once = {{1, 0, 0}, {2, 3, 4}, {5, 6, 7}, 0x700000000000, 1, 2};
    static struct finding plain = {.launch = -1, .process = "a.out", .tool = "memcheck", .kind = "out-of-bounds", .severity = "error"};
    static struct finding full = {
        .launch = 3, .process = "a.out", .tool = "racecheck", .kind = "race", .severity = "warning", .kernel = "void f<16>(const float *, int)",
        .at = {"f.cu", 20, 52, "g", "f.cu:20 < f.cu:31"}, .by = {"f.cu", 21, 60, "f", NULL}, .access = "write", .by_access = "read",
        .space = "shared", .bytes = 4, .count = 12, .cases = &once, .ncases = 1, .place = "after", .distance = 4, .near_address = 0x700000000000,
        .near_bytes = 512, .near_label = "tile", .message = "a headline", .text = "more\nlines",
        .backtrace = "main in a.out\n__libc_start_main in libc.so.6\n", .made_backtrace = "main in a.out\n"};

    suppressions_match(s, &plain);
    suppressions_match(s, &full);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag_list diags;
    struct strbuf b;

    diag_init(&diags);
    strbuf_init(&b);
    struct suppressions *s = suppressions_read(fuzz_file(data, size), &diags);
    diag_format_all(&diags, &b);
    if ((s != NULL) == (diags.errors > 0))
        fuzz_fail("read in spite of errors, or refused without a message");
    if (s)
        compare(s);
    suppressions_free(s);
    strbuf_release(&b);
    diag_release(&diags);
    return 0;
}
