/* Objects in files (see keep.h). */
#define _GNU_SOURCE
#include "jit/keep.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "jit_build.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_MIB = 256, LOOK_EVERY = 16 }; /* the folder's size, looked at once in so many new files */

struct head {
    char magic[8];
    struct keep_key key, hash; /* hash: of all that follows */
    uint64_t size;             /* bytes of the object */
};
static const char magic[8] = "HEDDLEJ1";

/* --- the key --- */

/* Two hashes of 64 bits that have nothing in common but what goes in. */
static void mix(struct keep_key *k, const void *data, size_t n)
{
    const char *at = data;
    uint64_t word = n, a = k->part[0], b = k->part[1];
    for (;;) {
        a = (a ^ word) * UINT64_C(0x9fb21c651e98df25);
        a ^= a >> 32;
        b = (b + word) * UINT64_C(0xd6e8feb86659fd93);
        b ^= b >> 29;
        if (!n)
            break;
        size_t take = n < 8 ? n : 8;
        word = 0;
        memcpy(&word, at, take);
        at += take;
        n -= take;
    }
    k->part[0] = a;
    k->part[1] = b;
}

static void mix_text(struct keep_key *k, const char *text)
{
    mix(k, text ? text : "", text ? strlen(text) : 0);
}

#define MIX(k, value) mix((k), &(value), sizeof(value))

/* What the module's text does not tell: constants (addresses of variables are among them), and what target_rewrite makes of it. */
static void mix_inst(struct keep_key *k, const struct ir_inst *in)
{
    MIX(k, in->op);
    MIX(k, in->type);
    MIX(k, in->type2);
    MIX(k, in->space);
    MIX(k, in->vec);
    MIX(k, in->atomic_form);
    MIX(k, in->way);
    MIX(k, in->guard);
    MIX(k, in->guard_negated);
    MIX(k, in->target);
    MIX(k, in->offset);
    MIX(k, in->offset2);
    mix(k, in->dst, in->ndst * sizeof in->dst[0]);
    for (int i = 0; i < in->nsrc; i++) {
        MIX(k, in->src[i].kind);
        MIX(k, in->src[i].negated);
        MIX(k, in->src[i].reg);
        MIX(k, in->src[i].imm);
    }
}

bool keep_key(const struct jit_job *job, struct keep_key *key)
{
    const struct ir_kernel *k = job->kernel;
    const char *wanted = getenv("HEDDLE_JIT_CACHE");
    if (wanted && !strcmp(wanted, "0"))
        return false;
    *key = (struct keep_key){{UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)}};
    mix_text(key, JIT_BUILD);
    mix_text(key, job->level);
    MIX(key, job->dim);
    MIX(key, job->counting);
    MIX(key, job->tallies);
    MIX(key, job->cached);
    MIX(key, job->split);
    MIX(key, job->jam);
    MIX(key, job->tier);
    mix_text(key, k->name);
    mix(key, k->module->text, k->module->text_len);
    mix(key, k->reg_type, (size_t)k->nregs);
    for (int32_t i = 0; i < k->ninsts; i++)
        mix_inst(key, &k->insts[i]);
    return true;
}

/* --- files --- */

static bool add_path(struct strbuf *path, const struct keep_key *key)
{
    if (!file_cache_folder(path))
        return false;
    strbuf_adds(path, "/code");
    if (key)
        strbuf_addf(path, "/%016" PRIx64 "%016" PRIx64, key->part[0], key->part[1]);
    return true;
}

/* Ours, or the administrator's, and not for everybody to write to: it is code that will run. */
static bool is_trusted(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && (st.st_uid == geteuid() || !st.st_uid) && !(st.st_mode & S_IWOTH);
}

bool keep_has(const struct keep_key *key)
{
    struct strbuf path;
    strbuf_init(&path);
    bool has = add_path(&path, key) && is_trusted(path.s);
    strbuf_release(&path);
    return has;
}

static struct keep_key hash_of(const struct head *h, const char *object)
{
    struct keep_key k = {{1, 2}};
    MIX(&k, h->size);
    mix(&k, object, h->size);
    return k;
}

static void release(struct jit_object *o)
{
    free(o->bytes);
    o->bytes = NULL;
}

static bool take(const struct strbuf *file, const struct keep_key *key, struct jit_object *o)
{
    struct head h;
    if (file->len < sizeof h)
        return false;
    memcpy(&h, file->s, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) || memcmp(&h.key, key, sizeof *key) || h.size != file->len - sizeof h)
        return false;
    struct keep_key hash = hash_of(&h, file->s + sizeof h);
    if (memcmp(&h.hash, &hash, sizeof hash))
        return false;
    *o = (struct jit_object){.bytes = malloc(h.size + 1), .size = h.size, .release = release};
    if (o->bytes)
        memcpy(o->bytes, file->s + sizeof h, h.size);
    return o->bytes;
}

bool keep_find(const struct keep_key *key, struct jit_object *o)
{
    struct strbuf path, file;
    strbuf_init(&path);
    strbuf_init(&file);
    bool found = add_path(&path, key) && is_trusted(path.s) && file_read(path.s, &file) && take(&file, key, o);
    if (found)
        utimensat(AT_FDCWD, path.s, NULL, 0); /* it was used now */
    strbuf_release(&path);
    strbuf_release(&file);
    return found;
}

/* --- the folder's size --- */

struct kept {
    char *name;
    int64_t size, used; /* bytes; ns since 1970 */
};

static int by_use(const void *a, const void *b)
{
    int64_t x = ((const struct kept *)a)->used, y = ((const struct kept *)b)->used;
    return (x > y) - (x < y);
}

/* When the folder is too large, what was used longest ago goes, until it is three quarters full. */
static void trim(const char *folder)
{
    struct kept *all = NULL;
    size_t n = 0, cap = 0;
    int64_t bytes = 0;
    DIR *d = opendir(folder);
    struct stat st;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        ALLOC_GROW(all, n, cap);
        all[n++] = (struct kept){strdup(e->d_name), st.st_size, (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
        bytes += st.st_size;
    }
    bool full = bytes > (int64_t)FOLDER_MIB << 20;
    if (full)
        qsort(all, n, sizeof *all, by_use);
    for (size_t i = 0; i < n; i++) {
        if (full && bytes > (int64_t)FOLDER_MIB * 3 / 4 << 20 && all[i].name && !unlinkat(dirfd(d), all[i].name, 0))
            bytes -= all[i].size;
        free(all[i].name);
    }
    alloc_release(all);
    if (d)
        closedir(d);
}

void keep_add(const struct keep_key *key, const struct jit_object *o)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* of this process: others have other names */
    struct head h = {.key = *key, .size = o->size};
    struct strbuf folder, path, file;
    memcpy(h.magic, magic, sizeof magic);
    h.hash = hash_of(&h, o->bytes);
    strbuf_init(&folder);
    strbuf_init(&path);
    strbuf_init(&file);
    strbuf_add(&file, (const char *)&h, sizeof h);
    strbuf_add(&file, o->bytes, o->size);
    pthread_mutex_lock(&one_at_a_time);
    if (add_path(&folder, NULL) && add_path(&path, key) && file_make_dirs(folder.s) && file_write(path.s, file.s, file.len) &&
        key->part[0] % LOOK_EVERY == 0)
        trim(folder.s);
    pthread_mutex_unlock(&one_at_a_time);
    strbuf_release(&folder);
    strbuf_release(&path);
    strbuf_release(&file);
}
