/* Texture and surface objects: what a handle stands for, and what a fetch returns.
 *
 * In: descriptions that the runtime adds to a device's space; the handle is what kernels pass to tex. Texels lie in
 * device memory in rows (CUDA arrays too: their layout on a GPU is not known, and no exact counter depends on it).
 * Rules: CUDA C++ programming guide 12, appendix "Texture Fetching": nearest point, linear filtering with weights of 8
 * fractional bits, address modes; 3.2.14.1 for read modes, layers, cube maps and gather; 3.2.14.2 for surfaces. */
#ifndef SPACE_TEXTURE_H
#define SPACE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

struct space;

enum texel_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

struct texture {
    uint64_t address;       /* device address of texel (0, 0, 0) */
    uint32_t size[3];       /* texels in x, y, z; 1 where there is no such dimension */
    uint64_t pitch, slice;  /* bytes from row to row, from slice to slice */
    uint8_t components;     /* 1, 2, 4 */
    uint8_t bytes;          /* of a component: 1, 2, 4 */
    uint8_t kind;           /* enum texel_kind */
    uint8_t mode[3];        /* enum texture_address */
    bool linear;            /* filter */
    bool normalized;        /* coordinates from 0 to 1 */
    bool as_float;          /* integers are read as fractions of their largest value */
    bool surface;           /* a surface object: only texture_at */
    bool cube;              /* layers are faces, six a cube map */
    uint32_t layers;        /* images one `slice` apart; 0: not layered */
    float border[4];
};

enum { TEXTURES_MAX = 1 << 16 };

/* 0: there are TEXTURES_MAX already. The description is copied. */
uint64_t texture_add(struct space *s, const struct texture *t);
/* False: no such handle. No kernel may be using it. */
bool texture_remove(struct space *s, uint64_t handle);
/* NULL: no such handle. Needs no lock. */
const struct texture *texture_find(const struct space *s, uint64_t handle);
void texture_release_all(struct space *s);

/* Fetches at floating coordinates (`dims` of them), or texel x with integer ones; out: bits of four 32-bit values, missing
 * components 0 and the fourth 1 or 0 as the type says. `*nearest` is the device address of the texel that the coordinates fall on. */
void texture_fetch(const struct texture *t, int dims, const float *at, uint32_t out[4], uint64_t *nearest);
void texture_texel(const struct texture *t, int dims, const int32_t *at, uint32_t out[4], uint64_t *nearest);

/* The same with a layer, which is clamped to those that there are. */
struct texture texture_layer(const struct texture *t, int64_t layer);
/* The face that a direction meets (0 to 5: +x -x +y -y +z -z) and where, in coordinates from 0 to 1. */
int texture_face(const float direction[3], float at[2]);
/* One component of the four texels that linear filtering would take at the place, in the order (0,1) (1,1) (1,0) (0,0). */
void texture_gather(const struct texture *t, int component, const float *at, uint32_t out[4], uint64_t *nearest);

/* The device address of `bytes` at (x in bytes, y, z) of a surface or a layer of one, with each coordinate clamped if
 * `clamp`; 0: outside. */
uint64_t texture_at(const struct texture *t, const int32_t at[3], unsigned bytes, bool clamp);

#endif
