/* Whom to believe (see trust.h). */
#include "base/trust.h"

#include "base/strbuf.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the system calls users from outside of our user namespace (user_namespaces(7)): real root, mostly. */
enum { OVERFLOW_UID = 65534 };

static bool is_ours(const struct stat *st)
{
    return st->st_uid == geteuid() || !st->st_uid;
}

/* Where every user has a group of the same name, folders are often open for it. */
static bool others_write(const struct stat *st)
{
    return st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && st->st_gid != getegid());
}

bool trust_file(const struct stat *st)
{
    return S_ISREG(st->st_mode) && is_ours(st) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

bool trust_folder(const struct stat *st)
{
    return S_ISDIR(st->st_mode) && is_ours(st) && !others_write(st);
}

/* A folder above: with the sticky bit, others may write but not rename what is not theirs. */
static bool keeps_still(const struct stat *st)
{
    return (is_ours(st) || st->st_uid == OVERFLOW_UID) && (!others_write(st) || st->st_mode & S_ISVTX);
}

bool trust_path(const char *path, struct strbuf *why)
{
    struct strbuf above;
    struct stat st;
    bool ok = true;
    strbuf_init(&above);
    for (size_t n = 0, len = strlen(path); ok && n < len; n++) {
        if (path[n] != '/')
            continue;
        strbuf_clear(&above);
        strbuf_add(&above, path, n ? n : 1);
        ok = !lstat(above.s, &st) && keeps_still(&st);
        if (!ok)
            strbuf_addf(why, "other users may rename what is in '%s'", above.s);
    }
    if (ok && lstat(path, &st)) {
        strbuf_addf(why, "'%s': %s", path, strerror(errno));
        ok = false;
    } else if (ok && !S_ISDIR(st.st_mode)) {
        strbuf_addf(why, "'%s' is not a folder", path);
        ok = false;
    } else if (ok && !is_ours(&st)) {
        strbuf_addf(why, "'%s' belongs to another user", path);
        ok = false;
    } else if (ok && others_write(&st)) {
        strbuf_addf(why, "other users may write to '%s' (chmod go-w would help)", path);
        ok = false;
    }
    strbuf_release(&above);
    return ok;
}
