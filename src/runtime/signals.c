/* SIGSEGV and SIGINT (see signals.h). Handlers use write(2) and no stdio; they run on the alternate stack where the
 * program has set one up. */
#define _GNU_SOURCE
#include "runtime/signals.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host_time.h"
#include "jit/jit.h"
#include "runtime/queue.h"
#include "runtime/runtime.h"
#include "space/registered.h"
#include "space/space.h"

static struct sigaction segv_before;
static int64_t interrupted_ms; /* when; 0: not yet. Atomic: any thread may take the signal, and workers ask */

/* Two SIGINT within this time are one Ctrl-C: timeout(1) and job control signal a process and its group. */
enum { SAME_KEY_MS = 200 };

/* HEDDLE_QUIET is read when handlers are installed: getenv is not for handlers. */
static bool quiet;

static void write_all(const char *text, size_t n)
{
    while (n > 0) {
        ssize_t w = write(STDERR_FILENO, text, n);
        if (w <= 0)
            return;
        text += w;
        n -= (size_t)w;
    }
}

/* --- SIGSEGV --- */

/* Which memory the address belongs to, in words. */
static void describe(char *text, size_t size, const struct space *s, uint64_t address)
{
    struct space_allocation a;
    unsigned long long offset;
    if (space_find(s, address, &a)) {
        offset = address - a.address;
        if (a.label)
            snprintf(text, size, "byte %llu of the device variable '%s' (%llu bytes; use cudaMemcpyFromSymbol or "
                                 "cudaMemcpyToSymbol)", offset, a.label, (unsigned long long)a.bytes);
        else
            snprintf(text, size, "which belongs to the allocation 0x%llx of %llu bytes (cudaMalloc); use cudaMemcpy",
                     (unsigned long long)a.address, (unsigned long long)a.bytes);
    } else if (space_find_freed(s, address, &a)) {
        snprintf(text, size, "which belonged to the allocation 0x%llx of %llu bytes until it was freed",
                 (unsigned long long)a.address, (unsigned long long)a.bytes);
    } else if (a.bytes) {
        bool past = address >= a.address;
        offset = past ? address - (a.address + a.bytes) : a.address - address;
        snprintf(text, size, "%llu bytes %s the allocation 0x%llx of %llu bytes; use cudaMemcpy", offset,
                 past ? "past the end of" : "before", (unsigned long long)a.address, (unsigned long long)a.bytes);
    } else {
        snprintf(text, size, "where nothing is allocated");
    }
}

/* The program is one of MPI, which was not told how to reach device memory (libraries/mpi). */
extern int MPI_Init(int *argc, char ***argv) __attribute__((weak));

static const char *mpi_hint(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    bool told = preloaded && strstr(preloaded, "libheddle-mpi.so");
    return MPI_Init && !told ? "heddle: MPI takes device memory when it is started as `heddle env mpirun ...`\n" : "";
}

static void explain(uint64_t address)
{
    char text[512], where[320] = "where nothing is allocated";
    for (int i = 0; i < RUNTIME_DEVICES; i++) {
        const struct runtime_device *d = runtime_device_if_open(i);
        if (d && address - d->space->base < SPACE_STRIDE)
            describe(where, sizeof where, d->space, address);
    }
    int n = snprintf(text, sizeof text, "heddle: host code touched device memory at 0x%llx, %s\n%s",
                     (unsigned long long)address, where, mpi_hint());
    write_all(text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

/* On a GPU the pages would still be there, since registration holds on to them. */
static void explain_unmapped(uint64_t address)
{
    char text[256];
    int n = snprintf(text, sizeof text, "heddle: the memory at 0x%llx was given to cudaHostRegister and is used by a "
                                        "kernel or a copy, but the program has unmapped it without cudaHostUnregister\n",
                     (unsigned long long)address);
    write_all(text, (size_t)n);
}

/* Memory that a kernel may not touch is looked at before: what machine code runs into is not the program's fault. */
static void explain_machine_code(const char *kernel, uint64_t address)
{
    char text[640];
    int n = snprintf(text, sizeof text, "heddle: the machine code of kernel '%.400s' faulted at 0x%llx (cudaErrorLaunchFailure, 719). "
                                        "This is a fault of Heddle; HEDDLE_EXEC=interp runs without machine code\n",
                     kernel, (unsigned long long)address);
    write_all(text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

/* Leaves the signal to who was there before; the default action comes with the repeated access. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    if (segv_before.sa_flags & SA_SIGINFO) {
        segv_before.sa_sigaction(number, info, context);
        return;
    }
    if (segv_before.sa_handler != SIG_DFL && segv_before.sa_handler != SIG_IGN) {
        segv_before.sa_handler(number);
        return;
    }
    signal(number, SIG_DFL);
    if (info->si_code <= 0) /* sent by somebody: there is no access to repeat */
        raise(number);
}

static void on_segv(int number, siginfo_t *info, void *context)
{
    static volatile sig_atomic_t explained;
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    bool device = space_is_device_address(address);
    bool unmapped = info->si_code == SEGV_MAPERR && registered_ok(address, 1);
    const char *kernel = info->si_code > 0 && !unmapped ? jit_running() : NULL;
    if (kernel && !explained) {
        explained = 1;
        explain_machine_code(kernel, address);
    }
    if (info->si_code > 0 && (device || unmapped) && !explained && !quiet) {
        explained = 1;
        (device ? explain : explain_unmapped)(address);
    }
    pass_on(number, info, context);
}

/* --- SIGINT --- */

static void on_interrupt(int number)
{
    int64_t now = host_time() / 1000000, before = __atomic_load_n(&interrupted_ms, __ATOMIC_RELAXED);
    bool again = before && now - before >= SAME_KEY_MS;
    if (again || (!before && !queue_launch_runs()) || runtime_forked()) {
        signal(number, SIG_DFL); /* the second Ctrl-C ends the process at once */
        raise(number);
        return;
    }
    if (before || !__atomic_compare_exchange_n(&interrupted_ms, &before, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    for (int i = 0; i < RUNTIME_DEVICES; i++) {
        const struct runtime_device *d = runtime_device_if_open(i);
        if (d)
            heddle_device_interrupt(d->engine);
    }
}

void signals_end_by_interrupt(void)
{
    sigset_t one;
    if (!__atomic_load_n(&interrupted_ms, __ATOMIC_RELAXED))
        return;
    sigemptyset(&one);
    sigaddset(&one, SIGINT);
    signal(SIGINT, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    kill(getpid(), SIGINT);
    for (;;)
        pause(); /* nothing of the program runs on with half a result */
}

void signals_install(void)
{
    struct sigaction act, before;
    const char *q = getenv("HEDDLE_QUIET");
    quiet = q && strcmp(q, "1") == 0;
    memset(&act, 0, sizeof act);
    sigemptyset(&act.sa_mask);
    act.sa_sigaction = on_segv;
    act.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &act, &segv_before);
    if (sigaction(SIGINT, NULL, &before) || before.sa_flags & SA_SIGINFO || before.sa_handler != SIG_DFL)
        return;
    memset(&act, 0, sizeof act);
    sigemptyset(&act.sa_mask);
    act.sa_handler = on_interrupt;
    act.sa_flags = SA_ONSTACK | SA_RESTART;
    sigaction(SIGINT, &act, NULL);
}
