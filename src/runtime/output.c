/* Output of kernels (CUDA C++ programming guide 12, 10.35 "Formatted Output").
 *
 * The text of a launch is shown when a later call waits for the device (a synchronisation, a blocking copy, the
 * reset), through the process's own stdout, so that it stands in order among the host's printf. It is not shown when
 * the process ends without one: a CUDA program loses it too, so we say so. Unlike CUDA's ring of cudaLimitPrintfFifoSize
 * bytes nothing is overwritten. */
#include "runtime/output.h"

#include <pthread.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "runtime/runtime.h"

static struct strbuf kept[3]; /* by stream: 1 stdout, 2 stderr */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void output_keep(int stream, const char *text, size_t n, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    strbuf_add(&kept[stream], text, n);
    pthread_mutex_unlock(&lock);
}

static void write_out(int stream, FILE *f)
{
    if (kept[stream].len)
        fwrite(kept[stream].s, 1, kept[stream].len, f);
    strbuf_clear(&kept[stream]);
}

void output_flush(void)
{
    pthread_mutex_lock(&lock);
    write_out(1, stdout);
    write_out(2, stderr);
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
    size_t lost = kept[1].len + kept[2].len;
    strbuf_release(&kept[1]);
    strbuf_release(&kept[2]);
    pthread_mutex_unlock(&lock);
    if (lost)
        runtime_say("%zu bytes that kernels printed are lost, as with CUDA: the program ended without "
                    "cudaDeviceSynchronize() or cudaDeviceReset() after the launch", lost);
}
