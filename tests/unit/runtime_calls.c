/* Calls of libraries (runtime/library.h): their place in streams, their operands, their faults. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>

#include "child.h"
#include "runtime/library_work.h"
#include "runtime_test.h"
#include "space/space.h"

#define MUST(e, call) do { if ((call) != (e)) _exit(1 + __LINE__ % 250); } while (0)

/* --- rows --- */

/* Bytes of an operand, row by row, from an address that counts from 0: "0+4 8+4". */
static const char *rows(struct library_operand o)
{
    static char text[256];
    struct library_rows r;
    int n = 0;
    *text = 0;
    library_rows_begin(&r, &o);
    while (library_rows_next(&r))
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%d+%d", n ? " " : "", (int)r.at, (int)r.bytes);
    return text;
}

static void rows_of_operands(void **state)
{
    (void)state;
    assert_string_equal("0+100", rows((struct library_operand){.width = 100}));
    assert_string_equal("", rows((struct library_operand){.width = 0, .height = 7, .pitch = 8}));
    assert_string_equal("0+8 16+8 32+8", rows((struct library_operand){.width = 8, .height = 3, .pitch = 16}));
    assert_string_equal("0+24", rows((struct library_operand){.width = 8, .height = 3, .pitch = 8}));
    assert_string_equal("0+8 16+8 100+8 116+8", rows((struct library_operand){.width = 8, .height = 2, .pitch = 16, .depth = 2, .slice = 100}));
    assert_string_equal("0+48", rows((struct library_operand){.width = 8, .height = 3, .pitch = 8, .depth = 2, .slice = 24}));
    assert_string_equal("0+8 16+8", rows((struct library_operand){.width = 8, .height = 2, .pitch = 16, .depth = 5, .slice = 0}));
    /* 3 x 3 elements of 4 bytes, 16 bytes from column to column: upper triangle, lower one, lower one without the diagonal */
    assert_string_equal("0+4 16+8 32+12", rows((struct library_operand){.width = 12, .height = 3, .pitch = 16, .leave = 8, .leave_step = -4}));
    assert_string_equal("0+12 20+8 40+4", rows((struct library_operand){.width = 12, .height = 3, .pitch = 16, .skip_step = 4}));
    assert_string_equal("4+8 24+4", rows((struct library_operand){.width = 12, .height = 3, .pitch = 16, .skip = 4, .skip_step = 4}));
    /* a band of 4 x 4 with one diagonal above and one below: the corners of its storage are nobody's */
    assert_string_equal("4+8 16+12 32+12 48+8",
                        rows((struct library_operand){.width = 12, .height = 4, .pitch = 16, .skip = 4, .skip_step = -4, .leave = -8, .leave_step = 4}));
    assert_int_equal(40, library_operand_bytes(&(struct library_operand){.width = 12, .height = 4, .pitch = 16, .skip = 4, .skip_step = -4,
                                                                        .leave = -8, .leave_step = 4}));
    assert_int_equal(96, library_operand_bytes(&(struct library_operand){.width = 8, .height = 3, .pitch = 16, .depth = 4, .slice = 64}));
}

/* --- places in streams --- */

struct work {
    int *to, value;
    int *released;
};

static cudaError_t add_to_log(void *data)
{
    const struct work *w = data;
    mock_append(w->value);
    return cudaSuccess;
}

static cudaError_t add_value(void *data)
{
    const struct work *w = data;
    *(int *)library_host(w->to) += w->value;
    return cudaSuccess;
}

static void count_release(void *data)
{
    const struct work *w = data;
    ++*w->released;
}

static cudaError_t call(cudaStream_t s, cudaError_t (*run)(void *), struct work w, const struct library_operand *o, int n, bool wait)
{
    struct library_call c = {.library = "cuTest", .function = "cutestCall", .operand = o, .operands = n, .data = &w, .data_bytes = sizeof w,
                             .run = run, .release = w.released ? count_release : NULL};
    return library_call(s, &c, wait);
}

static void in_the_order_of_its_stream(void **state)
{
    (void)state;
    cudaStream_t s, t;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    mock_nlog = 0;
    mock_hold();
    OK(mock_launch(hold, 1, 1, s, NULL, NULL));
    OK(call(s, add_to_log, (struct work){.value = 2}, NULL, 0, false)); /* returns before it has run */
    LOG(3, s);
    assert_int_equal(cudaErrorNotReady, cudaStreamQuery(s));
    OK(call(t, add_to_log, (struct work){.value = 1}, NULL, 0, true)); /* another stream does not wait */
    assert_int_equal(1, mock_nlog);
    mock_release();
    OK(call(NULL, add_to_log, (struct work){.value = 4}, NULL, 0, true)); /* the legacy default stream does */
    assert_int_equal(4, mock_nlog);
    for (int i = 0; i < 4; i++)
        assert_int_equal(i + 1, mock_log[i]);
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
}

/* Two calls in two streams that wait for each other. */
struct party {
    int *arrived, number;
    bool *counted;
};

static bool all_arrived(void *data)
{
    const struct party *p = data;
    if (!*p->counted)
        ++*p->arrived;
    *p->counted = true;
    return *p->arrived == 2;
}

static cudaError_t log_party(void *data)
{
    mock_append(((const struct party *)data)->number);
    return cudaSuccess;
}

static void join_party(cudaStream_t s, struct party p, bool wait)
{
    struct library_call c = {.library = "cuTest", .function = "cutestMeet", .data = &p, .data_bytes = sizeof p, .ready = all_arrived, .run = log_party};
    OK(library_call(s, &c, wait));
}

static void calls_that_meet(void **state)
{
    (void)state;
    cudaStream_t s, t;
    int arrived = 0;
    bool counted[2] = {false, false};
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    mock_nlog = 0;
    join_party(s, (struct party){&arrived, 1, &counted[0]}, false);
    OK(call(s, add_to_log, (struct work){.value = 2}, NULL, 0, false)); /* behind it */
    OK(call(t, add_to_log, (struct work){.value = 3}, NULL, 0, true));  /* runs although the other waits, whatever threads there are */
    assert_int_equal(1, mock_nlog);
    assert_int_equal(cudaErrorNotReady, cudaStreamQuery(s));
    join_party(t, (struct party){&arrived, 4, &counted[1]}, true);
    OK(cudaStreamSynchronize(s));
    assert_int_equal(4, mock_nlog);
    assert_int_equal(3, mock_log[0]);
    assert_true(mock_log[1] + mock_log[2] + mock_log[3] == 1 + 2 + 4);
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
}

static void data_is_copied_and_released_once(void **state)
{
    (void)state;
    int *p, h = 5, released = 0;
    OK(cudaMalloc((void **)&p, 4));
    OK(cudaMemcpy(p, &h, 4, cudaMemcpyHostToDevice));
    const struct library_operand o = {"x", p, 4, .access = LIBRARY_READ | LIBRARY_WRITE};
    OK(call(NULL, add_value, (struct work){p, 7, &released}, &o, 1, false));
    OK(cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(12, h);
    assert_int_equal(1, released);
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamDestroy(s));
    ANSWERS(cudaErrorInvalidResourceHandle, call(s, add_value, (struct work){p, 7, &released}, &o, 1, true));
    assert_int_equal(2, released);
    OK(cudaFree(p));
}

static void pointers(void **state)
{
    (void)state;
    void *device, *pinned, *managed;
    int local = 3;
    OK(cudaMalloc(&device, 64));
    OK(cudaMallocHost(&pinned, 64));
    OK(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
    assert_ptr_equal(&local, library_host(&local));
    assert_int_equal(SPACE_DELTA, (char *)library_host(device) - (char *)device);
    *(int *)managed = 17;
    assert_int_equal(17, *(int *)library_host(managed));
    *(int *)pinned = 18;
    assert_int_equal(18, *(int *)library_host(pinned));
    assert_true(library_on_device(device) && library_on_device(pinned) && library_on_device(managed));
    assert_false(library_on_device(&local) || library_on_device(NULL) || library_on_device((char *)device + (64 << 20)));
    OK(cudaFree(device));
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
}

/* --- operands --- */

/* w.to: an array in device memory of pointers to the numbers. */
static cudaError_t add_through(void *data)
{
    const struct work *w = data;
    int **to = library_host(w->to);
    for (int i = 0; i < 2; i++)
        *(int *)library_host(to[i]) += w->value;
    return cudaSuccess;
}

static void what_it_leads_to(void *data, struct library_more *m)
{
    const struct work *w = data;
    int **to = library_host(w->to);
    for (int i = 0; i < 2; i++)
        library_more(m, &(struct library_operand){"x[i]", to[i], 4, .access = LIBRARY_READ | LIBRARY_WRITE});
}

static cudaError_t call_through(void *array, int value)
{
    const struct work w = {array, value, NULL};
    const struct library_operand o = {"x", array, 2 * sizeof(int *), .access = LIBRARY_READ};
    return library_call(NULL, &(struct library_call){.library = "cuTest", .function = "cutestBatched", .operand = &o, .operands = 1, .data = &w,
                                                     .data_bytes = sizeof w, .run = add_through, .more = what_it_leads_to}, true);
}

static void operands_behind_pointers(void **state)
{
    (void)state;
    int *p, h[2] = {1, 2};
    int **array, *to[2];
    OK(cudaMalloc((void **)&p, 8));
    OK(cudaMalloc((void **)&array, 16));
    to[0] = p;
    to[1] = p + 1;
    OK(cudaMemcpy(p, h, 8, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(array, to, 16, cudaMemcpyHostToDevice));
    OK(call_through(array, 10));
    OK(cudaMemcpy(h, p, 8, cudaMemcpyDeviceToHost));
    assert_int_equal(11, h[0]);
    assert_int_equal(12, h[1]);
    OK(cudaFree(p));
    OK(cudaFree(array));
}

/* --- faults, each in a child --- */

static void outside(void)
{
    char *p;
    int n = 1, released = 0;
    MUST(0, cudaMalloc((void **)&p, 8 << 20));
    const struct library_operand o[] = {{"x", p, 64, .access = LIBRARY_READ},
                                        {"A", p, 1000, .height = 4, .pitch = 4 << 20, .access = LIBRARY_READ}};
    MUST(0, call(NULL, add_value, (struct work){(int *)p, 1, &released}, o, 2, false)); /* the call itself succeeds */
    MUST(0, mock_launch(add_one, 1, 1, NULL, &p, &n));                                  /* dropped */
    MUST(0, call(NULL, add_value, (struct work){(int *)p, 1, &released}, o, 1, false)); /* the same */
    MUST(700, cudaDeviceSynchronize());
    MUST(2, released);
    MUST(700, call(NULL, add_value, (struct work){(int *)p, 1, &released}, o, 1, false));
    MUST(3, released);
}

static void an_operand_outside_is_a_fault(void **state)
{
    (void)state;
    struct child c = run_child(outside, NULL, 0);
    assert_exit(c, 0);
    char wanted[400];
    snprintf(wanted, sizeof wanted,
             "heddle: cutestCall (cuTest): illegal address (CUDA error 700)\n"
             "  read of operand 'A': 1000 bytes from 0x%" PRIx64 " on, of 4 times 1000 bytes that begin 4194304 bytes apart\n"
             "  address 0x%" PRIx64 " is somewhere\n",
             SPACE_FIRST + 0x5200000, SPACE_FIRST + 0x5200000);
    assert_string_equal(c.said, wanted);
}

static void host_memory(void)
{
    static int x[4];
    const struct library_operand o = {"x", x, sizeof x, .access = LIBRARY_WRITE};
    MUST(700, call(NULL, add_value, (struct work){x, 1, NULL}, &o, 1, true));
    MUST(0, x[0]);
}

static void host_memory_is_a_fault(void **state)
{
    (void)state;
    struct child c = run_child(host_memory, NULL, 0);
    assert_exit(c, 0);
    assert_non_null(strstr(c.said, "heddle: cutestCall (cuTest): illegal address (CUDA error 700)\n  write of operand 'x': 16 bytes from 0x"));
}

/* 64 bytes past the end of an allocation of 1,000 a GPU has memory mapped, too. */
static void just_outside(void)
{
    char *p;
    int h = 0;
    MUST(0, cudaMalloc((void **)&p, 1000));
    MUST(0, cudaMemset(p, 0, 1000));
    const struct library_operand o = {"x", p, 1064, .access = LIBRARY_READ};
    for (int i = 0; i < 3; i++)
        MUST(0, call(NULL, add_value, (struct work){(int *)p, 1, NULL}, &o, 1, true));
    MUST(0, cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost));
    MUST(3, h);
}

static void mapped_memory_outside_does_no_harm(void **state)
{
    (void)state;
    struct child c = run_child(just_outside, NULL, 0);
    assert_exit(c, 0);
    char wanted[400];
    snprintf(wanted, sizeof wanted,
             "heddle: cutestCall (cuTest) goes on, as on a GPU, after an access outside of its operand's allocation:\n"
             "  read of operand 'x': 1064 bytes from 0x%" PRIx64 " on\n"
             "  address 0x%" PRIx64 " is somewhere\n"
             "  `heddle check` tells of each such access\n",
             SPACE_FIRST, SPACE_FIRST + 0x3e8);
    assert_string_equal(c.said, wanted);
}

static void behind_pointers(void)
{
    int **array, *to[2];
    MUST(0, cudaMalloc((void **)&array, 16));
    to[0] = (int *)array;
    to[1] = NULL;
    MUST(0, cudaMemcpy(array, to, 16, cudaMemcpyHostToDevice));
    MUST(700, call_through(array, 1));
}

static void a_bad_pointer_in_an_array_is_a_fault(void **state)
{
    (void)state;
    struct child c = run_child(behind_pointers, NULL, 0);
    assert_exit(c, 0);
    assert_non_null(strstr(c.said, "cutestBatched (cuTest): illegal address (CUDA error 700)\n  read and write of operand 'x[i]': 4 bytes from 0x0 on\n"));
}

static cudaError_t bad_index(void *data)
{
    (void)data;
    return library_fault("index %d of 'csrColInd' is not below %d", 9, 4);
}

static void index_fault(void)
{
    MUST(700, call(NULL, bad_index, (struct work){0}, NULL, 0, true));
}

static void a_call_may_find_a_fault_itself(void **state)
{
    (void)state;
    struct child c = run_child(index_fault, NULL, 0);
    assert_exit(c, 0);
    assert_string_equal(c.said, "heddle: cutestCall (cuTest): illegal address (CUDA error 700)\n  index 9 of 'csrColInd' is not below 4\n");
}

static void missing(void)
{
    const char *const names[] = {"libnonesuch.so.1", "libnonesuch2.so.1", NULL};
    const char *const there[] = {"libnonesuch.so.1", "libc.so.6", NULL};
    MUST(NULL, library_open("cuTest", names, "libnonesuch1"));
    MUST(NULL, library_open("cuTest", names, "libnonesuch1"));
    MUST(true, library_open("cuTest2", there, "libc6") != NULL);
    for (int i = 0; i < 2; i++)
        library_refuse("cutestOther");
}

static void what_is_missing_is_said_once(void **state)
{
    (void)state;
    struct child c = run_child(missing, NULL, 0);
    assert_exit(c, 0);
    assert_string_equal(c.said, "heddle: cuTest needs a library that is not installed here: Debian's package libnonesuch1 has it\n"
                                "heddle: cutestOther is not there yet\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_operands),
        cmocka_unit_test(an_operand_outside_is_a_fault),
        cmocka_unit_test(host_memory_is_a_fault),
        cmocka_unit_test(mapped_memory_outside_does_no_harm),
        cmocka_unit_test(a_bad_pointer_in_an_array_is_a_fault),
        cmocka_unit_test(a_call_may_find_a_fault_itself),
        cmocka_unit_test(what_is_missing_is_said_once),
        cmocka_unit_test(in_the_order_of_its_stream),
        cmocka_unit_test(calls_that_meet),
        cmocka_unit_test(data_is_copied_and_released_once),
        cmocka_unit_test(pointers),
        cmocka_unit_test(operands_behind_pointers),
    };
    return cmocka_run_group_tests(tests, register_kernels, NULL);
}
