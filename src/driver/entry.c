/* Entry points by name (CUDA Driver API reference, "Driver Entry Point Access"), and for the runtime's cudaGetDriverEntryPoint.
 *
 * A name has no version, and means the newest symbol that the asked version of CUDA has: of cuMemAlloc the row
 * cuMemAlloc_v2, of 3.2. */
#include "driver/entry.h"

#include <string.h>

#include "driver/driver.h"

struct entry {
    const char *symbol, *suffix; /* suffix: "ptds" or "ptsz", of the form for the thread's own default stream; NULL: none */
    int since;
    void *function;
};

static const struct entry entries[] = {
#define CU_THERE(name, since, params) {#name, NULL, since, (void *)name},
#define CU_IN_PART(name, since, params, missing) {#name, NULL, since, (void *)name},
#define CU_NOT_THERE(name, since, params) {#name, NULL, since, (void *)name},
#include "heddle/driver_functions.def"
#define CU_SAME(name, since, as, params, args) {#name, NULL, since, (void *)name},
#define CU_OLD(name, since) {#name, NULL, since, (void *)name},
#define CU_ON_STREAM(name, suffix, params, args) {#name, #suffix, 7000, (void *)name##_##suffix},
#include "heddle/driver_symbols.def"
    {"cuGetProcAddress_v2", "ptsz", 7000, (void *)cuGetProcAddress_v2_ptsz},
};
enum { ENTRIES = sizeof entries / sizeof *entries, NEWEST = 12999 /* of CUDA: driver_functions.def */ };

/* Does the name mean this symbol, whatever its version? A name has none itself. */
static bool means(const char *symbol, const char *name)
{
    size_t n = strlen(symbol);
    if (n > 3 && symbol[n - 3] == '_' && symbol[n - 2] == 'v')
        n -= 3;
    return strlen(name) == n && !strncmp(symbol, name, n);
}

/* The form of a symbol for the thread's own default stream, or itself. */
static void *own_stream(const struct entry *e)
{
    for (int i = 0; i < ENTRIES; i++)
        if (entries[i].suffix && !strcmp(entries[i].symbol, e->symbol))
            return entries[i].function;
    return e->function;
}

/* cuGraphInstantiate of 11.4 bears another name. */
static const char *other_name(const char *name, int version)
{
    return !strcmp(name, "cuGraphInstantiate") && version >= 11040 ? "cuGraphInstantiateWithFlags" : name;
}

void *entry_find(const char *name, int version, bool thread, CUdriverProcAddressQueryResult *why)
{
    const struct entry *best = NULL;
    bool known = false;
    name = other_name(name, version);
    for (int i = 0; i < ENTRIES; i++) {
        const struct entry *e = &entries[i];
        if (e->suffix || !means(e->symbol, name))
            continue;
        known = true;
        if (e->since <= version && (!best || e->since > best->since))
            best = e;
    }
    *why = best ? CU_GET_PROC_ADDRESS_SUCCESS
                : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return !best ? NULL : thread ? own_stream(best) : best->function;
}

static CUresult get(const char *symbol, void **pfn, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *why)
{
    CUdriverProcAddressQueryResult own;
    why = why ? why : &own;
    if (!symbol || !pfn || version > NEWEST ||
        flags & ~(cuuint64_t)(CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM))
        return CUDA_ERROR_INVALID_VALUE;
    *pfn = entry_find(symbol, version, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, why);
    return CUDA_SUCCESS;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *symbolStatus)
{
    CALL;
    CUdriverProcAddressQueryResult why = CU_GET_PROC_ADDRESS_SUCCESS;
    CUresult r = get(symbol, pfn, cudaVersion, flags, &why);
    if (!r && symbolStatus)
        *symbolStatus = why;
    return driver_leave(r);
}

CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
    CALL;
    CUdriverProcAddressQueryResult why = CU_GET_PROC_ADDRESS_SUCCESS;
    CUresult r = get(symbol, pfn, cudaVersion, flags, &why);
    return driver_leave(!r && why ? CUDA_ERROR_NOT_FOUND : r);
}

CUresult cuGetProcAddress_v2_ptsz(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult *symbolStatus)
{
    if (!(flags & CU_GET_PROC_ADDRESS_LEGACY_STREAM))
        flags |= CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    return cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, symbolStatus);
}
