/* Device code embedded in the program: what clang's start-up code registers, and loading it at first use. */
#ifndef RUNTIME_MODULE_H
#define RUNTIME_MODULE_H

#include "runtime/runtime.h"

/* One kernel on one device. */
struct runtime_kernel {
    bool tried;
    cudaError_t error; /* why it cannot be used */
    heddle_kernel *kernel;
    heddle_kernel_info info;
    size_t max_dynamic_shared; /* bytes: cudaFuncAttributeMaxDynamicSharedMemorySize */
    int carveout;              /* percent, or -1 */
    int banks;                 /* cudaFuncSetSharedMemConfig: enum cudaSharedMemConfig */
    unsigned said;             /* why launches were refused so far, a bit a reason: each is explained once */
};

/* The kernel of a host stub (the value of `&kernel` in host code), loaded for device d. Errors:
 * cudaErrorInvalidDeviceFunction (never registered, or not in the PTX), cudaErrorInvalidPtx, cudaErrorNotSupported
 * (uses what is not implemented), cudaErrorNoKernelImageForDevice (device code of another compiler). */
cudaError_t module_kernel(struct runtime_device *d, const void *stub, struct runtime_kernel **out);

/* Device address and bytes of the variable whose host shadow is `symbol`; cudaErrorInvalidSymbol. */
cudaError_t module_variable(struct runtime_device *d, const void *symbol, uint64_t *address, size_t *bytes);

/* Is this a texture reference of the program? *fractions: it reads integers as fractions of their largest value. Its
 * variable (module_variable) holds the handle of the object that it is bound to. The same for a surface reference. */
bool module_texture(const void *reference, bool *fractions);
bool module_surface(const void *reference);

/* --- device code that is given at run time: cuModuleLoad, cuLibraryLoadData --- */

struct binary;
struct strbuf;

/* The text is copied; `name` stands in messages. It is on no device yet. */
struct binary *module_open(const char *name, const char *ptx, size_t bytes);
void module_close(struct binary *b);

/* Loads it on d if it is not there yet. What is wrong with it goes to `said`, or to stderr when that is NULL. */
cudaError_t module_load(struct binary *b, struct runtime_device *d, struct strbuf *said);

/* A kernel by name, and the i-th: *stub stands for it wherever a host stub does, and stays the same until the code is
 * closed. cudaErrorSymbolNotFound: there is none. */
cudaError_t module_function(struct binary *b, struct runtime_device *d, const char *name, const void **stub);
cudaError_t module_nth(struct binary *b, struct runtime_device *d, int i, const void **stub);

/* A variable by name; *managed: the host may use the address too. */
cudaError_t module_symbol(struct binary *b, struct runtime_device *d, const char *name, uint64_t *address, size_t *bytes,
                          bool *managed);

/* What stands for the kernel of a host stub (or of such a thing itself) as a handle, or NULL: no kernel. */
const void *module_handle(const void *stub);

/* The code that a kernel is of; NULL: no kernel, or its code is gone. */
struct binary *module_of(const void *stub);

/* cudaDeviceReset: forgets what was loaded on d, so that variables get their first values again. */
void module_reset(struct runtime_device *d);

#endif
