/* Error rules that do not end the device: last error per thread, taking and peeking, texts. */
#include <pthread.h>

#include "base/alloc.h"

#include "runtime_test.h"

static void the_last_error_is_taken_once(void **state)
{
    (void)state;
    OK(cudaGetLastError());
    assert_int_equal(mock_launch(add_one, 0, 32, NULL, NULL, NULL), cudaErrorInvalidConfiguration);
    OK(cudaDeviceSynchronize()); /* a call that succeeds leaves the last error alone */
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    OK(cudaGetLastError());
    /* the newest counts */
    assert_int_equal(cudaMemcpy(NULL, NULL, 4, (enum cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    assert_int_equal(cudaSetDevice(7), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
}

static void *other_thread(void *unused)
{
    (void)unused;
    return (void *)(uintptr_t)cudaGetLastError();
}

static void the_last_error_belongs_to_the_thread(void **state)
{
    pthread_t t;
    void *answer;
    (void)state;
    assert_int_equal(cudaSetDevice(-1), cudaErrorInvalidDevice);
    pthread_create(&t, NULL, other_thread, NULL);
    pthread_join(t, &answer);
    assert_ptr_equal(answer, NULL);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
}

static void errors_have_names_and_texts(void **state)
{
    (void)state;
    assert_string_equal(cudaGetErrorName(cudaSuccess), "cudaSuccess");
    assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
    assert_string_equal(cudaGetErrorName((cudaError_t)2), "cudaErrorMemoryAllocation");
    assert_string_equal(cudaGetErrorString((cudaError_t)2), "out of memory");
    assert_string_equal(cudaGetErrorString((cudaError_t)9), "invalid configuration argument");
    assert_string_equal(cudaGetErrorName((cudaError_t)700), "cudaErrorIllegalAddress");
    assert_string_equal(cudaGetErrorString((cudaError_t)700), "an illegal memory access was encountered");
    assert_string_equal(cudaGetErrorString((cudaError_t)98), "invalid device function");
    assert_string_equal(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
}

static void versions_are_the_headers(void **state)
{
    int v = 0;
    (void)state;
    OK(cudaRuntimeGetVersion(&v));
    assert_int_equal(v, 12040);
    OK(cudaDriverGetVersion(&v));
    assert_int_equal(v, 12040);
    ANSWERS(cudaErrorInvalidValue, cudaDriverGetVersion(NULL));
}

/* An error of a command that does not end the device shows at one waiting call. */
static void what_is_not_implemented_is_the_launchs_answer(void **state)
{
    (void)state;
    ANSWERS(cudaErrorNotSupported, mock_launch(missing_feature, 1, 1, NULL, NULL, NULL));
    OK(cudaDeviceSynchronize());
    ANSWERS(cudaErrorNotSupported, mock_launch(missing_feature, 1, 1, NULL, NULL, NULL));
    int *p, n = 1;
    OK(cudaMalloc((void **)&p, 4));
    OK(mock_launch(add_one, 1, 1, NULL, &p, &n)); /* other kernels are unaffected */
    OK(cudaFree(p));
}

/* Whichever allocation of a launch fails: <<<>>> drops what cudaLaunchKernel answers, so the next call tells. */
static void a_launch_without_memory_shows_at_the_next_call(void **state)
{
    int *p, n = 1, places = 0;
    (void)state;
    OK(cudaMalloc((void **)&p, 4));
    for (bool reached = true; reached; places += reached) {
        alloc_fail_after(places + 1, false);
        OK(mock_launch(add_one, 1, 1, NULL, &p, &n));
        reached = alloc_is_short();
        alloc_fail_after(0, false);
        assert_int_equal(cudaDeviceSynchronize(), reached ? cudaErrorMemoryAllocation : cudaSuccess);
        assert_int_equal(cudaGetLastError(), reached ? cudaErrorMemoryAllocation : cudaSuccess);
        OK(cudaDeviceSynchronize());
    }
    assert_int_not_equal(places, 0);
    OK(cudaFree(p));
}

/* Any other call answers it itself. */
static void a_call_without_memory_answers_it(void **state)
{
    int *p, n = 1;
    (void)state;
    OK(cudaMalloc((void **)&p, 4));
    alloc_fail_after(1, false);
    assert_int_equal(cudaMemcpy(p, &n, 4, cudaMemcpyHostToDevice), cudaErrorMemoryAllocation);
    assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
    OK(cudaMemcpy(p, &n, 4, cudaMemcpyHostToDevice));
    OK(cudaFree(p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_error_is_taken_once),
        cmocka_unit_test(the_last_error_belongs_to_the_thread),
        cmocka_unit_test(errors_have_names_and_texts),
        cmocka_unit_test(versions_are_the_headers),
        cmocka_unit_test(what_is_not_implemented_is_the_launchs_answer),
        cmocka_unit_test(a_call_without_memory_answers_it),
        cmocka_unit_test(a_launch_without_memory_shows_at_the_next_call),
    };
    return cmocka_run_group_tests(tests, register_kernels, NULL);
}
