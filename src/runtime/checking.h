/* Checked runs: what the checkers find goes to the file that HEDDLE_FINDINGS names.
 *
 * HEDDLE_CHECK says what is looked for: words separated by commas, tools (check/check.h) and settings
 * (checking_words.def). Kernels' findings come from the engine (checking.c); what the host does wrong is found here
 * (checking_host.c): calls that answer errors, leaks, copies of bytes that nobody has written, unused memory. */
#ifndef RUNTIME_CHECKING_H
#define RUNTIME_CHECKING_H

#include <stdbool.h>

#include "runtime/runtime.h"

struct arena;
struct command;
struct finding;
struct frames;
struct library_operand;
struct library_stray;

enum checking_api { CHECKING_API_NO, CHECKING_API_EXPLICIT, CHECKING_API_ALL };

struct checking_settings {
    unsigned tools; /* bits of enum check_tool; 0: nothing is checked */
    bool leaks, unused, backtraces;
    enum checking_api api;
    bool go_on;          /* a launch with bad accesses answers no error */
    uint64_t padding;    /* bytes behind every allocation */
    int64_t skip, count; /* of the launches of the kernels that are meant; count 0: all */
};

/* Read once. A word that is none is told once on stderr. */
const struct checking_settings *checking_settings(void);

/* True when anything is checked. */
bool runtime_checking(void);

/* Makes the device's launches checked ones. Called when a device is opened. */
void checking_device(struct runtime_device *d, heddle_device *engine);

/* The launch that runs next, of this kernel, the newest allocation when it was made (engine_check_next), and where it
 * was made (NULL: not known). HEDDLE_CHECK_KERNELS (a rule a line, "+" or "-" before it: report/names.h) and the settings
 * say whether it is checked. */
void checking_launch(heddle_kernel *k, int64_t id, uint64_t newest, const struct frames *frames);

/* What comes now belongs to this launch again: it has waited for a child. */
void checking_resume(int64_t id);

/* The process ends, or the device is reset (which frees what is left): leaks, and memory that was never written. */
void checking_end(struct runtime_device *d, bool reset);

/* --- what the two files share --- */

/* Writes a finding down. It stays the caller's. */
void checking_write(struct finding *f);

/* Frames in the finding's words; NULL when backtraces are not wanted. */
const char *checking_backtrace(struct arena *a, const struct frames *f);

/* Where the allocation with this serial was made and freed, as far as it is known. */
void checking_allocation(struct finding *f);

/* --- checking_host.c --- */

void checking_watch(struct runtime_device *d);

/* An entry point answers an error, of the runtime interface or the driver's. What checking_why was told on this thread since the last answer explains it. */
void checking_call(int error, const char *name, const char *text);
void checking_why(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A copy is about to run. */
void checking_copy(const struct command *c);

/* An operand of a library's call (a command that runs now) leaves its allocation: `text` says how. */
void checking_operand_lies(const struct command *c, const struct library_operand *o, const struct library_stray *s, const char *text);

/* What an operand reads, before it is read. */
void checking_operand_read(const struct command *c, const struct library_operand *o);

/* Everything that is counted is written once more, with its last count. */
void checking_flush(void);

#endif
