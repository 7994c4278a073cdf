/* The cache: only whole things of ours count, whatever was done to them; what was used longest ago goes; a crowd that is killed
 * leaves nothing that is not whole; folders that others may write to are not used. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/store.h"
#include "base/strbuf.h"

static char folder[] = "/tmp/heddle-store-XXXXXX";
static char cache[100], temporary[100], source[100];
static struct store store;
static const struct hash128 key = {{0x1111, 0x2222}}, other = {{0x1111, 0x2223}};
static char bytes[3000];

/* --- entries and files, so that every damage is done to both --- */

struct thing {
    const char *what;
    bool (*add)(void);
    bool (*found)(void);
    char path[300];
};

static bool add_entry(void)
{
    return store_put(&store, STORE_CODE, &key, bytes, sizeof bytes);
}

static bool entry_found(void)
{
    struct strbuf out;
    strbuf_init(&out);
    bool found = store_get(&store, STORE_CODE, &key, &out);
    if (found) {
        assert_int_equal(out.len, sizeof bytes);
        assert_memory_equal(out.s, bytes, sizeof bytes);
    }
    strbuf_release(&out);
    return found;
}

static struct hash128 content;

static bool add_file(void)
{
    return store_put_file(&store, STORE_EXE, source, "name", &content);
}

static bool file_found(void)
{
    struct strbuf path, read;
    strbuf_init(&path);
    strbuf_init(&read);
    bool found = store_find_file(&store, STORE_EXE, &content, "name", &path);
    if (found) {
        assert_true(file_read(path.s, &read));
        assert_memory_equal(read.s, bytes, sizeof bytes);
        assert_int_equal(access(path.s, X_OK), 0);
    }
    strbuf_release(&path);
    strbuf_release(&read);
    return found;
}

static struct thing things[] = {{"entry", add_entry, entry_found, ""}, {"file", add_file, file_found, ""}};

/* --- damages --- */

static void cut_to_half(const char *path)
{
    assert_int_equal(truncate(path, 1200), 0);
}

static void empty(const char *path)
{
    assert_int_equal(truncate(path, 0), 0);
}

static void lengthen(const char *path)
{
    assert_int_equal(truncate(path, 4000), 0);
}

static void fill_with_zeros(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    empty(path);
    assert_int_equal(truncate(path, st.st_size), 0);
}

static void let_others_write(const char *path)
{
    assert_int_equal(chmod(path, 0702), 0);
}

static void let_a_group_write(const char *path)
{
    assert_int_equal(chmod(path, 0720), 0);
}

static void give_away(const char *path)
{
    if (!geteuid())
        assert_int_equal(chown(path, 12345, 12345), 0);
    else
        assert_int_equal(unlink(path), 0); /* only root can give a file away */
}

static void remove_it(const char *path)
{
    assert_int_equal(unlink(path), 0);
}

static void put_a_link_there(const char *path)
{
    char elsewhere[400];
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
}

static void put_a_folder_there(const char *path)
{
    remove_it(path);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void put_a_pipe_there(const char *path)
{
    remove_it(path);
    assert_int_equal(mkfifo(path, 0600), 0);
}

static const struct {
    const char *what;
    void (*damage)(const char *path);
} damages[] = {
#define ROW(function) {#function, function}
    ROW(cut_to_half),       ROW(empty),     ROW(lengthen),  ROW(fill_with_zeros),  ROW(let_others_write),
    ROW(let_a_group_write), ROW(give_away), ROW(remove_it), ROW(put_a_link_there), ROW(put_a_folder_there),
    ROW(put_a_pipe_there),
#undef ROW
};

static void every_damage_is_noticed_and_mended(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof things / sizeof *things; t++)
        for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
            assert_true(things[t].add());
            assert_true(things[t].found());
            damages[i].damage(things[t].path);
            if (things[t].found())
                fail_msg("%s: %s was not noticed", things[t].what, damages[i].what);
            if (!things[t].add() || !things[t].found())
                fail_msg("%s: %s was not mended", things[t].what, damages[i].what);
        }
}

static void any_bit_and_any_length(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof things / sizeof *things; t++) {
        struct strbuf whole;
        strbuf_init(&whole);
        assert_true(things[t].add());
        assert_true(file_read(things[t].path, &whole));
        int fd = open(things[t].path, O_WRONLY);
        for (size_t i = 0; i < whole.len; i++) {
            char flipped = (char)(whole.s[i] ^ 1 << i % 8);
            assert_int_equal(pwrite(fd, &flipped, 1, (off_t)i), 1);
            if (things[t].found())
                fail_msg("%s: bit %zu of byte %zu was not noticed", things[t].what, i % 8, i);
            assert_int_equal(pwrite(fd, whole.s + i, 1, (off_t)i), 1);
        }
        assert_true(things[t].found());
        for (size_t i = whole.len; i-- > 0;) {
            assert_int_equal(ftruncate(fd, (off_t)i), 0);
            if (things[t].found())
                fail_msg("%s: a length of %zu was not noticed", things[t].what, i);
        }
        close(fd);
        strbuf_release(&whole);
    }
}

static void the_key_belongs_to_the_entry(void **state)
{
    (void)state;
    char moved[300];
    assert_true(add_entry());
    strcpy(moved, things[0].path);
    moved[strlen(moved) - 1] = '3'; /* as the other key has it */
    assert_int_equal(rename(things[0].path, moved), 0);
    struct strbuf out;
    strbuf_init(&out);
    assert_true(store_has(&store, STORE_CODE, &other));
    assert_false(store_get(&store, STORE_CODE, &other, &out));
    assert_int_equal(unlink(moved), 0);
    strbuf_release(&out);
}

static void the_folder_of_a_file_must_be_ours(void **state)
{
    (void)state;
    char place[300];
    assert_true(add_file());
    snprintf(place, sizeof place, "%.*s", (int)(strrchr(things[1].path, '/') - things[1].path), things[1].path);
    assert_int_equal(chmod(place, 0777), 0);
    assert_false(file_found());
    assert_true(add_file());
    assert_true(file_found());
}

/* Where files cannot be made without a name. */
static void named_files(void **state)
{
    store.named = true;
    every_damage_is_noticed_and_mended(state);
    char whole[200];
    snprintf(whole, sizeof whole, "%s/new", cache);
    assert_true(file_write(whole, "left by somebody who was killed", 31));
    assert_true(add_entry());
    assert_true(entry_found());
    assert_int_equal(access(whole, F_OK), -1);
    store.named = false;
}

/* ulimit -f */
static void a_file_that_may_not_be_so_long(void **state)
{
    (void)state;
    struct rlimit before, small;
    assert_true(add_entry());
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){1000, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_false(store_put(&store, STORE_CODE, &other, bytes, sizeof bytes));
    assert_int_equal(errno, EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(store_has(&store, STORE_CODE, &other));
    assert_true(entry_found());
}

/* --- its size --- */

static void age(const char *path, int seconds)
{
    struct timespec t[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

/* A file of 10 MiB without blocks on the disk. */
static const char *big(int number, int seconds)
{
    static char path[4][300];
    snprintf(path[number], sizeof path[number], "%s/pch/%032d", cache, number);
    int fd = open(path[number], O_WRONLY | O_CREAT, 0600);
    assert_int_equal(ftruncate(fd, 10 << 20), 0);
    close(fd);
    age(path[number], seconds);
    return path[number];
}

static int64_t bytes_now(void)
{
    struct store_size size[STORE_PARTS];
    int64_t sum = 0;
    store_measure(&store, size);
    for (int i = 0; i < STORE_PARTS; i++)
        sum += size[i].bytes;
    return sum;
}

static void what_was_used_longest_ago_goes(void **state)
{
    (void)state;
    assert_true(store_clear(&store));
    assert_int_equal(bytes_now(), 0);
    assert_int_equal(store_limit(&store), STORE_LIMIT);
    assert_true(add_entry());
    assert_true(add_file());
    const char *oldest = big(0, 400), *old = big(1, 300), *young = big(2, 200);
    age(things[0].path, 350);
    age(things[1].path, 350);
    assert_true(entry_found()); /* now it was used */
    assert_true(store_set_limit(&store, 30 << 20)); /* down to 22.5 MiB */
    assert_int_equal(store_limit(&store), 30 << 20);
    assert_int_equal(access(oldest, F_OK), -1);
    assert_int_equal(access(old, F_OK), 0);
    assert_int_equal(access(young, F_OK), 0);
    assert_true(file_found()); /* it is small, and 20 MiB are below the mark without it */
    assert_true(entry_found());

    age(things[1].path, 350);
    oldest = big(0, 400), big(3, 100);
    for (int i = 0; i < 64; i++) /* nobody counted these two: they are found when all is summed */
        assert_true(add_entry());
    assert_int_equal(access(oldest, F_OK), -1);
    assert_int_equal(access(old, F_OK), -1);
    assert_false(file_found());
    assert_int_equal(access(things[1].path, F_OK), -1);
    assert_int_equal(access(young, F_OK), 0);
    assert_true(entry_found());
    assert_true(store_clear(&store));
    assert_int_equal(bytes_now(), 0);
    assert_int_equal(store_limit(&store), 30 << 20);
    assert_false(entry_found());
}

static void what_was_just_used_stays(void **state)
{
    (void)state;
    assert_true(store_set_limit(&store, 16 << 20));
    const char *path = big(0, STORE_SPARED_S / 2);
    big(1, 0);
    big(2, 100);
    assert_true(store_set_limit(&store, 16 << 20));
    assert_int_equal(bytes_now(), 20 << 20);
    assert_int_equal(access(path, F_OK), 0);
}

static void a_damaged_state_is_made_anew(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/state", cache);
    assert_true(store_set_limit(&store, 20 << 20));
    for (size_t i = 0; i < 40; i++) {
        struct strbuf whole;
        strbuf_init(&whole);
        assert_true(file_read(path, &whole));
        whole.s[i] ^= 4;
        assert_true(file_write(path, whole.s, whole.len));
        assert_int_equal(store_limit(&store), STORE_LIMIT);
        assert_true(add_entry());
        assert_int_equal(store_limit(&store), STORE_LIMIT);
        assert_true(store_set_limit(&store, 20 << 20));
        strbuf_release(&whole);
    }
}

/* --- many at once --- */

enum { CROWD = 200, KEYS = 8 };

static struct hash128 key_of(int i)
{
    return (struct hash128){{7, (uint64_t)i}};
}

/* What one of the crowd does until it is killed: entries and files of random lengths, all of them come back whole or not at all. */
static void work(unsigned seed)
{
    char own[200], name[16];
    snprintf(own, sizeof own, "%s/own-%u", temporary, seed);
    for (;;) {
        struct hash128 k = key_of(rand_r(&seed) % KEYS), c;
        struct strbuf out;
        strbuf_init(&out);
        size_t n = (size_t)rand_r(&seed) % sizeof bytes;
        snprintf(name, sizeof name, "n%d", rand_r(&seed) % KEYS);
        if (!store_put(&store, STORE_CODE, &k, bytes, n))
            _exit(1);
        if (store_get(&store, STORE_CODE, &k, &out) && (out.len > sizeof bytes || memcmp(out.s, bytes, out.len)))
            _exit(2);
        strbuf_clear(&out);
        if (!file_write(own, bytes, n + 1) || !store_put_file(&store, STORE_EXE, own, name, &c))
            _exit(3);
        if (!store_find_file(&store, STORE_EXE, &c, name, &out))
            _exit(4);
        strbuf_release(&out);
    }
}

static void a_crowd_that_is_killed(void **state)
{
    (void)state;
    pid_t pid[CROWD];
    unsigned seed = (unsigned)time(NULL) ^ (unsigned)getpid();
    struct store_size before[STORE_PARTS], after[STORE_PARTS];
    print_message("seed %u\n", seed);
    for (int i = 0; i < CROWD; i++) {
        pid[i] = fork();
        if (!pid[i])
            work(seed + (unsigned)i);
    }
    for (int i = 0; i < CROWD; i++) {
        int status;
        usleep((unsigned)rand_r(&seed) % 10000);
        kill(pid[i], SIGKILL);
        waitpid(pid[i], &status, 0);
        if (!WIFSIGNALED(status))
            fail_msg("one of the crowd failed: %d", WEXITSTATUS(status));
    }
    char whole[200];
    snprintf(whole, sizeof whole, "%s/new", cache);
    assert_int_equal(access(whole, F_OK), -1);
    store_measure(&store, before);
    for (int i = 0; i < KEYS; i++) { /* what is there is whole */
        struct strbuf out;
        struct hash128 k = key_of(i);
        strbuf_init(&out);
        if (store_has(&store, STORE_CODE, &k)) {
            assert_true(store_get(&store, STORE_CODE, &k, &out));
            assert_memory_equal(out.s, bytes, out.len);
        }
        strbuf_release(&out);
    }
    assert_true(before[STORE_CODE].files >= 1);
    assert_true(add_entry() && entry_found()); /* the lock is free */
    store_measure(&store, after);
    assert_true(after[STORE_EXE].files == before[STORE_EXE].files);
}

/* --- the folder --- */

/* Opens the cache with this environment; what the note says. */
static const char *open_with(const char *wanted, bool make_other, bool *ok, char path[300])
{
    static char said[2000];
    struct strbuf note;
    struct store s = {0};
    strbuf_init(&note);
    setenv("HEDDLE_CACHE", wanted, 1);
    *ok = store_open(&s, make_other, &note);
    snprintf(path, 300, "%s", *ok ? s.path : "");
    snprintf(said, sizeof said, "%s", note.s ? note.s : "");
    store_close(&s);
    strbuf_release(&note);
    setenv("HEDDLE_CACHE", cache, 1);
    return said;
}

static void folders_that_others_may_write_to(void **state)
{
    (void)state;
    static const struct {
        const char *wanted; /* below the test's folder */
        mode_t above, mode;
        bool usable;
        const char *said;
    } rows[] = {
        {"a/b", 0755, 0755, true, ""},
        {"a/b", 0755, 0777, false, "other users may write to"},
        {"a/b", 0755, 01777, false, "other users may write to"},
        {"a/b", 0777, 0700, false, "other users may rename what is in"},
        {"a/b", 01777, 0700, true, ""},
    };
    char wanted[200], above[200], other_path[150], path[300];
    bool ok;
    snprintf(above, sizeof above, "%s/a", folder);
    snprintf(wanted, sizeof wanted, "%s/a/b", folder);
    snprintf(other_path, sizeof other_path, "%s/heddle-%ld", temporary, (long)geteuid());
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(file_make_dirs(wanted));
        assert_int_equal(chmod(above, rows[i].above), 0);
        assert_int_equal(chmod(wanted, rows[i].mode), 0);
        const char *said = open_with(wanted, false, &ok, path);
        assert_int_equal(ok, rows[i].usable);
        assert_non_null(strstr(said, rows[i].said));
        said = open_with(wanted, true, &ok, path); /* now there is another, and that is said */
        assert_true(ok);
        assert_string_equal(path, rows[i].usable ? wanted : other_path);
        assert_non_null(strstr(said, rows[i].said));
        assert_string_equal(open_with(wanted, false, &ok, path), ""); /* once */
        assert_true(ok);
        assert_string_equal(path, rows[i].usable ? wanted : other_path);
        char command[400];
        snprintf(command, sizeof command, "rm -rf '%s' '%s'", above, other_path);
        assert_int_equal(system(command), 0);
    }
}

static void a_part_that_is_not_ours(void **state)
{
    (void)state;
    char part[110], path[300];
    bool ok;
    snprintf(part, sizeof part, "%s/exe", cache);
    assert_int_equal(chmod(part, 0777), 0);
    assert_non_null(strstr(open_with(cache, false, &ok, path), "others may write to"));
    assert_false(ok);
    assert_int_equal(chmod(part, 0700), 0);
    open_with(cache, false, &ok, path);
    assert_true(ok);
}

static void no_folder_at_all(void **state)
{
    (void)state;
    char path[300];
    bool ok;
    setenv("TMPDIR", "/proc/none", 1);
    const char *said = open_with("/proc/no such folder", true, &ok, path);
    assert_false(ok);
    assert_non_null(strstr(said, "no place for the cache of compiled programs: '/proc/no such folder': No such file or directory; "
                                 "'/proc/none/heddle-"));
    setenv("TMPDIR", temporary, 1);
}

static int start(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    snprintf(temporary, sizeof temporary, "%s/temporary", folder);
    snprintf(source, sizeof source, "%s/source", folder);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * i >> 3);
    mkdir(temporary, 0700);
    setenv("HEDDLE_CACHE", cache, 1);
    setenv("TMPDIR", temporary, 1);
    if (!file_write(source, bytes, sizeof bytes) || chmod(source, 0755) || !store_open(&store, false, NULL))
        return 1;
    if (!add_file())
        return 1;
    snprintf(things[0].path, sizeof things[0].path, "%s/code/%016llx%016llx", cache, (unsigned long long)key.part[0],
             (unsigned long long)key.part[1]);
    snprintf(things[1].path, sizeof things[1].path, "%s/exe/%016llx%016llx/name", cache, (unsigned long long)content.part[0],
             (unsigned long long)content.part[1]);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    char command[300];
    store_close(&store);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_damage_is_noticed_and_mended),
        cmocka_unit_test(any_bit_and_any_length),
        cmocka_unit_test(the_key_belongs_to_the_entry),
        cmocka_unit_test(the_folder_of_a_file_must_be_ours),
        cmocka_unit_test(a_file_that_may_not_be_so_long),
        cmocka_unit_test(named_files),
        cmocka_unit_test(what_was_used_longest_ago_goes),
        cmocka_unit_test(what_was_just_used_stays),
        cmocka_unit_test(a_damaged_state_is_made_anew),
        cmocka_unit_test(a_crowd_that_is_killed),
        cmocka_unit_test(folders_that_others_may_write_to),
        cmocka_unit_test(a_part_that_is_not_ours),
        cmocka_unit_test(no_folder_at_all),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
