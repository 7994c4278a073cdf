/* Linking at run time (CUDA Driver API reference, "Module Management", cuLink...): texts of PTX and images that Heddle made
 * are joined as those of a program are (ptx/link.h), those in object files and libraries, too. What comes out is an image of ours, which lives as long as the state. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "base/alloc.h"
#include "base/blob.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "driver/image.h"
#include "ptx/link.h"
#include "runtime/pool.h"

struct link_state {
    bool alive; /* first: pool.h */
    struct jit jit;
    struct ptx_unit *units; /* copies of the texts */
    int n, cap;
    struct blob_header *result;
};

static struct pool states = {.size = (sizeof(struct link_state) + 15) / 16 * 16}; /* guarded by runtime_lock */

static struct link_state *state_at(CUlinkState handle)
{
    pthread_mutex_lock(&runtime_lock);
    bool live = pool_holds(&states, handle);
    pthread_mutex_unlock(&runtime_lock);
    return live ? (struct link_state *)handle : NULL;
}

#define STATE(s, handle)                                                                                               \
    struct link_state *s = state_at(handle);                                                                           \
    if (!s)                                                                                                            \
    return driver_leave(CUDA_ERROR_INVALID_HANDLE)

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues, CUlinkState *stateOut)
{
    CONTEXT(c, d);
    struct jit j;
    CUresult r = jit_read(&j, numOptions, options, optionValues);
    if (r)
        return driver_leave(r);
    REQUIRE(stateOut);
    pthread_mutex_lock(&runtime_lock);
    struct link_state *s = pool_take(&states);
    s->jit = j;
    pthread_mutex_unlock(&runtime_lock);
    *stateOut = (CUlinkState)s;
    return CUDA_SUCCESS;
}

static void add_unit(struct link_state *s, const struct image *i)
{
    ALLOC_GROW(s->units, s->n, s->cap);
    s->units[s->n++] = (struct ptx_unit){alloc_strndup(i->ptx, i->bytes), i->bytes};
}

/* An object file or an archive of them: the device code of each. An archive may have none (libcudadevrt.a). */
static CUresult add_objects(struct link_state *s, const char *data, size_t size, bool archive)
{
    struct image i;
    int found = 0;
    for (const char *at = data, *end = data + size; (at = memmem(at, (size_t)(end - at), BLOB_MAGIC, strlen(BLOB_MAGIC))); at++) {
        if (image_open(at, (size_t)(end - at), &i))
            continue;
        add_unit(s, &i);
        found++;
    }
    return found || archive ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

static CUresult add(struct link_state *s, const void *data, size_t size, CUjitInputType type)
{
    static const char library[] = "!<arch>\n", object[] = "\177ELF\002\001";
    struct image i;
    if ((unsigned)type >= CU_JIT_NUM_INPUT_TYPES || !data)
        return CUDA_ERROR_INVALID_VALUE;
    if (type == CU_JIT_INPUT_NVVM)
        return driver_not_supported("cuLinkAddData with NVVM's intermediate code");
    bool archive = type == CU_JIT_INPUT_LIBRARY && size >= 8 && !memcmp(data, library, 8);
    if (archive || (type == CU_JIT_INPUT_OBJECT && size >= 6 && !memcmp(data, object, 6)))
        return add_objects(s, data, size, archive);
    CUresult r = image_open(data, size, &i);
    if (!r)
        add_unit(s, &i);
    return r;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                          unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    CONTEXT(c, d);
    STATE(s, state);
    (void)name, (void)options, (void)optionValues, (void)numOptions; /* options of one input say how to compile it */
    return driver_leave(add(s, data, size, type));
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions,
                          CUjit_option *options, void **optionValues)
{
    CONTEXT(c, d);
    STATE(s, state);
    char *text;
    size_t bytes;
    (void)options, (void)optionValues, (void)numOptions;
    CUresult r = image_read(path, &text, &bytes);
    if (r)
        return driver_leave(r);
    r = add(s, text, bytes, type);
    alloc_release(text);
    return driver_leave(r);
}

CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    CONTEXT(c, d);
    STATE(s, state);
    struct strbuf joined;
    REQUIRE(cubinOut);
    strbuf_init(&joined);
    if (!s->n)
        strbuf_adds(&joined, ".version 7.0\n.target sm_50\n.address_size 64\n");
    else if (s->n > 1)
        ptx_link(s->units, s->n, &joined);
    else
        strbuf_add(&joined, s->units[0].text, s->units[0].len);
    alloc_release(s->result);
    s->result = alloc_zeroed(sizeof *s->result + joined.len + 1);
    *s->result = (struct blob_header){.version = BLOB_VERSION, .ptx_bytes = joined.len,
                                      .id = hash_bytes(HASH_START, joined.s, joined.len)};
    memcpy(s->result->magic, BLOB_MAGIC, sizeof s->result->magic);
    memcpy(s->result + 1, joined.s, joined.len);
    *cubinOut = s->result;
    if (sizeOut)
        *sizeOut = sizeof *s->result + joined.len + 1;
    strbuf_release(&joined);
    jit_finish(&s->jit, NULL);
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    CONTEXT(c, d);
    STATE(s, state);
    for (int i = 0; i < s->n; i++)
        alloc_release((void *)(uintptr_t)s->units[i].text);
    alloc_release(s->units);
    alloc_release(s->result);
    pthread_mutex_lock(&runtime_lock);
    pool_give(&states, s);
    pthread_mutex_unlock(&runtime_lock);
    return CUDA_SUCCESS;
}
