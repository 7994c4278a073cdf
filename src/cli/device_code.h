/* The device code of a file that a command looks at without running it, and which of its kernels are meant.
 *
 * FILE is a .cu file, whose device pass is run, or a .ptx file. Nothing is launched, so variables have no addresses yet. */
#ifndef CLI_DEVICE_CODE_H
#define CLI_DEVICE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"
#include "report/names.h"

struct compile_options;
struct diag_list;

/* The module, made for compile->arch; release with ptx_free. NULL: errors in `diags`, or -dryrun. */
struct ptx_module *device_code_read(struct compile_options *compile, const char *file, struct diag_list *diags);

/* A kernel that the module has, not only names. */
static inline bool device_code_is_kernel(const struct ptx_function *f)
{
    return f->entry && f->defined;
}

/* Does -k mean this function? By its plain or mangled name. */
bool device_code_is_meant(const struct name_filter *filter, const struct ptx_function *f, struct arena *a);

/* The error when it means none of the module's kernels: names those that there are. */
void device_code_no_kernel(const struct ptx_module *m, const char *file, const char *wanted, struct diag_list *diags);

/* A block as a flag's value: "16", "16x16", "8x8x4", of at most `most` threads. False: it is none. */
bool device_code_block(const char *value, unsigned most, uint32_t block[3]);

/* The block that a kernel is made for: what it says itself, else 256 threads. */
void device_code_choose_block(const struct ptx_function *f, uint32_t block[3]);

#endif
