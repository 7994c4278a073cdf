/* Appending lines to a shared file (see records.h). */
#define _GNU_SOURCE
#include "runtime/records.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/runtime.h"

static void say(struct records *r, int error)
{
    const char *path = getenv(r->variable);
    if (!r->said)
        runtime_say("cannot write %s to '%s': %s", r->what, path ? path : "", path ? strerror(error) : "no file is named");
    r->said = true;
    runtime_failed();
}

static void open_file(struct records *r)
{
    const char *path = getenv(r->variable);
    r->tried = true;
    r->file = path && *path ? fopen(path, "ae") : NULL;
    if (r->file)
        setvbuf(r->file, NULL, _IOFBF, 1 << 20);
    else
        say(r, errno);
}

/* Writing past RLIMIT_FSIZE raises a signal that would end the program; here it is an error like a full disk. */
static bool write_held(bool (*write)(const void *record, FILE *f), const void *record, FILE *f)
{
    sigset_t one, before;
    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &one, &before);
    bool ok = write(record, f);
    int e = errno;
    if (!ok)
        sigtimedwait(&one, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = e;
    return ok;
}

void records_add(struct records *r, bool (*write)(const void *record, FILE *f), const void *record)
{
    struct stat before;
    if (!r->tried)
        open_file(r);
    if (!r->file)
        return;
    int fd = fileno(r->file);
    flock(fd, LOCK_EX);
    bool known = !fstat(fd, &before), ok = write_held(write, record, r->file);
    int e = errno;
    if (!ok) {
        __fpurge(r->file);
        clearerr(r->file);
        if (known && S_ISREG(before.st_mode) && ftruncate(fd, before.st_size))
            known = false; /* the reader finds a line that is cut off */
    }
    flock(fd, LOCK_UN);
    if (!ok)
        say(r, e);
}
