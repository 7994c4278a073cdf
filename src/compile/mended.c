/* See mended.h. */
#include "compile/mended.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "compile/device_launches.h"
#include "compile/launches.h"
#include "compile/words.h"

enum { FILES_MOST = 256 }; /* headers of one source that are looked at */

struct looking {
    const struct compile_options *o;
    struct arena *a;
    const char *from;  /* the file whose includes are looked at */
    const char **path; /* the files so far */
    int n;
};

static void add_path(struct looking *l, const char *path)
{
    for (int i = 0; i < l->n; i++)
        if (!strcmp(l->path[i], path))
            return;
    if (l->n < FILES_MOST)
        l->path[l->n++] = path;
}

/* Beside the file that includes it, then in the folders of -I. */
static void find_include(const char *name, size_t n, void *user)
{
    struct looking *l = user;
    const char *slash = strrchr(l->from, '/');
    const char *beside = arena_printf(l->a, "%.*s%.*s", slash ? (int)(slash + 1 - l->from) : 0, l->from, (int)n, name);
    if (!access(beside, R_OK)) {
        add_path(l, beside);
        return;
    }
    for (int i = 0; i + 1 < l->o->search.n; i++) {
        const char *path = arena_printf(l->a, "%s/%.*s", l->o->search.v[i + 1], (int)n, name);
        if (!strcmp(l->o->search.v[i], "-I") && !access(path, R_OK)) {
            add_path(l, path);
            return;
        }
    }
}

/* Headers that cannot be read are clang's to complain of. */
static bool find_headers(struct looking *l)
{
    bool launches = false;
    for (int i = 0; i < l->n; i++) {
        struct strbuf text;
        strbuf_init(&text);
        if (file_read(l->path[i], &text) && text.len) {
            l->from = l->path[i];
            device_launches_includes(text.s, text.len, find_include, l);
            launches = launches || device_launches_in(text.s, text.len);
        }
        strbuf_release(&text);
    }
    return launches;
}

static bool write_text(const struct strbuf *text, const char *path, struct diag_list *diags)
{
    if (file_write(path, text->s, text->len))
        return true;
    diag_add(diags, DIAG_ERROR, path, 0, "cannot write the file: %s", strerror(errno));
    return false;
}

/* One pass's form of a text. NULL with an error. */
static const char *write_form(const struct strbuf *text, bool for_device, const char *path, struct diag_list *diags)
{
    struct strbuf form;
    strbuf_init(&form);
    device_launches_mend(text->s, text->len, for_device, &form);
    bool ok = write_text(&form, path, diags);
    strbuf_release(&form);
    return ok ? path : NULL;
}

static bool mend(struct mended_files *m, const char *source, struct strbuf *text, const char *stem, struct arena *a,
                 struct diag_list *diags)
{
    bool changed = launches_mend(text->s, text->len), launches = m->device_launches && strstr(text->s, "<<<");
    if (!changed && !launches)
        return true;
    struct mended *f = &m->files[m->n++];
    f->source = source;
    if (!launches) {
        f->device = f->host = arena_printf(a, "%s.mended.cu", stem);
        return write_text(text, f->device, diags);
    }
    f->device = write_form(text, true, arena_printf(a, "%s.device.cu", stem), diags);
    f->host = f->device ? write_form(text, false, arena_printf(a, "%s.host.cu", stem), diags) : NULL;
    return f->host != NULL;
}

bool mend_files(const struct compile_options *o, const char *source, const char *temp, int number, struct arena *a,
                struct mended_files *out, struct diag_list *diags)
{
    struct looking l = {o, a, NULL, ARENA_ARRAY(a, const char *, FILES_MOST), 0};
    bool ok = true;
    add_path(&l, source);
    memset(out, 0, sizeof *out);
    if (o->relocatable)
        out->device_launches = find_headers(&l);
    if (!out->device_launches)
        l.n = 1;
    out->files = ARENA_ARRAY(a, struct mended, l.n);
    for (int i = 0; i < l.n && ok; i++) {
        struct strbuf text;
        strbuf_init(&text);
        bool read = file_read(l.path[i], &text);
        if (!read && i == 0) {
            diag_add(diags, DIAG_ERROR, source, 0, "cannot read the file: %s", strerror(errno));
            ok = false;
        } else if (read && text.len) {
            ok = mend(out, l.path[i], &text, arena_printf(a, "%s/%d.%d", temp, number, i), a, diags);
        }
        strbuf_release(&text);
    }
    return ok;
}

void mended_words(const struct mended_files *m, enum pass pass, struct arena *a, struct words *w)
{
    if (m->device_launches && pass == PASS_DEVICE)
        words_addv(a, w, "-include", "heddle/launches_in_kernels.h", NULL);
    for (int i = 0; i < m->n; i++)
        words_addv(a, w, "-Xclang", "-remap-file", "-Xclang",
                   arena_printf(a, "%s;%s", m->files[i].source, pass == PASS_DEVICE ? m->files[i].device : m->files[i].host), NULL);
}
