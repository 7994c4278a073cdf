/* The cache (see store.h). Whatever changes it holds a lock on `state`, so that a name is never taken from a good file. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/store.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const struct store_part_info store_parts[STORE_PARTS] = {
#define PART(id, folder, what) {folder, what},
#include "base/store.def"
#undef PART
};

/* --- the folder --- */

static bool add_wanted(struct strbuf *out)
{
    const char *chosen = getenv("HEDDLE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (chosen && *chosen)
        strbuf_adds(out, chosen);
    else if (xdg && *xdg)
        strbuf_addf(out, "%s/heddle", xdg);
    else if (home && *home)
        strbuf_addf(out, "%s/.cache/heddle", home);
    return out->len > 0;
}

static void add_other(struct strbuf *out)
{
    const char *temporary = getenv("TMPDIR");
    strbuf_addf(out, "%s/heddle-%ld", temporary && *temporary ? temporary : "/tmp", (long)geteuid());
}

/* Makes `path` and the folders above it; the last one for us alone. */
static bool make_folder(const char *path, bool *made)
{
    struct strbuf above;
    const char *slash = strrchr(path, '/');
    bool ok = true;
    strbuf_init(&above);
    strbuf_add(&above, path, slash ? (size_t)(slash - path) : 0);
    if (above.len)
        ok = file_make_dirs(above.s);
    strbuf_release(&above);
    *made = ok && !mkdir(path, 0700);
    return ok && (*made || errno == EEXIST);
}

/* The parts are folders of ours too. */
static bool open_parts(const char *path, struct strbuf *why)
{
    struct strbuf part;
    struct stat st;
    bool ok = true;
    strbuf_init(&part);
    for (int i = 0; ok && i < STORE_PARTS; i++) {
        strbuf_clear(&part);
        strbuf_addf(&part, "%s/%s", path, store_parts[i].folder);
        if (mkdir(part.s, 0700) && errno != EEXIST) {
            strbuf_addf(why, "'%s': %s", part.s, strerror(errno));
            ok = false;
        } else if (lstat(part.s, &st) || !trust_folder(&st)) {
            strbuf_addf(why, "others may write to '%s'", part.s);
            ok = false;
        }
    }
    strbuf_release(&part);
    return ok;
}

/* Opens the store at `path`, made if it is not there. */
static bool open_at(struct store *s, const char *path, bool *made, struct strbuf *why)
{
    char *real = NULL;
    bool ok = make_folder(path, made) && (real = realpath(path, NULL));
    if (!ok)
        strbuf_addf(why, "'%s': %s", path, strerror(errno));
    else if (access(real, W_OK | X_OK)) {
        strbuf_addf(why, "'%s': %s", path, strerror(errno));
        ok = false;
    }
    ok = ok && trust_path(real, why) && open_parts(real, why);
    if (ok)
        *s = (struct store){.path = real};
    else
        free(real);
    return ok;
}

bool store_open(struct store *s, bool make_other, struct strbuf *note)
{
    struct strbuf wanted, other, why;
    bool made = false, ok = false;
    strbuf_init(&wanted);
    strbuf_init(&other);
    strbuf_init(&why);
    add_other(&other);
    if (!add_wanted(&wanted))
        strbuf_adds(&why, "none of HEDDLE_CACHE, XDG_CACHE_HOME and HOME is set");
    else
        ok = open_at(s, wanted.s, &made, &why);
    if (!ok && (make_other || !access(other.s, F_OK))) {
        size_t first = why.len;
        strbuf_adds(&why, "; ");
        ok = open_at(s, other.s, &made, &why);
        if (ok && made && note)
            strbuf_addf(note, "the cache of compiled programs is '%s' from now on: %.*s; `heddle cache` shows it, HEDDLE_CACHE names another",
                        s->path, (int)first, why.s);
    }
    if (!ok && note)
        strbuf_addf(note, "no place for the cache of compiled programs: %s; set HEDDLE_CACHE to a folder of yours", why.s);
    strbuf_release(&wanted);
    strbuf_release(&other);
    strbuf_release(&why);
    return ok;
}

void store_close(struct store *s)
{
    free(s->path);
    s->path = NULL;
}

static void add_path(struct strbuf *out, const struct store *s, enum store_part part, const struct hash128 *key)
{
    strbuf_addf(out, "%s/%s/%016" PRIx64 "%016" PRIx64, s->path, store_parts[part].folder, key->part[0], key->part[1]);
}

/* --- the lock, the size and the limit --- */

struct state {
    int64_t bytes;  /* of all files, at least if nobody was killed since they were summed */
    int64_t added;  /* things since then */
    int64_t limit;  /* bytes */
    struct hash128 hash; /* of the three */
};

enum { SUM_EVERY = 64, LOCK_MS = 5000, LONGEST_PAUSE_MS = 16 };

static struct hash128 hash_of_state(const struct state *t)
{
    struct hash128 h = HASH128_START;
    hash128_mix(&h, t, offsetof(struct state, hash));
    return h;
}

/* What the file says; -1 bytes: nothing that can be believed. */
static struct state read_state(int fd)
{
    struct state t;
    if (pread(fd, &t, sizeof t, 0) == sizeof t) {
        struct hash128 h = hash_of_state(&t);
        if (!memcmp(&h, &t.hash, sizeof h) && t.bytes >= 0)
            return t;
    }
    return (struct state){.bytes = -1, .limit = STORE_LIMIT};
}

static bool write_state(int fd, struct state *t)
{
    t->hash = hash_of_state(t);
    return pwrite(fd, t, sizeof *t, 0) == sizeof *t;
}

static int open_state(const struct store *s, int flags)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_addf(&path, "%s/state", s->path);
    int fd = open(path.s, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
    strbuf_release(&path);
    return fd;
}

/* When somebody last had the lock. */
static struct timespec last_held(int fd)
{
    struct stat st;
    return fstat(fd, &st) ? (struct timespec){0} : st.st_mtim;
}

/* The lock ends with the descriptor, so with its process. One that is stopped while it holds the lock must not stop all others;
 * a crowd that takes turns is waited for, however long it is, so whoever gets the lock marks the file. On a file system without
 * locks the worst is that a good file is made again. */
static int lock(const struct store *s)
{
    int fd = open_state(s, O_RDWR | O_CREAT), left = LOCK_MS, pause = 1;
    struct timespec held = last_held(fd);
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
        if (errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS)
            return fd;
        if ((errno != EWOULDBLOCK && errno != EINTR) || left <= 0) {
            int e = errno;
            close(fd);
            errno = e;
            return -1;
        }
        usleep((useconds_t)pause * 1000);
        left -= pause;
        if (pause < LONGEST_PAUSE_MS)
            pause *= 2;
        struct timespec now = last_held(fd);
        if (now.tv_sec != held.tv_sec || now.tv_nsec != held.tv_nsec) {
            held = now;
            left = LOCK_MS;
        }
    }
    if (fd >= 0)
        futimens(fd, NULL);
    return fd;
}

static void unlock(int fd)
{
    int e = errno;
    close(fd);
    errno = e;
}

/* --- all files --- */

struct found {
    char *path;
    enum store_part part;
    int64_t bytes, used; /* ns since 1970 */
};

struct listing {
    struct found *file;
    size_t n, cap;
    int64_t bytes;
};

static void list_folder(struct listing *l, const char *path, enum store_part part, bool deeper)
{
    DIR *d = opendir(path);
    struct stat st;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct strbuf name;
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
            continue;
        strbuf_init(&name);
        strbuf_addf(&name, "%s/%s", path, e->d_name);
        if (S_ISDIR(st.st_mode)) {
            if (deeper)
                list_folder(l, name.s, part, false);
        } else {
            ALLOC_GROW(l->file, l->n, l->cap);
            l->file[l->n++] = (struct found){strdup(name.s), part, st.st_size,
                                             (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
            l->bytes += st.st_size;
        }
        strbuf_release(&name);
    }
    if (d)
        closedir(d);
}

static void list_all(struct listing *l, const struct store *s)
{
    struct strbuf path;
    *l = (struct listing){0};
    strbuf_init(&path);
    for (int i = 0; i < STORE_PARTS; i++) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s", s->path, store_parts[i].folder);
        list_folder(l, path.s, (enum store_part)i, true);
    }
    strbuf_release(&path);
}

static void listing_release(struct listing *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->file[i].path);
    alloc_release(l->file);
}

static int by_use(const void *a, const void *b)
{
    int64_t x = ((const struct found *)a)->used, y = ((const struct found *)b)->used;
    return (x > y) - (x < y);
}

/* A file, and its folder if that is empty then. */
static bool remove_file(char *path)
{
    if (!path || (unlink(path) && errno != ENOENT))
        return false;
    char *slash = strrchr(path, '/');
    *slash = '\0';
    if (strlen(strrchr(path, '/') + 1) == 32) /* named by a hash: not a part */
        rmdir(path);
    return true;
}

/* Removes what was used longest ago, up to a time, until `most` bytes are left. Returns how many are; false in *ok if something
 * could not be removed. */
static int64_t remove_oldest(struct listing *l, int64_t most, int64_t until, bool *ok)
{
    qsort(l->file, l->n, sizeof *l->file, by_use);
    for (size_t i = 0; i < l->n && l->bytes > most && l->file[i].used < until; i++) {
        if (remove_file(l->file[i].path))
            l->bytes -= l->file[i].bytes;
        else
            *ok = false;
    }
    return l->bytes;
}

static int64_t spared_from(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return ((int64_t)t.tv_sec - STORE_SPARED_S) * 1000000000 + t.tv_nsec;
}

/* Sums up, and keeps the limit. The lock is held. */
static void trim(const struct store *s, struct state *t)
{
    struct listing l;
    bool ok = true;
    list_all(&l, s);
    t->bytes = l.bytes;
    t->added = 0;
    if (t->bytes > t->limit)
        t->bytes = remove_oldest(&l, t->limit / 4 * 3, spared_from(), &ok);
    listing_release(&l);
}

/* Something of so many bytes is new. The lock is held. */
static void count(const struct store *s, int fd, int64_t bytes)
{
    struct state t = read_state(fd);
    bool known = t.bytes >= 0;
    t.bytes += bytes;
    t.added++;
    if (!known || t.bytes > t.limit || t.added >= SUM_EVERY)
        trim(s, &t);
    write_state(fd, &t);
}

/* --- putting a file in its place --- */

static bool write_all(int fd, const char *data, size_t n)
{
    while (n) {
        ssize_t w = write(fd, data, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            return false;
        data += w;
        n -= (size_t)w;
    }
    return true;
}

struct piece {
    const void *data;
    size_t n;
};

/* Beyond RLIMIT_FSIZE a signal would end the program that is only keeping something: here it is an error like a full disk. */
static bool write_held(int fd, const struct piece *piece, int pieces)
{
    sigset_t one, before;
    bool ok = true;
    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &one, &before);
    for (int i = 0; ok && i < pieces; i++)
        ok = write_all(fd, piece[i].data, piece[i].n);
    int e = errno;
    if (!ok)
        sigtimedwait(&one, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = e;
    return ok;
}

/* A file to write to, which has no name. Only the holder of the lock writes to `new`, where that is needed. */
static int begin(struct store *s, const char *whole)
{
    int fd = s->named ? -1 : open(s->path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && (s->named || errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
        s->named = true;
        unlink(whole);
        fd = open(whole, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    return fd;
}

/* Gives it a name. What has that name so far is damaged or out of date; it may be a folder, if that is empty. */
static bool end(const struct store *s, int fd, const char *whole, const char *path)
{
    char unnamed[64];
    if (unlink(path) && errno == EISDIR)
        rmdir(path);
    if (s->named)
        return !rename(whole, path);
    snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", fd);
    return !linkat(AT_FDCWD, unnamed, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* Writes the pieces to a new file at `path`. The lock is held. */
static bool put(struct store *s, const char *path, const struct piece *piece, int pieces, mode_t mode)
{
    struct strbuf whole;
    strbuf_init(&whole);
    strbuf_addf(&whole, "%s/new", s->path);
    int fd = begin(s, whole.s), e;
    bool ok = fd >= 0 && write_held(fd, piece, pieces) && !fchmod(fd, mode) && end(s, fd, whole.s, path);
    e = errno;
    if (fd >= 0)
        close(fd);
    if (!ok && s->named)
        unlink(whole.s);
    errno = e;
    strbuf_release(&whole);
    return ok;
}

/* --- entries --- */

struct head {
    char magic[8];
    struct hash128 key, hash; /* hash: of the size and all that follows */
    uint64_t size;            /* bytes behind the head */
};
static const char magic[8] = "HEDDLE-2";

static struct hash128 hash_of_entry(const void *data, uint64_t size)
{
    struct hash128 h = HASH128_START;
    HASH128_MIX(&h, size);
    hash128_mix(&h, data, size);
    return h;
}

/* A file that can be believed, opened; -1 if there is none. */
static int open_trusted(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (fstat(fd, &st) || !trust_file(&st))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

bool store_has(const struct store *s, enum store_part part, const struct hash128 *key)
{
    struct strbuf path;
    struct stat st;
    strbuf_init(&path);
    add_path(&path, s, part, key);
    bool has = !lstat(path.s, &st) && trust_file(&st);
    strbuf_release(&path);
    return has;
}

static bool is_whole(const struct strbuf *file, const struct hash128 *key)
{
    struct head h;
    if (file->len < sizeof h)
        return false;
    memcpy(&h, file->s, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) || memcmp(&h.key, key, sizeof *key) || h.size != file->len - sizeof h)
        return false;
    struct hash128 hash = hash_of_entry(file->s + sizeof h, h.size);
    return !memcmp(&h.hash, &hash, sizeof hash);
}

bool store_get(const struct store *s, enum store_part part, const struct hash128 *key, struct strbuf *out)
{
    struct strbuf path, file;
    strbuf_init(&path);
    strbuf_init(&file);
    add_path(&path, s, part, key);
    int fd = open_trusted(path.s);
    bool found = fd >= 0 && file_read_all(fd, &file) && is_whole(&file, key);
    if (found) {
        strbuf_add(out, file.s + sizeof(struct head), file.len - sizeof(struct head));
        futimens(fd, NULL);
    }
    if (fd >= 0)
        close(fd);
    strbuf_release(&path);
    strbuf_release(&file);
    return found;
}

bool store_put(struct store *s, enum store_part part, const struct hash128 *key, const void *data, size_t n)
{
    struct head h = {.key = *key, .hash = hash_of_entry(data, n), .size = n};
    const struct piece pieces[] = {{&h, sizeof h}, {data, n}};
    struct strbuf path;
    int held = lock(s);
    if (held < 0)
        return false;
    memcpy(h.magic, magic, sizeof magic);
    strbuf_init(&path);
    add_path(&path, s, part, key);
    bool ok = put(s, path.s, pieces, 2, 0600);
    if (ok)
        count(s, held, (int64_t)(sizeof h + n));
    unlock(held);
    strbuf_release(&path);
    return ok;
}

/* --- files --- */

enum { CHUNK = 1 << 16 }; /* a file is hashed in pieces of so many bytes */

static struct hash128 hash_of_bytes(const char *data, size_t n)
{
    struct hash128 h = HASH128_START;
    for (size_t at = 0; at < n; at += CHUNK)
        hash128_mix(&h, data + at, n - at < CHUNK ? n - at : CHUNK);
    return h;
}

/* The same of an open file, without keeping it. */
static bool hash_of_file(int fd, struct hash128 *h)
{
    char buffer[CHUNK];
    *h = HASH128_START;
    for (size_t have = 0;;) {
        ssize_t n = read(fd, buffer + have, sizeof buffer - have);
        if (n < 0)
            return false;
        have += (size_t)n;
        if (have && (!n || have == sizeof buffer)) {
            hash128_mix(h, buffer, have);
            have = 0;
        }
        if (!n)
            return true;
    }
}

static bool is_good_file(const char *path, const struct hash128 *content)
{
    struct hash128 h;
    int fd = open_trusted(path);
    bool good = fd >= 0 && hash_of_file(fd, &h) && !memcmp(&h, content, sizeof h);
    if (good)
        futimens(fd, NULL);
    if (fd >= 0)
        close(fd);
    return good;
}

bool store_find_file(const struct store *s, enum store_part part, const struct hash128 *content, const char *name,
                     struct strbuf *path)
{
    struct strbuf file;
    struct stat st;
    strbuf_init(&file);
    add_path(&file, s, part, content);
    bool good = !lstat(file.s, &st) && trust_folder(&st);
    strbuf_addf(&file, "/%s", name);
    good = good && is_good_file(file.s, content);
    if (good)
        strbuf_adds(path, file.s);
    strbuf_release(&file);
    return good;
}

/* The folder of a file is there, or made, and is ours. */
static bool make_place(const char *path)
{
    struct stat st;
    if (!lstat(path, &st) && !trust_folder(&st)) {
        file_remove_dir(path);
        unlink(path);
    }
    if (mkdir(path, 0700) && errno != EEXIST)
        return false;
    if (!lstat(path, &st) && trust_folder(&st))
        return true;
    errno = EPERM;
    return false;
}

static bool put_file(struct store *s, int held, enum store_part part, const struct strbuf *data, mode_t mode, const char *name,
                     const struct hash128 *content)
{
    const struct piece piece = {data->s, data->len};
    struct strbuf path;
    strbuf_init(&path);
    add_path(&path, s, part, content);
    bool ok = make_place(path.s);
    strbuf_addf(&path, "/%s", name);
    if (ok && !is_good_file(path.s, content)) {
        ok = put(s, path.s, &piece, 1, mode);
        if (ok)
            count(s, held, (int64_t)data->len);
    }
    strbuf_release(&path);
    return ok;
}

bool store_put_file(struct store *s, enum store_part part, const char *from, const char *name, struct hash128 *content)
{
    struct strbuf data;
    struct stat st;
    int held = -1;
    strbuf_init(&data);
    bool ok = !stat(from, &st) && file_read(from, &data);
    if (ok) {
        *content = hash_of_bytes(data.s, data.len);
        held = lock(s);
        ok = held >= 0 && put_file(s, held, part, &data, st.st_mode & S_IXUSR ? 0700 : 0600, name, content);
    }
    if (held >= 0)
        unlock(held);
    strbuf_release(&data);
    return ok;
}

/* --- its size --- */

void store_measure(const struct store *s, struct store_size size[STORE_PARTS])
{
    struct listing l;
    list_all(&l, s);
    memset(size, 0, STORE_PARTS * sizeof *size);
    for (size_t i = 0; i < l.n; i++) {
        size[l.file[i].part].files++;
        size[l.file[i].part].bytes += l.file[i].bytes;
    }
    listing_release(&l);
}

int64_t store_limit(const struct store *s)
{
    int fd = open_state(s, O_RDONLY);
    struct state t = read_state(fd);
    if (fd >= 0)
        close(fd);
    return t.limit;
}

bool store_set_limit(struct store *s, int64_t bytes)
{
    struct state t = {.limit = bytes};
    int held = lock(s);
    if (held < 0)
        return false;
    trim(s, &t);
    bool ok = write_state(held, &t);
    unlock(held);
    return ok;
}

bool store_clear(struct store *s)
{
    struct listing l;
    bool ok = true;
    int held = lock(s);
    if (held < 0)
        return false;
    struct state t = read_state(held);
    list_all(&l, s);
    t.bytes = remove_oldest(&l, -1, INT64_MAX, &ok);
    t.added = 0;
    listing_release(&l);
    ok = write_state(held, &t) && ok;
    unlock(held);
    return ok;
}
