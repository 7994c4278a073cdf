/* Kept machine code: what belongs to a key, and that an object comes back. */
#define _GNU_SOURCE
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

#include "jit/code_cache.h"

static char folder[] = "/tmp/heddle-keep-XXXXXX";
static char file[200]; /* of the last key */

/* A job of one instruction. */
static struct ir_inst inst;
static struct ir_src source;
static const int32_t result;
static struct ptx_module module;
static uint8_t types[2];
static struct ir_kernel kernel;
static struct jit_job job;

static void start(void)
{
    inst = (struct ir_inst){.op = PTX_OP_ADD, .type = PTX_S32, .nsrc = 1, .ndst = 1, .src = &source, .dst = &result};
    source = (struct ir_src){.kind = IR_SRC_IMM, .imm = 7};
    types[0] = 0;
    module = (struct ptx_module){.text = "text of a module", .text_len = 16};
    kernel = (struct ir_kernel){.name = "k", .module = &module, .insts = &inst, .ninsts = 1, .reg_type = types, .nregs = 2};
    job = (struct jit_job){.kernel = &kernel, .dim = {16, 8, 1}, .level = "x86-64-v3", .unrolled = 1};
}

static void name_file(struct hash128 k, char name[200])
{
    snprintf(name, 200, "%s/code/%016llx%016llx", folder, (unsigned long long)k.part[0], (unsigned long long)k.part[1]);
}

static struct hash128 key_now(void)
{
    struct hash128 k;
    assert_true(code_cache_key(&job, &k));
    name_file(k, file);
    return k;
}

static void test_what_belongs_to_the_key(void **state)
{
    (void)state;
    struct hash128 seen[24];
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
    OTHER(source.imm = 8); /* the address of a variable */
    OTHER(inst.offset = 4);
    OTHER(inst.space = IR_SCRATCH); /* what rewriting changes */
    OTHER(inst.atomic_form = IR_ATOMIC_ONCE);
    OTHER(inst.way = 1);
    OTHER(inst.guard_negated = true);
    OTHER(source.negated = true);
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
    struct hash128 again = key_now();
    assert_memory_equal(&again, &seen[0], sizeof again);
    setenv("HEDDLE_JIT_CACHE", "0", 1);
    assert_false(code_cache_key(&job, &again));
    setenv("HEDDLE_JIT_CACHE", "1", 1);
    assert_true(code_cache_key(&job, &again));
}

static bool finds(const struct hash128 *k, const char *bytes, size_t size)
{
    struct jit_object o = {0};
    if (!code_cache_find(k, &o))
        return false;
    assert_int_equal(o.size, size);
    assert_memory_equal(o.bytes, bytes, size);
    o.release(&o);
    return true;
}

/* In the cache, whose own test damages files (base_store.c). */
static void test_an_object_is_kept(void **state)
{
    (void)state;
    char bytes[100], whole[200];
    struct jit_object o = {.bytes = bytes, .size = sizeof bytes};
    start();
    struct hash128 k = key_now(), other = {{k.part[0], k.part[1] + 1}};
    for (int i = 0; i < 100; i++)
        bytes[i] = (char)(i * 7);
    assert_false(code_cache_has(&k));
    assert_false(finds(&k, NULL, 0));
    code_cache_add(&k, &o);
    assert_int_equal(access(file, R_OK), 0);
    assert_true(code_cache_has(&k));
    assert_true(finds(&k, bytes, sizeof bytes));
    assert_false(finds(&other, NULL, 0));
    strcpy(whole, file);
    name_file(other, file); /* under another key */
    assert_int_equal(rename(whole, file), 0);
    assert_true(code_cache_has(&other));
    assert_false(finds(&other, NULL, 0));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_belongs_to_the_key), cmocka_unit_test(test_an_object_is_kept)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
