/* NVRTC: CUDA C++ compiled while a program runs. libnvrtc.so.12 implements it over Heddle's own compiling (docs/nvrtc.md).
 *
 * Names, values and signatures: NVRTC documentation (CUDA 12). heddle/nvrtc_functions.def lists the functions with their state. */
#ifndef __NVRTC_H__
#define __NVRTC_H__

#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum {
#define NVRTC_ROW(name, value) name = value,
#include "heddle/nvrtc_results.def"
#undef NVRTC_ROW
} nvrtcResult;

typedef struct _nvrtcProgram *nvrtcProgram;

const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcGetNumSupportedArchs(int *numArchs);
nvrtcResult nvrtcGetSupportedArchs(int *supportedArchs);
nvrtcResult nvrtcVersion(int *major, int *minor);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char *name_expression);
nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char *const *options);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int numHeaders,
                               const char *const *headers, const char *const *includeNames);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char *cubin);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t *cubinSizeRet);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char *const name_expression,
                                const char **lowered_name);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram prog, size_t *LTOIRSizeRet);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram prog, size_t *optixirSizeRet);
nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet);

#define NVRTC_NOT_THERE(name, params) nvrtcResult name params;
#include "heddle/nvrtc_functions.def"

#pragma GCC visibility pop
#ifdef __cplusplus
}

#if defined(NVRTC_GET_TYPE_NAME) && NVRTC_GET_TYPE_NAME
#include <cxxabi.h>
#include <string>
#include <typeinfo>

/* A type as C++ writes it, for name expressions. The second form keeps references and const. */
inline nvrtcResult nvrtcGetTypeName(const std::type_info &tinfo, std::string *result)
{
    int status = 0;
    char *text = result ? abi::__cxa_demangle(tinfo.name(), nullptr, nullptr, &status) : nullptr;
    if (!text)
        return !result ? NVRTC_ERROR_INVALID_INPUT : status == -1 ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_ERROR_INTERNAL_ERROR;
    *result = text;
    free(text);
    return NVRTC_SUCCESS;
}

namespace heddle {
template <typename T> struct type_holder {};
}

template <typename T> nvrtcResult nvrtcGetTypeName(std::string *result)
{
    nvrtcResult r = nvrtcGetTypeName(typeid(heddle::type_holder<T>), result);
    if (r == NVRTC_SUCCESS) { /* what stands between the brackets of heddle::type_holder<...> */
        size_t begin = result->find('<') + 1;
        *result = result->substr(begin, result->rfind('>') - begin);
    }
    return r;
}
#endif
#endif

#endif
