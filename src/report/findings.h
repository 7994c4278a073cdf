/* Findings of the checkers: what one place of a program does wrong, as a line of a file and as text.
 *
 * The checked process (runtime/) writes one line of JSON for every finding to the file named by HEDDLE_FINDINGS; `heddle
 * check` reads it. A line is complete. A finding is written as soon as it is there and again when its count has grown
 * much and when its launch has ended: with how often it happened and the first threads it happened to. Format: docs/check.md. Everything a finding points to is in its arena. */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/across.h"
#include "base/arena.h"
#include "report/sources.h"

struct diag_list;
struct strbuf;

#define FINDINGS_VERSION 1

/* A place in the program. */
struct finding_place {
    const char *file;       /* NULL: not known */
    int line, ptx_line;
    const char *function;   /* the kernel, or the inlined function that holds the line */
    const char *inlined_at; /* "f.cu:20 < f.cu:31", or NULL */
};

/* One time it happened. */
struct finding_case {
    uint32_t block[3], thread[3], by_thread[3]; /* by_thread: of the earlier access of a race */
    uint64_t address;
    uint64_t now, then; /* of a race: the word that is written, and what it held; also the mask of a rendezvous (now) */
};

struct finding {
    struct arena arena;
    int64_t pid, launch;    /* launch: number in its process, -1: no launch */
    int64_t id;             /* of the finding, in its launch */
    const char *process;
    const char *tool, *kind, *severity; /* "memcheck", "out-of-bounds" (check/kinds.def), "error" or "warning" */
    const char *kernel;     /* demangled, or NULL */
    struct finding_place at, by; /* by: the earlier access of a race; its line is 0 when there is none */
    const char *access;     /* "read", "write", "atomic", "copy", or NULL */
    const char *by_access;
    const char *space;      /* "global", "shared", "local", "constant", or NULL */
    int64_t bytes;          /* a thread */
    int64_t count;
    struct finding_case *cases; /* the first ones */
    int64_t ncases;
    const char *place;      /* "inside", "before", "after", "freed", or NULL: against the allocation */
    int64_t distance, near_address, near_bytes;
    const char *near_label; /* name of the variable, or NULL */
    int64_t limit;          /* bytes of shared or local memory, when that is what was left */
    bool async;
    const char *message;    /* of what the host did: the headline; NULL: it follows from the other fields */
    const char *text;       /* more, over several lines: who waits where, the error of a call */
    int64_t near_serial;    /* of the allocation: the how manyth of its device */
    /* Of the host, frames one a line, or NULL: of the launch or call; where the allocation was made, and freed. */
    const char *backtrace, *made_backtrace, *freed_backtrace;
};

struct finding *finding_new(void) ACROSS(finding_new);
void finding_free(struct finding *f) ACROSS(finding_free);

/* Writes one line and flushes. False: errno says why. */
bool finding_write(const struct finding *f, FILE *file) ACROSS(finding_write);

/* All findings of a file, in order; a later line for the same finding (process, launch, id) takes the earlier one's place.
 * A last line that was cut off is left out with a warning, anything else wrong is an error that names file and line. */
struct findings {
    struct finding **finding;
    int n;
};
bool findings_read(struct findings *fs, const char *path, struct diag_list *diags);
void findings_release(struct findings *fs);

/* Joins findings that say the same of different launches (the same mistake, launched from the same place): their counts
 * add up, and the first one stays. */
void findings_join(struct findings *fs);

/* The innermost host frame with a line, of frames as cli/host_frames.c writes them: "main in f.cu:13 [0x8d19] in program". False:
 * there is none. */
bool finding_host_place(const char *frames, struct arena *a, struct finding_place *p);

/* A verdict for each finding (report/verdicts.h). */
struct verdicts;
void findings_judge(const struct findings *fs, struct verdicts *out);

/* What is wrong, in one line. */
void finding_headline(const struct finding *f, struct strbuf *out);

/* In the form that users of compute-sanitizer know. */
struct finding_form {
    const char *prefix;      /* of every line: "=========" */
    int most;                /* cases that are told apart */
    bool inlined;            /* the calls that a place was inlined by */
    bool counted;            /* the other cases are counted */
    bool pairs;              /* of a race only which lines race, and how often */
    struct sources *sources;
};
void finding_text(const struct finding *f, const struct finding_form *form, struct strbuf *out);

#endif
