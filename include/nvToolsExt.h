/* NVTX: names for ranges of a program's time. Ranges are handed to the CUDA runtime, whose profilers see them; marks, names of
 * categories and threads, domains, resources and payloads are accepted and forgotten. Without the runtime every function answers as NVTX does when no tool
 * is attached (NVTX 3 documentation, "Tools"): range ids are 0, push and pop are not tracked. */
#ifndef NVTOOLSEXT_H_
#define NVTOOLSEXT_H_

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_NO_PUSH_POP_TRACKING (-2)
#define NVTX_SUCCESS 0
#define NVTX_FAIL 1

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st nvtxDomainRegistration;
typedef nvtxDomainRegistration *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st nvtxStringRegistration; /* the string itself */
typedef nvtxStringRegistration *nvtxStringHandle_t;
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef nvtxEventAttributes_v2 nvtxEventAttributes_t;

#define NVTX_RESOURCE_CLASS_GENERIC 1
#define NVTX_RESOURCE_MAKE_TYPE(CLASS, INDEX) ((uint32_t)NVTX_RESOURCE_CLASS_##CLASS << 16 | (uint32_t)(INDEX))
typedef enum nvtxResourceGenericType_t {
    NVTX_RESOURCE_TYPE_UNKNOWN = 0,
    NVTX_RESOURCE_TYPE_GENERIC_POINTER = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 1),
    NVTX_RESOURCE_TYPE_GENERIC_HANDLE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 2),
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 3),
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 4)
} nvtxResourceGenericType_t;
typedef struct nvtxResourceAttributes_v0 {
    uint16_t version, size;
    int32_t identifierType;
    union identifier_t {
        const void *pValue;
        uint64_t ullValue;
    } identifier;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxResourceAttributes_v0;
typedef nvtxResourceAttributes_v0 nvtxResourceAttributes_t;

#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxResourceAttributes_t))
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#ifndef HEDDLE_NVTX /* src/runtime/nvtx.c */
#define HEDDLE_NVTX static inline __attribute__((unused))
#endif

/* libheddle-cudart's (src/runtime/range.c). A program that is linked without it has none. */
#ifdef __cplusplus
extern "C" {
#endif
extern int heddle_nvtx_push(const char *name) __attribute__((weak));
extern int heddle_nvtx_pop(void) __attribute__((weak));
extern uint64_t heddle_nvtx_start(const char *name) __attribute__((weak));
extern void heddle_nvtx_end(uint64_t id) __attribute__((weak));
#ifdef __cplusplus
}
#endif
static inline __attribute__((unused)) int heddle_nvtx_pushed(const char *s) { return heddle_nvtx_push ? heddle_nvtx_push(s) : NVTX_NO_PUSH_POP_TRACKING; }
static inline __attribute__((unused)) const char *heddle_nvtx_message(const nvtxEventAttributes_t *a)
{
    if (a && a->messageType == NVTX_MESSAGE_TYPE_REGISTERED && a->message.registered)
        return (const char *)a->message.registered;
    return a && a->messageType == NVTX_MESSAGE_TYPE_ASCII ? a->message.ascii : "";
}

HEDDLE_NVTX void nvtxInitialize(const void *reserved) { (void)reserved; }
HEDDLE_NVTX void nvtxMarkEx(const nvtxEventAttributes_t *a) { (void)a; }
HEDDLE_NVTX void nvtxMarkA(const char *s) { (void)s; }
HEDDLE_NVTX void nvtxMarkW(const wchar_t *s) { (void)s; }
HEDDLE_NVTX nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *a) { return heddle_nvtx_start ? heddle_nvtx_start(heddle_nvtx_message(a)) : 0; }
HEDDLE_NVTX nvtxRangeId_t nvtxRangeStartA(const char *s) { return heddle_nvtx_start ? heddle_nvtx_start(s) : 0; }
HEDDLE_NVTX nvtxRangeId_t nvtxRangeStartW(const wchar_t *s) { (void)s; return 0; }
HEDDLE_NVTX void nvtxRangeEnd(nvtxRangeId_t id)
{
    if (heddle_nvtx_end)
        heddle_nvtx_end(id);
}
HEDDLE_NVTX int nvtxRangePushEx(const nvtxEventAttributes_t *a) { return heddle_nvtx_pushed(heddle_nvtx_message(a)); }
HEDDLE_NVTX int nvtxRangePushA(const char *s) { return heddle_nvtx_pushed(s); }
HEDDLE_NVTX int nvtxRangePushW(const wchar_t *s) { (void)s; return heddle_nvtx_pushed(""); }
HEDDLE_NVTX int nvtxRangePop(void) { return heddle_nvtx_pop ? heddle_nvtx_pop() : NVTX_NO_PUSH_POP_TRACKING; }
HEDDLE_NVTX void nvtxNameCategoryA(uint32_t category, const char *s) { (void)category, (void)s; }
HEDDLE_NVTX void nvtxNameCategoryW(uint32_t category, const wchar_t *s) { (void)category, (void)s; }
HEDDLE_NVTX void nvtxNameOsThreadW(uint32_t thread, const wchar_t *s) { (void)thread, (void)s; }
HEDDLE_NVTX void nvtxNameOsThreadA(uint32_t thread, const char *s) { (void)thread, (void)s; }
HEDDLE_NVTX nvtxDomainHandle_t nvtxDomainCreateA(const char *s) { (void)s; return NULL; }
HEDDLE_NVTX void nvtxDomainDestroy(nvtxDomainHandle_t d) { (void)d; }
HEDDLE_NVTX nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *s) { (void)s; return NULL; }
/* a copy, which lives as long as the program (NVTX: as long as the domain, of which there is one) */
HEDDLE_NVTX nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t d, const char *s)
{
    const size_t size = s ? strlen(s) + 1 : 0;
    char *copy = s && heddle_nvtx_push ? (char *)malloc(size) : NULL;
    (void)d;
    return (nvtxStringHandle_t)(copy ? memcpy(copy, s, size) : NULL);
}
HEDDLE_NVTX nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t d, const wchar_t *s) { (void)d, (void)s; return NULL; }
HEDDLE_NVTX nvtxResourceHandle_t nvtxDomainResourceCreate(nvtxDomainHandle_t d, nvtxResourceAttributes_t *a) { (void)d, (void)a; return NULL; }
HEDDLE_NVTX void nvtxDomainResourceDestroy(nvtxResourceHandle_t r) { (void)r; }
HEDDLE_NVTX void nvtxDomainNameCategoryW(nvtxDomainHandle_t d, uint32_t c, const wchar_t *s) { (void)d, (void)c, (void)s; }
HEDDLE_NVTX void nvtxDomainNameCategoryA(nvtxDomainHandle_t d, uint32_t c, const char *s) { (void)d, (void)c, (void)s; }
HEDDLE_NVTX void nvtxDomainMarkEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t *a) { (void)d, (void)a; }
HEDDLE_NVTX nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t *a)
{
    (void)d;
    return nvtxRangeStartEx(a);
}
HEDDLE_NVTX void nvtxDomainRangeEnd(nvtxDomainHandle_t d, nvtxRangeId_t id)
{
    (void)d;
    nvtxRangeEnd(id);
}
HEDDLE_NVTX int nvtxDomainRangePushEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t *a)
{
    (void)d;
    return nvtxRangePushEx(a);
}
HEDDLE_NVTX int nvtxDomainRangePop(nvtxDomainHandle_t d)
{
    (void)d;
    return nvtxRangePop();
}

/* the names without a letter are those of the build's character set */
#ifdef UNICODE
#define nvtxMark nvtxMarkW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxRangePush nvtxRangePushW
#define nvtxNameCategory nvtxNameCategoryW
#define nvtxNameOsThread nvtxNameOsThreadW
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#define nvtxDomainNameCategory nvtxDomainNameCategoryW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#endif

#endif
