/* A temporary folder that does not outlive the process, however that ends.
 *
 * A small process, the guardian, makes the folder and waits for the end of the one that asked for it: when that closes the
 * folder, exits, is killed or crashes, the guardian ends what its children still run and removes the folder with all that is in
 * it. It holds a lock on the folder: one whose guardian was killed too is removed by the next. SIGINT, SIGTERM and SIGHUP that
 * would end the process wait until the folder is gone. */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include <stdbool.h>
#include <sys/types.h>

struct scratch {
    char *path;     /* of the folder; NULL: not open */
    pid_t guardian; /* its process group is that of the children (base/process.h) */
    int alive;      /* a pipe that the guardian reads: closed when we end */
};

/* Makes $TMPDIR/heddle-job-XXXXXX (/tmp/heddle-job-XXXXXX). One at a time in a process. False: errno says why. */
bool scratch_open(struct scratch *s);

/* Removes the folder; it is gone afterwards, and so is the guardian. */
void scratch_close(struct scratch *s);

#endif
