/* Whole files (see file.h). */
#define _GNU_SOURCE /* O_TMPFILE, memfd_create */
#include "base/file.h"

#include "base/alloc.h"
#include "base/strbuf.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_read_all(int fd, struct strbuf *out)
{
    char buffer[65536];
    ssize_t n;
    while ((n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            strbuf_add(out, buffer, (size_t)n);
    return n == 0;
}

bool file_read(const char *path, struct strbuf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = file_read_all(fd, out);
    int e = errno;
    close(fd);
    errno = e;
    return ok;
}

bool file_write(const char *path, const void *data, size_t bytes)
{
    struct strbuf temp;
    strbuf_init(&temp);
    strbuf_addf(&temp, "%s.%ld.tmp", path, (long)getpid());
    int fd = open(temp.s, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool ok = fd >= 0;
    for (size_t at = 0; ok && at < bytes;) {
        ssize_t n = write(fd, (const char *)data + at, bytes - at);
        ok = n > 0;
        at += ok ? (size_t)n : 0;
    }
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    ok = ok && rename(temp.s, path) == 0;
    if (!ok && fd >= 0) {
        int e = errno;
        unlink(temp.s);
        errno = e;
    }
    strbuf_release(&temp);
    return ok;
}

char *file_folder_of(const void *code)
{
    struct link_map *map = NULL;
    Dl_info info;
    char real[PATH_MAX];
    if (!dladdr1(code, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return NULL;
    if (!realpath(*map->l_name ? map->l_name : "/proc/self/exe", real)) /* the program itself has no name there */
        return NULL;
    return alloc_strndup(real, (size_t)(strrchr(real, '/') - real));
}

bool file_make_dirs(const char *path)
{
    struct strbuf b;
    strbuf_init(&b);
    strbuf_adds(&b, path);
    bool ok = true;
    for (size_t i = 1; ok && i <= b.len; i++) {
        if (b.s[i] != '/' && b.s[i] != '\0')
            continue;
        char c = b.s[i];
        b.s[i] = '\0';
        ok = mkdir(b.s, 0777) == 0 || errno == EEXIST;
        b.s[i] = c;
    }
    strbuf_release(&b);
    struct stat st;
    if (ok && (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))) {
        errno = ENOTDIR;
        ok = false;
    }
    return ok;
}

void file_remove_dir(const char *path)
{
    DIR *d = opendir(path);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        struct strbuf inner;
        strbuf_init(&inner);
        strbuf_addf(&inner, "%s/%s", path, e->d_name);
        if (unlink(inner.s) && errno == EISDIR)
            file_remove_dir(inner.s);
        strbuf_release(&inner);
    }
    closedir(d);
    rmdir(path);
}

int file_unnamed(void)
{
    const char *in = getenv("TMPDIR");
    int fd = open(in && *in ? in : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : memfd_create("heddle", MFD_CLOEXEC);
}

void file_add_path(struct strbuf *out, int fd)
{
    char self[32]; /* what /proc calls us, whatever name space it was made in */
    ssize_t n = readlink("/proc/self", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    strbuf_addf(out, "/proc/%s/fd/%d", n > 0 ? self : "self", fd);
}
