/* Device code that a program gives, and the options that it gives along (see image.h). */
#include "driver/image.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/blob.h"
#include "base/strbuf.h"
#include "device/device.h"

#define WRAPPER_MAGIC   0x466243b1 /* of clang's and nvcc's host code, section .nvFatBinSegment */
#define FATBINARY_MAGIC 0xba55ed50 /* nvcc's fat binary (LLVM, clang/tools/clang-linker-wrapper: its header) */

#define NEWEST_PTX 90 /* 9.0: of CUDA 13.0, whose driver is the newest that was compared with */

struct wrapper {
    uint32_t magic, version;
    const void *data;
    void *unused;
};

static CUresult foreign(const char *what)
{
    static int said;
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        runtime_say("%s cannot be loaded: Heddle takes PTX text, and images that 'heddle build' made", what);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* A whole header of the machine that NVIDIA's GPUs are (ELF's e_machine 190, EM_CUDA). */
static bool is_cubin(const void *image)
{
    Elf64_Ehdr h;
    memcpy(&h, image, offsetof(Elf64_Ehdr, e_entry));
    return h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_machine == 190;
}

/* PTX begins with its version, behind comments and spaces (PTX ISA, 11.1). */
static bool is_ptx(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (!strncmp(text, "//", 2))
            text += strcspn(text, "\n");
        else if (!strncmp(text, "/*", 2) && strstr(text, "*/"))
            text = strstr(text, "*/") + 2;
        else
            return !strncmp(text, ".version", 8);
    }
}

CUresult image_check(const struct image *i, const struct runtime_device *d)
{
    int major = 0, minor = 0, arch = 0;
    const char *version = strstr(i->ptx, ".version"), *target = strstr(i->ptx, ".target");
    if (version && sscanf(version, ".version %d.%d", &major, &minor) == 2 && major * 10 + minor > NEWEST_PTX)
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    if (target && sscanf(target, ".target sm_%d", &arch) == 1 && arch > d->spec->cc_major * 10 + d->spec->cc_minor)
        return CUDA_ERROR_INVALID_PTX;
    return CUDA_SUCCESS;
}

CUresult image_open(const void *image, size_t bytes, struct image *out)
{
    const struct blob_header *blob = image;
    const struct wrapper *wrapper = image;
    uint32_t magic;
    size_t text = bytes ? strnlen(image, bytes) : strlen(image);
    if (text < sizeof magic)
        return CUDA_ERROR_INVALID_IMAGE;
    memcpy(&magic, image, sizeof magic);
    if (magic == WRAPPER_MAGIC)
        return image_open(wrapper->data, 0, out);
    if (!memcmp(image, BLOB_MAGIC, sizeof blob->magic)) {
        if (blob->version != BLOB_VERSION || (bytes && bytes < sizeof *blob + blob->ptx_bytes))
            return CUDA_ERROR_INVALID_IMAGE;
        *out = (struct image){(const char *)(blob + 1), blob->ptx_bytes};
        return CUDA_SUCCESS;
    }
    if (magic == FATBINARY_MAGIC)
        return foreign("a fat binary of another compiler");
    if (!memcmp(image, "\177ELF", sizeof magic))
        return is_cubin(image) ? foreign("a GPU's machine code (cubin)") : CUDA_ERROR_INVALID_IMAGE;
    *out = (struct image){image, text};
    return is_ptx(image) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

CUresult image_read(const char *path, char **text, size_t *bytes)
{
    FILE *f = path ? fopen(path, "rb") : NULL;
    size_t cap = 1 << 16, n = 0;
    if (!f)
        return path ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
    char *s = alloc_zeroed(cap + 1);
    for (size_t got; (got = fread(s + n, 1, cap - n, f)) > 0;) {
        n += got;
        if (n == cap) {
            cap *= 2;
            s = alloc_resize(s, cap + 1);
        }
    }
    bool failed = ferror(f);
    fclose(f);
    if (failed) {
        alloc_release(s);
        return CUDA_ERROR_FILE_NOT_FOUND;
    }
    s[n] = 0;
    *text = s;
    *bytes = n;
    return CUDA_SUCCESS;
}

/* Values of options are pointers, or numbers in a pointer's place; sizes are told back in the same place. */
CUresult jit_read(struct jit *j, unsigned n, const CUjit_option *options, void **values)
{
    memset(j, 0, sizeof *j);
    if (n && (!options || !values))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < n; i++) {
        switch (options[i]) {
        case CU_JIT_INFO_LOG_BUFFER:
            j->info = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            j->info_bytes = (size_t)(uintptr_t)values[i] & UINT32_MAX;
            j->info_used = &values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER:
            j->error = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            j->error_bytes = (size_t)(uintptr_t)values[i] & UINT32_MAX;
            j->error_used = &values[i];
            break;
        case CU_JIT_WALL_TIME:
            j->wall_time = &values[i];
            break;
        case CU_JIT_LOG_VERBOSE:
            j->verbose = values[i] != NULL;
            break;
        default: /* how to compile, for which GPU: the PTX is run as it is */
            if ((unsigned)options[i] >= CU_JIT_NUM_OPTIONS)
                return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

static size_t put(char *log, size_t bytes, const char *text)
{
    if (!log || !bytes)
        return 0;
    int n = snprintf(log, bytes, "%s", text);
    return n < 0 ? 0 : (size_t)n < bytes ? (size_t)n : bytes - 1;
}

void jit_finish(struct jit *j, const char *errors)
{
    bool logged = j->error && j->error_bytes;
    size_t used = put(j->error, j->error_bytes, errors ? errors : "");
    put(j->info, j->info_bytes, "");
    if (errors && *errors && !logged)
        runtime_say("%s", errors);
    if (j->info_used)
        *j->info_used = NULL;
    if (j->error_used)
        *j->error_used = (void *)(uintptr_t)used;
    if (j->wall_time) {
        float ms = 0;
        memcpy(j->wall_time, &ms, sizeof ms);
    }
}
