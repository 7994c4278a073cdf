/* Where in the program a call of ours was made: the host's stack, as addresses within the files they are in.
 *
 * Frames of this library are left out; the outermost of them is the entry point that the program called (this room is
 * compiled without tail calls, so it is always there). Names and lines are looked up by who reads the report, and only
 * then (cli/host_frames.c): here a frame is "path+0xoffset", the offset being the return address. */
#ifndef RUNTIME_FRAMES_H
#define RUNTIME_FRAMES_H

struct strbuf;

enum { FRAMES_MOST = 24 };

struct frames {
    const char *entry; /* name of our entry point, or NULL: the stack is one of our own threads' */
    int n;
    void *at[FRAMES_MOST]; /* return addresses, innermost first */
};

/* Of the caller. The same stack is the same pointer, and lives as long as the process. Thread safe. */
const struct frames *frames_here(void);

/* The shared library that this code is in is one of ours: its frames are left out, too. */
void frames_ours(const void *code);

/* One a line. */
void frames_text(const struct frames *f, struct strbuf *out);

#endif
