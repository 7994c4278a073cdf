/* What clang and the linker said, as diagnostics.
 *
 * The two passes over one file mostly say the same: each message is kept once. Temporary names are replaced by the
 * user's file, summaries ("1 error generated") dropped, and so are warnings inside the compiler's own headers. */
#ifndef COMPILE_MESSAGES_H
#define COMPILE_MESSAGES_H

struct arena;
struct diag_list;

/* Adds the messages of one pass. `source` is the user's file, `hidden` a temporary name that stands for it (or NULL),
 * `system` the beginning of paths whose warnings are not the user's business (or NULL). */
void messages_add_clang(struct diag_list *diags, const char *text, const char *source,
                        const char *hidden, const char *system);

/* The same of NVIDIA's compiler: "foo.cu(3): error: ...". */
void messages_add_nvcc(struct diag_list *diags, const char *text, const char *source);

/* What a compiler said that failed without a message of its own, in a sentence: why it could not write, or the text before
 * the report of its crash. */
const char *messages_fatal(struct arena *a, const char *text);

/* Adds the linker's messages; `hidden` is the directory of the temporary objects. */
void messages_add_linker(struct diag_list *diags, const char *text, const char *hidden);

#endif
