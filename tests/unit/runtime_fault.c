/* What ends or spoils a process, each in a child: kernel faults, host code on device memory, Ctrl-C, fork. A child
 * exits with the number of its line that was wrong, or 0. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>

#include "child.h"
#include "runtime_test.h"
#include "space/space.h"

#define MUST(e, call) do { if ((call) != (e)) _exit(1 + __LINE__ % 250); } while (0)

static void sticky(void)
{
    int *p, n = 1;
    MUST(0, cudaMalloc((void **)&p, 4));
    MUST(0, mock_launch(fault_kernel, 1, 32, NULL, NULL, NULL)); /* the launch itself succeeds */
    MUST(0, mock_launch(add_one, 1, 1, NULL, &p, &n));           /* dropped */
    MUST(700, cudaDeviceSynchronize());
    MUST(700, cudaGetLastError());
    MUST(700, cudaGetLastError()); /* cannot be taken */
    MUST(700, cudaPeekAtLastError());
    MUST(700, mock_launch(add_one, 1, 1, NULL, &p, &n));
    MUST(700, cudaMalloc((void **)&p, 4));
    MUST(700, cudaFree(p));
    MUST(700, cudaMemcpy(p, &n, 4, cudaMemcpyHostToDevice));
    MUST(700, cudaStreamSynchronize(NULL));
    MUST(700, cudaDeviceReset());
    MUST(700, cudaSetDevice(0));
    MUST(700, cudaDeviceSynchronize());
    int count; /* what does not need the device still works */
    MUST(0, cudaGetDeviceCount(&count));
    MUST(1, count);
}

static void a_fault_is_sticky_and_said_once(void **state)
{
    (void)state;
    struct child c = run_child(sticky, NULL, 0);
    assert_exit(c, 0);
    assert_string_equal(c.said, "heddle: illegal address in kernel 'fault'\n"
                                "  fault.cu:3, block (0,0,0), thread (1,0,0)\n");
}

static void quiet(void)
{
    setenv("HEDDLE_QUIET", "1", 1);
    MUST(0, mock_launch(fault_kernel, 1, 32, NULL, NULL, NULL));
    MUST(700, cudaDeviceSynchronize());
}

static void quiet_is_quiet(void **state)
{
    (void)state;
    struct child c = run_child(quiet, NULL, 0);
    assert_exit(c, 0);
    assert_string_equal(c.said, "");
}

static void callback(cudaStream_t s, cudaError_t status, void *user)
{
    (void)s;
    *(cudaError_t *)user = status;
}

static void never(void *user)
{
    (void)user;
    _exit(1);
}

static void other_calls(void)
{
    cudaError_t seen = 0;
    cudaEvent_t e;
    int h = 0, *p;
    MUST(0, cudaMalloc((void **)&p, 4));
    MUST(0, cudaEventCreate(&e));
    MUST(0, mock_launch(fault_kernel, 1, 32, NULL, NULL, NULL));
    MUST(0, cudaEventRecord(e, NULL));
    MUST(0, cudaStreamAddCallback(NULL, callback, &seen, 0));
    MUST(0, cudaLaunchHostFunc(NULL, never, NULL));
    MUST(700, cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost)); /* it waits, so it tells */
    MUST(700, seen);
    MUST(700, cudaEventSynchronize(e));
    MUST(700, cudaEventQuery(e));
}

static void a_fault_shows_at_whatever_waits(void **state)
{
    (void)state;
    struct child c = run_child(other_calls, NULL, 0);
    assert_exit(c, 0);
}

static void never_waits(void)
{
    MUST(0, mock_launch(fault_kernel, 1, 32, NULL, NULL, NULL));
    exit(7);
}

static void what_was_never_waited_for_still_runs(void **state)
{
    (void)state;
    struct child c = run_child(never_waits, NULL, 0);
    assert_exit(c, 7);
    assert_non_null(strstr(c.said, "heddle: illegal address in kernel 'fault'"));
}

/* --- host code touches device memory --- */

static void touch(void)
{
    volatile int *p;
    MUST(0, cudaMalloc((void **)&p, 400));
    p[3] = 1;
}

static void touch_past(void)
{
    char *p;
    MUST(0, cudaMalloc((void **)&p, 400));
    *(volatile char *)(p + 500) = 1;
}

static void touch_freed(void)
{
    char *p;
    MUST(0, cudaMalloc((void **)&p, 400));
    MUST(0, cudaFree(p));
    *(volatile char *)p = 1;
}

static void touch_null(void)
{
    void *p;
    MUST(0, cudaMalloc(&p, 400));
    volatile char *volatile p8 = (volatile char *)8;
    *p8 = 1;
}

/* Whatever SPACE_FIRST is, the first address of a process. `format` has places for an address and for SPACE_FIRST. */
static void assert_explained(struct child c, const char *format, uint64_t address)
{
    char want[256];
    assert_signal(c, SIGSEGV);
    snprintf(want, sizeof want, format, (unsigned long long)address, (unsigned long long)SPACE_FIRST);
    assert_string_equal(c.said, want);
}

static void host_code_on_device_memory_is_explained(void **state)
{
    (void)state;
    assert_explained(run_child(touch, NULL, 0), "heddle: host code touched device memory at 0x%llx, which belongs to the "
                     "allocation 0x%llx of 400 bytes (cudaMalloc); use cudaMemcpy\n", SPACE_FIRST + 12);
    assert_explained(run_child(touch_past, NULL, 0), "heddle: host code touched device memory at 0x%llx, 100 bytes past the "
                     "end of the allocation 0x%llx of 400 bytes; use cudaMemcpy\n", SPACE_FIRST + 500);
    assert_explained(run_child(touch_freed, NULL, 0), "heddle: host code touched device memory at 0x%llx, which belonged to "
                     "the allocation 0x%llx of 400 bytes until it was freed\n", SPACE_FIRST);
    assert_explained(run_child(touch_null, NULL, 0), "", 0);
}

static void own_handler(int number)
{
    (void)number;
    _exit(33);
}

static void touch_with_handler(void)
{
    char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t alternate = {.ss_sp = stack, .ss_size = 65536};
    struct sigaction act = {.sa_handler = own_handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&alternate, NULL);
    sigaction(SIGSEGV, &act, NULL);
    touch();
}

static void sent_by_kill(void)
{
    void *p;
    MUST(0, cudaMalloc(&p, 4));
    kill(getpid(), SIGSEGV);
    for (;;)
        pause();
}

static void the_programs_handler_comes_after_ours(void **state)
{
    (void)state;
    struct child c = run_child(touch_with_handler, NULL, 0);
    assert_exit(c, 33);
    assert_non_null(strstr(c.said, "host code touched device memory at 0x"));
    c = run_child(sent_by_kill, NULL, 0);
    assert_signal(c, SIGSEGV);
    assert_string_equal(c.said, "");
}

/* --- Ctrl-C --- */

static void say_ready(void)
{
    while (!mock_is_running())
        usleep(100);
    if (write(STDERR_FILENO, "r\n", 2) != 2)
        _exit(1);
}

static void endless(void)
{
    mock_hold();
    MUST(0, mock_launch(hold, 1, 1, NULL, NULL, NULL));
    say_ready();
    cudaDeviceSynchronize();
    _exit(1);
}

static void endless_in_the_waiting_thread(void)
{
    mock_hold();
    MUST(0, mock_launch(hold, 1, 1, NULL, NULL, NULL));
    cudaDeviceSynchronize();
    _exit(1);
}

static void idle(void)
{
    void *p;
    MUST(0, cudaMalloc(&p, 4));
    if (write(STDERR_FILENO, "r\n", 2) != 2)
        _exit(1);
    for (;;)
        pause();
}

static void respected(void)
{
    signal(SIGINT, own_handler);
    endless();
}

static void interrupt(pid_t pid)
{
    kill(pid, SIGINT);
}

static void an_endless_kernel_ends_by_interrupt(void **state)
{
    (void)state;
    struct child c = run_child(endless, interrupt, 5000);
    assert_signal(c, SIGINT);
    assert_string_equal(c.said, "r\nheddle: interrupted in kernel 'hold'\n");
    c = run_child(endless_in_the_waiting_thread, interrupt, 300);
    assert_signal(c, SIGINT);
    assert_string_equal(c.said, "heddle: interrupted in kernel 'hold'\n");
    c = run_child(idle, interrupt, 5000);
    assert_signal(c, SIGINT);
    c = run_child(respected, interrupt, 5000); /* the program's own handler, not ours */
    assert_exit(c, 33);
}

/* --- results, devices, fork --- */

static char results_path[] = "/tmp/heddle-results-XXXXXX";

static void profiled(void)
{
    setenv("HEDDLE_RESULTS", results_path, 1);
    cudaStream_t s;
    MUST(0, cudaStreamCreate(&s));
    for (int i = 0; i < 3; i++)
        MUST(0, mock_launch(log_tag, 1, 1, i == 1 ? s : NULL, &i, NULL));
    MUST(0, mock_launch(fault_kernel, 1, 1, NULL, NULL, NULL));
    MUST(700, cudaDeviceSynchronize());
    abort(); /* what was written is there */
}

static void every_launch_leaves_a_line(void **state)
{
    char text[1024] = "";
    (void)state;
    int fd = mkstemp(results_path);
    struct child c = run_child(profiled, NULL, 0);
    assert_signal(c, SIGABRT);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    assert_string_equal(text, "{\"id\":0,\"stream\":0}\n{\"id\":1,\"stream\":1}\n{\"id\":2,\"stream\":0}\n"
                              "{\"id\":3,\"stream\":0}\n");
    close(fd);
    unlink(results_path);
}

static void no_device(void)
{
    int n = 5;
    void *p;
    setenv("HEDDLE_DEVICE", "nonesuch", 1);
    MUST(100, cudaGetDeviceCount(&n));
    MUST(0, n);
    MUST(100, cudaMalloc(&p, 4));
    MUST(100, cudaGetLastError());
}

static void meet_in_two_streams(void)
{
    cudaStream_t a, b;
    mock_threads = 1;
    MUST(0, cudaStreamCreate(&a));
    MUST(0, cudaStreamCreate(&b));
    MUST(0, mock_launch(meet, 1, 1, a, NULL, NULL));
    MUST(0, mock_launch(meet, 1, 1, b, NULL, NULL));
    MUST(0, cudaDeviceSynchronize());
    MUST(2, mock_nlog);
    MUST(1, mock_log[0]);
    MUST(1, mock_log[1]);
}

/* Sleeps grow shorter, so without an order the later ones would end first. */
static void in_order(void)
{
    cudaStream_t s[4];
    for (int i = 0; i < 4; i++) {
        int ms = 12 - 4 * i;
        MUST(0, cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
        MUST(0, mock_launch(sleepy, 1, 1, s[i], &ms, NULL));
        MUST(0, mock_launch(log_tag, 1, 1, s[i], &i, NULL));
    }
    MUST(0, cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++)
        MUST(i, mock_log[i]);
}

static void in_order_when_profiled(void)
{
    setenv("HEDDLE_RESULTS", "/dev/null", 1);
    in_order();
}

static void streams_in_order_and_not(void **state)
{
    (void)state;
    assert_exit(run_child(meet_in_two_streams, NULL, 0), 0);
    assert_exit(run_child(in_order_when_profiled, NULL, 0), 0);
}

static void two_devices(void)
{
    int n, h = 3, *a, *b, back = 0;
    setenv("HEDDLE_DEVICE", "mock,mock2", 1);
    MUST(0, cudaGetDeviceCount(&n));
    MUST(2, n);
    MUST(0, cudaMalloc((void **)&a, 4));
    MUST(0, cudaDeviceCanAccessPeer(&n, 0, 1));
    MUST(1, n);
    MUST(0, cudaDeviceCanAccessPeer(&n, 1, 1));
    MUST(0, n);
    MUST(0, cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 1));
    MUST(1, n);
    MUST(0, cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrPerformanceRank, 0, 1));
    MUST(0, n);
    MUST(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
    MUST(0, cudaDeviceEnablePeerAccess(1, 0));
    MUST(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
    MUST(0, cudaDeviceReset()); /* takes it back */
    MUST(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
    MUST(0, cudaMalloc((void **)&a, 4));
    MUST(0, cudaSetDevice(1));
    MUST(0, cudaMalloc((void **)&b, 4));
    MUST(1, ((uintptr_t)b - (uintptr_t)a) == SPACE_STRIDE);
    MUST(0, cudaMemcpy(a, &h, 4, cudaMemcpyHostToDevice));
    MUST(0, cudaMemcpyPeer(b, 1, a, 0, 4));
    MUST(1, cudaMemcpyPeer(b, 0, a, 1, 4));
    MUST(0, cudaMemcpy(&back, b, 4, cudaMemcpyDeviceToHost));
    MUST(3, back);
    MUST(0, cudaMemcpyToSymbol(table, &h, 4, 0, cudaMemcpyHostToDevice)); /* each device has its own copy */
    MUST(0, cudaSetDevice(0));
    MUST(0, cudaMemcpyFromSymbol(&back, table, 4, 0, cudaMemcpyDeviceToHost));
    MUST(0x07070707, back);
    MUST(0, mock_launch(fault_kernel, 1, 1, NULL, NULL, NULL));
    MUST(700, cudaDeviceSynchronize());
    cudaSetDevice(1); /* answers for device 1, which is fine */
    MUST(0, cudaDeviceSynchronize());
}

static void devices_by_name(void **state)
{
    (void)state;
    struct child c = run_child(no_device, NULL, 0);
    assert_exit(c, 0);
    assert_string_equal(c.said, "heddle: no device description 'nonesuch'\n");
    c = run_child(two_devices, NULL, 0);
    assert_exit(c, 0);
}

/* The sanitizers' leak check asks this at exit (sanitizer/lsan_interface.h). GCC 12's takes its allocator's locks there,
 * which a thread of the parent may have held at fork: the child of a process with threads would wait for ever. */
static int in_grandchild;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return in_grandchild;
}

static void forks(void)
{
    int status;
    void *p;
    MUST(0, mock_launch(sleepy, 1, 1, NULL, &(int){1}, NULL));
    pid_t child = fork();
    if (!child) {
        MUST(3, cudaMalloc(&p, 4));
        in_grandchild = 1;
        exit(0); /* does not wait for the parent's commands */
    }
    waitpid(child, &status, 0);
    MUST(0, status);
    MUST(0, cudaDeviceSynchronize());
}

static void a_forked_child_has_no_devices(void **state)
{
    (void)state;
    struct child c = run_child(forks, NULL, 0);
    assert_exit(c, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_is_sticky_and_said_once),
        cmocka_unit_test(quiet_is_quiet),
        cmocka_unit_test(a_fault_shows_at_whatever_waits),
        cmocka_unit_test(what_was_never_waited_for_still_runs),
        cmocka_unit_test(host_code_on_device_memory_is_explained),
        cmocka_unit_test(the_programs_handler_comes_after_ours),
        cmocka_unit_test(an_endless_kernel_ends_by_interrupt),
        cmocka_unit_test(every_launch_leaves_a_line),
        cmocka_unit_test(streams_in_order_and_not),
        cmocka_unit_test(devices_by_name),
        cmocka_unit_test(a_forked_child_has_no_devices),
    };
    alarm(50); /* nothing here may hang */
    return cmocka_run_group_tests(tests, register_kernels, NULL);
}
