/* Texture and surface objects: what a handle stands for, and what a fetch returns.
 *
 * In: descriptions that the runtime adds to a device's space; the handle is what kernels pass to tex. Texels lie in
 * device memory in rows, those of CUDA arrays too; a GPU has these in tiles, and where a texel would be then is what
 * fetches tell the models of the caches (`tiled`, texture_place).
 * Rules: CUDA C++ programming guide 12, appendix "Texture Fetching": nearest point, linear filtering with weights of 8
 * fractional bits, address modes; 3.2.14.1 for read modes, layers, cube maps and gather; 3.2.14.2 for surfaces. */
#ifndef SPACE_TEXTURE_H
#define SPACE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/across.h"

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
    bool open;              /* linear memory, which may end before the texture does: whoever fetches looks at each texel first */
    bool cube;              /* layers are faces, six a cube map */
    bool tiled;             /* on a GPU in tiles: pitch is a multiple of 64 bytes, slices of 8 rows */
    uint32_t layers;        /* images one `slice` apart; 0: not layered */
    float border[4];
};

enum { TEXTURES_MAX = 1 << 16 };

/* 0: there are TEXTURES_MAX already. The description is copied. */
uint64_t texture_add(struct space *s, const struct texture *t) ACROSS(texture_add);
/* False: no such handle. No kernel may be using it. */
bool texture_remove(struct space *s, uint64_t handle) ACROSS(texture_remove);
/* NULL: no such handle. Needs no lock. */
const struct texture *texture_find(const struct space *s, uint64_t handle);
void texture_release_all(struct space *s);

/* Fetches at floating coordinates (`dims` of them), or texel x with integer ones; out: bits of four 32-bit values, missing
 * components 0 and the fourth 1 or 0 as the type says. `*nearest` is the device address of the texel that the coordinates fall on,
 * where a GPU has it (texture_place). */
void texture_fetch(const struct texture *t, int dims, const float *at, uint32_t out[4], uint64_t *nearest);
void texture_texel(const struct texture *t, int dims, const int32_t *at, uint32_t out[4], uint64_t *nearest);

/* The device address of texel x of linear memory; 0: outside of the texture. */
uint64_t texture_in_line(const struct texture *t, int32_t x);

enum { TEXTURE_TILE_BYTES = 64, TEXTURE_TILE_ROWS = 8 };

/* The device address that byte x of row y of an image at `address` has on a GPU that keeps it in tiles ("block linear"): tiles of
 * 64 bytes x 8 rows, one after the other, and inside of one 16 bytes x 2 rows make a sector of 32 bytes (NVIDIA Tegra X1 TRM,
 * "block linear", and GENERIC_16BX2; envytools, "G80 surface formats"). Measured on an H200
 * (texture2d, 2026-11-20): 1, 2 and 2.5 sectors for 4 neighbouring lanes in a row, a column and a diagonal of 4-byte texels,
 * which no other shape gives. How tiles are stacked is the driver's choice: here row by row of the image. */
uint64_t texture_place(uint64_t address, uint64_t pitch, uint64_t x, uint64_t y);

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
