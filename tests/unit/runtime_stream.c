/* Order: streams, the legacy default stream, events, host functions; what returns before it is done. The kernel
 * "hold" stands in the way until it is released, so the order of what follows does not depend on speed. */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "runtime_test.h"

static void expect_log(const int *tags, int n)
{
    assert_int_equal(mock_nlog, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(mock_log[i], tags[i]);
    mock_nlog = 0;
}
#define EXPECT(...) expect_log((int[]){__VA_ARGS__}, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)))

static void wait_until_running(void)
{
    while (!mock_is_running())
        usleep(200);
}

static void a_launch_returns_before_it_is_done(void **state)
{
    cudaEvent_t e;
    (void)state;
    OK(cudaEventCreate(&e));
    OK(cudaEventQuery(e)); /* never recorded */
    mock_hold();
    OK(mock_launch(hold, 1, 1, NULL, NULL, NULL));
    OK(cudaEventRecord(e, NULL));
    wait_until_running();
    ANSWERS(cudaErrorNotReady, cudaEventQuery(e));
    ANSWERS(cudaErrorNotReady, cudaStreamQuery(NULL));
    mock_release();
    OK(cudaEventSynchronize(e));
    OK(cudaEventQuery(e));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamQuery(NULL));
    OK(cudaEventDestroy(e));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaEventDestroy(e));
}

static void *release_soon(void *unused)
{
    usleep(20000);
    mock_release();
    return unused;
}

/* While stream a is held, a blocking stream's command behind a default-stream command waits, and so does everything
 * behind it; a non-blocking stream's does not. */
static void the_default_stream_stands_between_blocking_streams(void **state)
{
    cudaStream_t a, b, free_;
    pthread_t t;
    (void)state;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaStreamCreateWithFlags(&free_, cudaStreamNonBlocking));
    mock_hold();
    OK(mock_launch(hold, 1, 1, a, NULL, NULL));
    LOG(1, NULL);
    LOG(2, b);
    LOG(3, free_);
    LOG(4, a);
    OK(cudaStreamSynchronize(free_));
    assert_int_equal(mock_nlog, 1);
    pthread_create(&t, NULL, release_soon, NULL);
    OK(cudaStreamSynchronize(b)); /* needs a's hold, and the default stream's 1 */
    assert_in_range(__atomic_load_n(&mock_nlog, __ATOMIC_ACQUIRE), 3, 4); /* 4 may just run */
    OK(cudaDeviceSynchronize());
    pthread_join(t, NULL);
    assert_int_equal(mock_log[2] + mock_log[3], 2 + 4); /* no order between these two */
    mock_nlog -= 2;
    EXPECT(3, 1);
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaStreamDestroy(free_));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(a));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(a));
    ANSWERS(cudaErrorInvalidResourceHandle, mock_launch(log_tag, 1, 1, a, &(int){1}, NULL));
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void through_gate(void *tag)
{
    pthread_mutex_lock(&gate);
    mock_append(*(int *)tag);
    pthread_mutex_unlock(&gate);
}

static void callback(cudaStream_t s, cudaError_t status, void *tag)
{
    (void)s;
    mock_append(status ? -1 : *(int *)tag);
}

static void not_allowed(void *answer)
{
    *(cudaError_t *)answer = cudaDeviceSynchronize();
}

static void host_functions_stand_in_line(void **state)
{
    cudaStream_t s;
    int tag = 20, called = 30;
    cudaError_t inside = cudaSuccess;
    (void)state;
    OK(cudaStreamCreate(&s));
    pthread_mutex_lock(&gate);
    LOG(10, s);
    OK(cudaLaunchHostFunc(s, through_gate, &tag));
    LOG(21, s);
    OK(cudaStreamAddCallback(s, callback, &called, 0));
    OK(cudaLaunchHostFunc(s, not_allowed, &inside));
    pthread_mutex_unlock(&gate);
    OK(cudaStreamSynchronize(s));
    EXPECT(10, 20, 21, 30);
    assert_int_equal(inside, cudaErrorNotPermitted); /* no CUDA calls inside host functions */
    ANSWERS(cudaErrorInvalidValue, cudaLaunchHostFunc(s, NULL, NULL));
    OK(cudaStreamDestroy(s));
}

static void two_streams_at_once(void **state)
{
    cudaStream_t a, b;
    (void)state;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(mock_launch(meet, 1, 1, a, NULL, NULL));
    OK(mock_launch(meet, 1, 1, b, NULL, NULL));
    OK(cudaDeviceSynchronize());
    EXPECT(1, 1);
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
}

/* Launches that use the device heap keep the order of queueing, whatever streams they are in. */
static void heap_users_keep_their_order(void **state)
{
    cudaStream_t s[4];
    (void)state;
    for (int i = 0; i < 4; i++) {
        int ms = 8 - 2 * i;
        OK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
        OK(mock_launch(heap, 1, 1, s[i], &i, &ms));
    }
    OK(cudaDeviceSynchronize());
    EXPECT(0, 1, 2, 3);
    for (int i = 0; i < 4; i++)
        OK(cudaStreamDestroy(s[i]));
}

/* Many threads, streams and events: every stream's own order holds, and an event orders two streams. */
enum { STREAMS = 6, EACH = 20 };

static void *keep_busy(void *number)
{
    cudaStream_t s;
    cudaEvent_t e;
    int n = (int)(intptr_t)number;
    if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) || cudaEventCreate(&e))
        return (void *)1;
    for (int i = 0; i < EACH; i++) {
        int tag = n * EACH + i;
        if (mock_launch(log_tag, 1, 1, s, &tag, NULL) || cudaEventRecord(e, s) || cudaStreamWaitEvent(s, e, 0))
            return (void *)1;
        if (i % 7 == n && cudaStreamSynchronize(s))
            return (void *)1;
    }
    return (void *)(uintptr_t)(cudaStreamDestroy(s) || cudaEventSynchronize(e) || cudaEventDestroy(e));
}

static void many_streams_at_once(void **state)
{
    pthread_t t[STREAMS];
    void *answer;
    int next[STREAMS] = {0};
    (void)state;
    for (intptr_t i = 0; i < STREAMS; i++)
        pthread_create(&t[i], NULL, keep_busy, (void *)i);
    for (int i = 0; i < STREAMS; i++) {
        pthread_join(t[i], &answer);
        assert_null(answer);
    }
    OK(cudaDeviceSynchronize());
    assert_int_equal(mock_nlog, STREAMS * EACH);
    for (int i = 0; i < mock_nlog; i++)
        assert_int_equal(mock_log[i] % EACH, next[mock_log[i] / EACH]++);
    mock_nlog = 0;
}

static void waiting_for_an_event(void **state)
{
    cudaStream_t a, b;
    cudaEvent_t e;
    pthread_t t;
    (void)state;
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    OK(cudaStreamWaitEvent(b, e, 0)); /* never recorded: nothing to wait for */
    mock_hold();
    OK(mock_launch(hold, 1, 1, a, NULL, NULL));
    LOG(1, a);
    OK(cudaEventRecord(e, a));
    OK(cudaStreamWaitEvent(b, e, 0));
    LOG(2, b);
    OK(cudaEventDestroy(e)); /* destroyed while waited for: the wait stays */
    OK(cudaStreamDestroy(a));
    pthread_create(&t, NULL, release_soon, NULL);
    OK(cudaStreamSynchronize(b));
    pthread_join(t, NULL);
    EXPECT(1, 2);
    OK(cudaStreamDestroy(b));
}

static void elapsed_time_is_the_hosts(void **state)
{
    cudaEvent_t a, b, untimed;
    float ms = -1;
    int pause = 30;
    (void)state;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, b)); /* never recorded */
    OK(cudaEventRecord(a, NULL));
    OK(mock_launch(sleepy, 1, 1, NULL, &pause, NULL));
    OK(cudaEventRecord(b, NULL));
    OK(cudaEventRecord(untimed, NULL));
    ANSWERS(cudaErrorNotReady, cudaEventElapsedTime(&ms, a, b));
    OK(cudaEventSynchronize(b));
    OK(cudaEventElapsedTime(&ms, a, b));
    assert_true(ms >= 30 && ms < 5000);
    OK(cudaEventElapsedTime(&ms, b, a));
    assert_true(ms <= -30);
    ANSWERS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, untimed));
    OK(cudaEventDestroy(a));
    OK(cudaEventDestroy(b));
    OK(cudaEventDestroy(untimed));
}

/* Pageable memory may be reused as soon as the call returns; pinned memory belongs to the copy until it is done. */
static void asynchronous_copies(void **state)
{
    int h = 1, *pinned, *d, back = 0;
    pthread_t t;
    (void)state;
    OK(cudaMalloc((void **)&d, 4));
    OK(cudaMallocHost((void **)&pinned, 4));
    OK(cudaMemcpyAsync(d, &h, 4, cudaMemcpyHostToDevice, NULL));
    h = 2;
    OK(cudaMemcpy(&back, d, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(back, 1);
    mock_hold();
    OK(mock_launch(hold, 1, 1, NULL, NULL, NULL));
    *pinned = 3;
    OK(cudaMemcpyAsync(d, pinned, 4, cudaMemcpyHostToDevice, NULL));
    *pinned = 4; /* the copy has not run yet: CUDA would also take this value */
    OK(cudaMemsetAsync((char *)d + 3, 1, 1, NULL));
    pthread_create(&t, NULL, release_soon, NULL);
    OK(cudaMemcpy(&back, d, 4, cudaMemcpyDeviceToHost)); /* waits for all of it */
    pthread_join(t, NULL);
    assert_int_equal(back, 0x01000004);
    OK(cudaFreeHost(pinned));
    OK(cudaFree(d));
}

static void freeing_in_a_stream(void **state)
{
    int *d, n = 1;
    struct cudaPointerAttributes at;
    (void)state;
    OK(cudaMallocAsync((void **)&d, 4, NULL));
    mock_hold();
    OK(mock_launch(hold, 1, 1, NULL, NULL, NULL));
    OK(mock_launch(add_one, 1, 1, NULL, &d, &n));
    OK(cudaFreeAsync(d, NULL));
    OK(cudaPointerGetAttributes(&at, d));
    assert_int_equal(at.type, cudaMemoryTypeDevice);
    mock_release();
    OK(cudaDeviceSynchronize());
    OK(cudaPointerGetAttributes(&at, d));
    assert_int_equal(at.type, cudaMemoryTypeUnregistered);
}

static void arguments_are_taken_at_the_launch(void **state)
{
    int tag = 5;
    (void)state;
    mock_hold();
    OK(mock_launch(hold, 1, 1, NULL, NULL, NULL));
    OK(mock_launch(log_tag, 1, 1, NULL, &tag, NULL));
    tag = 6;
    mock_release();
    OK(cudaDeviceSynchronize());
    EXPECT(5);
}

static void *launch_many(void *stream)
{
    for (int i = 0; i < 200; i++)
        if (mock_launch(sleepy, 1, 1, (cudaStream_t)stream, &(int){0}, NULL) ||
            (i % 16 == 0 && cudaDeviceSynchronize()))
            return (void *)1;
    return (void *)(uintptr_t)cudaDeviceSynchronize();
}

static void several_threads_may_launch(void **state)
{
    pthread_t t[4];
    void *answer;
    (void)state;
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, launch_many, i % 2 ? cudaStreamPerThread : NULL);
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], &answer);
        assert_null(answer);
    }
}

static void attributes_of_streams(void **state)
{
    cudaStream_t s;
    unsigned flags;
    int priority, least, greatest;
    cudaStreamAttrValue v, w;
    (void)state;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest - 3));
    OK(cudaStreamGetFlags(s, &flags));
    assert_int_equal(flags, cudaStreamNonBlocking);
    OK(cudaStreamGetPriority(s, &priority));
    assert_int_equal(priority, greatest);
    memset(&v, 0, sizeof v);
    v.accessPolicyWindow.num_bytes = 77;
    OK(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    OK(cudaStreamGetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &w));
    assert_int_equal(w.accessPolicyWindow.num_bytes, 77);
    ANSWERS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&s, 8));
    OK(cudaStreamDestroy(s));
}

static void more_attributes_of_streams(void **state)
{
    cudaStream_t s, t;
    int device = 7;
    unsigned long long a, b, c;
    cudaStreamAttrValue v, w;
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    (void)state;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaStreamGetDevice(s, &device));
    assert_int_equal(device, 0);
    OK(cudaStreamGetId(s, &a));
    OK(cudaStreamGetId(t, &b));
    OK(cudaStreamGetId(NULL, &c));
    assert_true(a != b && a != c && b != c);
    OK(cudaStreamGetId(s, &c));
    assert_true(a == c);
    memset(&v, 0, sizeof v);
    v.syncPolicy = cudaSyncPolicySpin;
    OK(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    OK(cudaStreamCopyAttributes(t, s));
    OK(cudaStreamGetAttribute(t, cudaLaunchAttributeSynchronizationPolicy, &w));
    assert_int_equal(w.syncPolicy, cudaSyncPolicySpin);
    OK(cudaStreamIsCapturing(s, &status));
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    OK(cudaStreamGetCaptureInfo(s, &status, &a));
    OK(cudaStreamGetCaptureInfo_v2(s, &status, NULL, NULL, NULL, NULL));
    ANSWERS(cudaErrorInvalidValue, cudaStreamIsCapturing(s, NULL));
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, cudaStreamCaptureModeGlobal);
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, cudaStreamCaptureModeRelaxed);
    OK(cudaStreamDestroy(t));
    OK(cudaStreamDestroy(s));
}

/* A handle that was destroyed is none any more, wherever it is given. */
static void destroyed_streams_and_events(void **state)
{
    cudaStream_t s;
    cudaEvent_t e, f;
    float ms;
    unsigned flags;
    int h = 0, *p;
    (void)state;
    OK(cudaMalloc((void **)&p, 4));
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreate(&e));
    OK(cudaEventCreate(&f));
    OK(cudaEventRecordWithFlags(f, NULL, cudaEventRecordDefault));
    OK(cudaStreamDestroy(s));
    OK(cudaEventDestroy(e));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(s));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaStreamQuery(s));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaStreamGetFlags(s, &flags));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaMemcpyAsync(p, &h, 4, cudaMemcpyHostToDevice, s));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaMemsetAsync(p, 0, 4, s));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaEventRecord(f, s));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(s, f, 0));
    ANSWERS(cudaErrorInvalidResourceHandle, mock_launch(log_tag, 1, 1, s, &h, NULL));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize((cudaStream_t)&h)); /* never was one */
    ANSWERS(cudaErrorInvalidResourceHandle, cudaEventDestroy(e));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaEventRecord(e, NULL));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaEventQuery(e));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaEventSynchronize(e));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(NULL, e, 0));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, e, f));
    ANSWERS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime_v2(&ms, f, NULL));
    OK(cudaEventDestroy(f));
    OK(cudaFree(p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_returns_before_it_is_done),
        cmocka_unit_test(the_default_stream_stands_between_blocking_streams),
        cmocka_unit_test(host_functions_stand_in_line),
        cmocka_unit_test(two_streams_at_once),
        cmocka_unit_test(heap_users_keep_their_order),
        cmocka_unit_test(many_streams_at_once),
        cmocka_unit_test(waiting_for_an_event),
        cmocka_unit_test(elapsed_time_is_the_hosts),
        cmocka_unit_test(asynchronous_copies),
        cmocka_unit_test(freeing_in_a_stream),
        cmocka_unit_test(arguments_are_taken_at_the_launch),
        cmocka_unit_test(several_threads_may_launch),
        cmocka_unit_test(attributes_of_streams),
        cmocka_unit_test(more_attributes_of_streams),
        cmocka_unit_test(destroyed_streams_and_events),
    };
    return cmocka_run_group_tests(tests, register_kernels, NULL);
}
