/* A description to begin with: those figures that a relative cannot stand for, with its values in them.
 *
 * In: a name for the GPU and a relative. Out: the text of a description that can be used at once and says of each of its
 * figures that it is still the relative's. */
#include <string.h>

#include "base/strbuf.h"
#include "device/device.h"

/* A figure as JSON; OWN figures are texts, choices and single numbers. False: it is not known. */
static bool add_value(struct strbuf *out, const struct device *d, const struct device_field *f)
{
    struct strbuf value;
    bool known;

    strbuf_init(&value);
    device_value(d, f, &value);
    known = strcmp(value.s, "unknown");
    if (f->kind == DEVICE_FIGURE)
        strbuf_adds(out, known ? value.s : "null");
    else
        strbuf_addf(out, "\"%s\"", value.s);
    strbuf_release(&value);
    return known;
}

void device_begin(const char *name, const struct device *relative, struct strbuf *out)
{
    int n;
    const struct device_field *f = device_fields(&n);

    strbuf_addf(out, "{\n  \"heddle_device\": 2,\n  \"from\": \"%s\",\n  \"sources\": {\n  }", relative->id);
    for (int i = 0; i < n; i++) {
        bool known = true;

        if (f[i].kind == DEVICE_SECTION || f[i].of != DEVICE_OF_OWN)
            continue;
        strbuf_addf(out, ",\n  \"%s\": {\"value\": ", f[i].id);
        if (!strcmp(f[i].id, "name"))
            strbuf_addf(out, "\"%s\"", name);
        else
            known = add_value(out, relative, &f[i]);
        if (f[i].unit)
            strbuf_addf(out, ", \"unit\": \"%s\"", f[i].unit);
        strbuf_addf(out, ", \"%s\": \"as %s: put in the GPU's own, and its source\"}", known ? "assumed" : "unknown", relative->id);
    }
    strbuf_adds(out, "\n}\n");
}
