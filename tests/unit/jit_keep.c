/* Kept machine code: what belongs to a key, and that only whole files count. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "base/file.h"
#include "jit/keep.h"

static char folder[] = "/tmp/heddle-keep-XXXXXX";
static char file[200]; /* of the last key */

/* A job of one instruction. */
static struct ir_inst inst;
static struct ptx_module module;
static uint8_t types[2];
static struct ir_kernel kernel;
static struct jit_job job;

static void start(void)
{
    inst = (struct ir_inst){.op = PTX_OP_ADD, .type = PTX_S32, .nsrc = 1, .ndst = 1, .src = {{.kind = IR_SRC_IMM, .imm = 7}}};
    types[0] = 0;
    module = (struct ptx_module){.text = "text of a module", .text_len = 16};
    kernel = (struct ir_kernel){.name = "k", .module = &module, .insts = &inst, .ninsts = 1, .reg_type = types, .nregs = 2};
    job = (struct jit_job){.kernel = &kernel, .dim = {16, 8, 1}, .level = "x86-64-v3", .jam = 1};
}

static void name_file(struct keep_key k, char name[200])
{
    snprintf(name, 200, "%s/code/%016llx%016llx", folder, (unsigned long long)k.part[0], (unsigned long long)k.part[1]);
}

static struct keep_key key_now(void)
{
    struct keep_key k;
    assert_true(keep_key(&job, &k));
    name_file(k, file);
    return k;
}

static void test_what_belongs_to_the_key(void **state)
{
    (void)state;
    struct keep_key seen[24];
    int n = 0;
    start();
    seen[n++] = key_now();
#define OTHER(change)                                                    \
    do {                                                                 \
        start();                                                         \
        change;                                                          \
        seen[n] = key_now();                                             \
        for (int i = 0; i < n; i++)                                      \
            if (seen[i].part[0] == seen[n].part[0] || seen[i].part[1] == seen[n].part[1]) \
                fail_msg("%s: the key is that of change %d", #change, i); \
        n++;                                                             \
    } while (0)
    OTHER(module.text = "text of a modulf");
    OTHER(module.text_len = 15);
    OTHER(kernel.name = "l");
    OTHER(inst.src[0].imm = 8); /* the address of a variable */
    OTHER(inst.offset = 4);
    OTHER(inst.space = IR_SCRATCH); /* what rewriting changes */
    OTHER(inst.atomic_form = IR_ATOMIC_ONCE);
    OTHER(inst.way = 1);
    OTHER(inst.guard_negated = true);
    OTHER(inst.src[0].negated = true);
    OTHER(job.dim[0] = 8);
    OTHER((job.dim[0] = 8, job.dim[1] = 16));
    OTHER(job.level = "x86-64-v4");
    OTHER(job.counting = true);
    OTHER(job.split = true);
    OTHER(job.counting = job.split = true);
    OTHER(job.tier = JIT_FULL);
    OTHER(types[0] = 1);
#undef OTHER
    start();
    struct keep_key again = key_now();
    assert_memory_equal(&again, &seen[0], sizeof again);
    setenv("HEDDLE_JIT_CACHE", "0", 1);
    assert_false(keep_key(&job, &again));
    setenv("HEDDLE_JIT_CACHE", "1", 1);
    assert_true(keep_key(&job, &again));
}

static bool finds(const struct keep_key *k, const char *bytes, size_t size)
{
    struct jit_object o = {0};
    if (!keep_find(k, &o))
        return false;
    assert_int_equal(o.size, size);
    assert_memory_equal(o.bytes, bytes, size);
    o.release(&o);
    return true;
}

static void test_whole_files_only(void **state)
{
    (void)state;
    char bytes[100];
    struct jit_object o = {.bytes = bytes, .size = sizeof bytes};
    struct strbuf whole;
    start();
    struct keep_key k = key_now(), other = {{k.part[0], k.part[1] + 1}};
    for (int i = 0; i < 100; i++)
        bytes[i] = (char)(i * 7);
    assert_false(keep_has(&k));
    assert_false(finds(&k, NULL, 0));
    keep_add(&k, &o);
    assert_true(keep_has(&k));
    assert_true(finds(&k, bytes, sizeof bytes));
    assert_false(finds(&other, NULL, 0));

    strbuf_init(&whole);
    assert_true(file_read(file, &whole));
    for (size_t i = 0; i < whole.len; i++) { /* any bit of any byte; any length */
        whole.s[i] ^= (char)(1 << i % 8);
        assert_true(file_write(file, whole.s, whole.len));
        assert_false(finds(&k, NULL, 0));
        whole.s[i] ^= (char)(1 << i % 8);
        assert_true(file_write(file, whole.s, i));
        assert_false(finds(&k, NULL, 0));
    }
    assert_true(file_write(file, whole.s, whole.len));
    assert_true(finds(&k, bytes, sizeof bytes));
    char moved[200]; /* under another key */
    name_file(other, moved);
    assert_int_equal(rename(file, moved), 0);
    assert_true(keep_has(&other));
    assert_false(finds(&other, NULL, 0));
    strbuf_release(&whole);

    keep_add(&k, &o);
    assert_int_equal(chmod(file, 0666), 0); /* anybody might have written it */
    assert_false(keep_has(&k));
    assert_false(finds(&k, NULL, 0));
    assert_int_equal(chmod(file, 0644), 0);
    assert_true(finds(&k, bytes, sizeof bytes));
}

/* Three files of 100 MiB (without blocks on the disk), used one after the other, are more than 256 MiB: the two that were
 * used longest ago go when somebody looks. */
static void test_the_folder_is_kept_small(void **state)
{
    (void)state;
    struct jit_object o = {.bytes = folder, .size = 4};
    char path[3][200];
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s/code/%d", folder, i);
        int fd = open(path[i], O_WRONLY | O_CREAT, 0644);
        struct timespec used[2] = {{1000 + 10 * i, 0}, {1000 + 10 * i, 0}};
        assert_int_equal(ftruncate(fd, 100 << 20), 0);
        assert_int_equal(futimens(fd, used), 0);
        close(fd);
    }
    for (uint64_t i = 1; i <= 16; i++)
        keep_add(&(struct keep_key){{i, i}}, &o);
    assert_int_equal(access(path[0], F_OK), -1);
    assert_int_equal(access(path[1], F_OK), -1);
    assert_int_equal(access(path[2], F_OK), 0);
    for (uint64_t i = 1; i <= 16; i++)
        assert_true(keep_has(&(struct keep_key){{i, i}}));
}

static void test_no_folder(void **state)
{
    (void)state;
    struct jit_object o = {.bytes = folder, .size = 4};
    struct keep_key k = {{1, 1}};
    setenv("HEDDLE_CACHE", "/proc/no such folder", 1);
    keep_add(&k, &o); /* nothing to be done about it */
    assert_false(keep_has(&k));
    unsetenv("HEDDLE_CACHE");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    keep_add(&k, &o);
    assert_false(keep_has(&k));
    assert_false(finds(&k, NULL, 0));
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    setenv("HEDDLE_CACHE", folder, 1);
    unsetenv("HEDDLE_JIT_CACHE");
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_belongs_to_the_key), cmocka_unit_test(test_whole_files_only),
                                       cmocka_unit_test(test_the_folder_is_kept_small), cmocka_unit_test(test_no_folder)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
