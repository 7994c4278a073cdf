/* Output of kernels (CUDA C++ programming guide 12, 10.35 "Formatted Output").
 *
 * The text of a launch is shown when a later call waits for the device (a synchronisation, a blocking copy, the
 * reset), through the process's own stdout, so that it stands in order among the host's printf. It is not shown when
 * the process ends without one: a CUDA program loses it too, so we say so. Unlike CUDA's ring of cudaLimitPrintfFifoSize
 * bytes nothing is overwritten. */
#include "runtime/output.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "runtime/queue.h"
#include "runtime/runtime.h"

/* What one launch printed: shown in the order of queueing, whatever order the launches ran in. */
struct printed {
    uint64_t serial;
    struct strbuf text[3]; /* by stream: 1 stdout, 2 stderr */
};

static struct printed *kept;
static int nkept, kept_cap;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards them */

/* Called by the thread that runs the launch, once for each stream and block. */
void output_keep(int stream, const char *text, size_t n, void *unused)
{
    (void)unused;
    uint64_t serial = queue_serial();
    pthread_mutex_lock(&lock);
    int at = nkept;
    while (at > 0 && kept[at - 1].serial > serial)
        at--;
    if (at == 0 || kept[at - 1].serial != serial) {
        ALLOC_GROW(kept, nkept, kept_cap);
        memmove(kept + at + 1, kept + at, (size_t)(nkept - at) * sizeof *kept);
        nkept++;
        kept[at].serial = serial;
        strbuf_init(&kept[at].text[1]);
        strbuf_init(&kept[at].text[2]);
        at++;
    }
    strbuf_add(&kept[at - 1].text[stream], text, n);
    pthread_mutex_unlock(&lock);
}

static void write_out(int stream, FILE *f)
{
    for (int i = 0; i < nkept; i++) {
        struct strbuf *t = &kept[i].text[stream];
        if (t->len)
            fwrite(t->s, 1, t->len, f);
        strbuf_clear(t);
    }
}

/* All has been written. */
static void forget(void)
{
    for (int i = 0; i < nkept; i++) {
        strbuf_release(&kept[i].text[1]);
        strbuf_release(&kept[i].text[2]);
    }
    nkept = 0;
}

void output_flush(void)
{
    pthread_mutex_lock(&lock);
    write_out(1, stdout);
    write_out(2, stderr);
    forget();
    pthread_mutex_unlock(&lock);
}

void output_flush_assertions(void)
{
    pthread_mutex_lock(&lock);
    write_out(2, stderr);
    pthread_mutex_unlock(&lock);
}

void output_drop(void)
{
    pthread_mutex_lock(&lock);
    size_t lost = 0;
    for (int i = 0; i < nkept; i++)
        lost += kept[i].text[1].len + kept[i].text[2].len;
    forget();
    pthread_mutex_unlock(&lock);
    if (lost)
        runtime_say("%zu bytes that kernels printed are lost, as with CUDA: the program ended without "
                    "cudaDeviceSynchronize() or cudaDeviceReset() after the launch", lost);
}
