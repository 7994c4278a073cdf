/* What `heddle build` embeds into an executable as its device code, and what the runtime finds there at start.
 *
 * The compiler front end copies the bytes as they are, without a length, so the header says where it ends. Layout:
 * this header, then `ptx_bytes` of PTX text, then one NUL. Little endian, like everything on x86-64. */
#ifndef BASE_BLOB_H
#define BASE_BLOB_H

#include <stdint.h>

#define BLOB_MAGIC   "HEDDLEPX" /* 8 bytes, no NUL */
#define BLOB_VERSION 2

struct blob_header {
    char magic[8];
    uint32_t version;   /* BLOB_VERSION */
    uint32_t arch;      /* compute capability times 10 of the code: 90 */
    uint64_t ptx_bytes; /* without the NUL */
    uint64_t id;        /* hash of the PTX text */
    uint32_t relocatable; /* 1: made with -rdc=true, one part of its program's device code (ptx/link.h) */
    uint32_t zero;
};

_Static_assert(sizeof(struct blob_header) == 40, "layout is part of the file format");

#endif
