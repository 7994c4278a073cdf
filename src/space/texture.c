/* Texture objects (see texture.h): handles are indices into a table that only grows by pointers, so kernels read it
 * without a lock while other threads make and destroy objects. */
#include "space/texture.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "space/space.h"

/* --- handles: index + 1 into a table of pointers --- */

uint64_t texture_add(struct space *s, const struct texture *t)
{
    if (!s->textures)
        s->textures = alloc_zeroed(TEXTURES_MAX * sizeof *s->textures);
    for (uint64_t i = 0; i < TEXTURES_MAX; i++)
        if (!s->textures[i]) {
            struct texture *copy = alloc_zeroed(sizeof *copy);
            *copy = *t;
            __atomic_store_n(&s->textures[i], copy, __ATOMIC_RELEASE);
            return i + 1;
        }
    return 0;
}

const struct texture *texture_find(const struct space *s, uint64_t handle)
{
    if (!s->textures || handle - 1 >= TEXTURES_MAX)
        return NULL;
    return __atomic_load_n(&s->textures[handle - 1], __ATOMIC_ACQUIRE);
}

bool texture_remove(struct space *s, uint64_t handle)
{
    struct texture *t = (struct texture *)texture_find(s, handle);
    if (!t)
        return false;
    __atomic_store_n(&s->textures[handle - 1], NULL, __ATOMIC_RELEASE);
    alloc_release(t);
    return true;
}

void texture_release_all(struct space *s)
{
    for (uint64_t i = 0; s->textures && i < TEXTURES_MAX; i++)
        alloc_release(s->textures[i]);
    alloc_release(s->textures);
    s->textures = NULL;
}

/* --- one texel --- */

static float half_value(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 0x3ff;
    float f = exponent == 31 ? (fraction ? NAN : INFINITY)
              : exponent     ? ldexpf((float)(fraction | 0x400), exponent - 25)
                             : ldexpf((float)fraction, -24);
    return h & 0x8000 ? -f : f;
}

/* Component i as 32-bit value: sign- or zero-extended, or the bits of a float. */
static uint32_t component(const struct texture *t, const char *p)
{
    uint32_t v = 0;
    memcpy(&v, p, t->bytes);
    int unused = 32 - 8 * t->bytes;
    if (t->kind == TEXEL_SIGNED)
        return (uint32_t)((int32_t)(v << unused) >> unused);
    if (t->kind == TEXEL_FLOAT && t->bytes == 2) {
        float f = half_value((uint16_t)v);
        memcpy(&v, &f, 4);
    }
    return v;
}

/* Signed: -1 to 1, the most negative value too (programming guide, 3.2.14.1 "read mode"). */
static float fraction(const struct texture *t, uint32_t v)
{
    float most = t->kind == TEXEL_SIGNED ? (t->bytes == 1 ? 127.0f : 32767.0f) : t->bytes == 1 ? 255.0f : 65535.0f;
    float f = (t->kind == TEXEL_SIGNED ? (float)(int32_t)v : (float)v) / most;
    return f < -1 ? -1 : f;
}

static bool is_float(const struct texture *t)
{
    return t->kind == TEXEL_FLOAT || t->as_float;
}

/* The texel that index i in dimension d means, or -1: the border. */
static int64_t place(const struct texture *t, int d, int64_t i)
{
    int64_t n = t->size[d];
    switch (t->mode[d]) {
    case TEXTURE_WRAP:
        return (i % n + n) % n;
    case TEXTURE_MIRROR:
        i = (i % (2 * n) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case TEXTURE_BORDER:
        return i < 0 || i >= n ? -1 : i;
    default:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

static uint64_t address_of(const struct texture *t, const int64_t at[3])
{
    return t->address + (uint64_t)at[2] * t->slice + (uint64_t)at[1] * t->pitch +
           (uint64_t)at[0] * t->components * t->bytes;
}

uint64_t texture_place(uint64_t address, uint64_t pitch, uint64_t x, uint64_t y)
{
    uint64_t tile = y / TEXTURE_TILE_ROWS * (pitch / TEXTURE_TILE_BYTES) + x / TEXTURE_TILE_BYTES;
    uint64_t inside = (x >> 5 & 1) << 8 | (y >> 1 & 3) << 6 | (x >> 4 & 1) << 5 | (y & 1) << 4 | (x & 15);
    return address + tile * TEXTURE_TILE_BYTES * TEXTURE_TILE_ROWS + inside;
}

/* Where the models look for it. */
static uint64_t place_of(const struct texture *t, const int64_t at[3])
{
    if (!t->tiled)
        return address_of(t, at);
    return texture_place(t->address + (uint64_t)at[2] * t->slice, t->pitch, (uint64_t)at[0] * t->components * t->bytes, (uint64_t)at[1]);
}

/* The texel at places `at`; a place of -1 makes it the border. */
static void read_texel(const struct texture *t, const int64_t at[3], uint32_t out[4])
{
    bool border = at[0] < 0 || at[1] < 0 || at[2] < 0;
    const char *p = border ? NULL : space_host(address_of(t, at));
    for (int c = 0; c < 4; c++) {
        float f = 0;
        out[c] = 0;
        if (border && is_float(t))
            memcpy(&out[c], &t->border[c], 4);
        else if (border)
            out[c] = t->kind == TEXEL_SIGNED ? (uint32_t)(int32_t)t->border[c] : (uint32_t)t->border[c];
        else if (c < t->components)
            out[c] = component(t, p + c * t->bytes);
        else if (c == 3 && is_float(t))
            f = 1;
        else if (c == 3)
            out[c] = 1;
        if (!border && c < t->components && t->as_float && t->kind != TEXEL_FLOAT)
            f = fraction(t, out[c]);
        if (!border && is_float(t) && (t->kind != TEXEL_FLOAT || c >= t->components))
            memcpy(&out[c], &f, 4);
    }
}

/* --- fetches --- */

/* Index below a coordinate; far outside is all the same but for wrap and mirror, which have taken their part already. */
static int64_t below(float x)
{
    float f = floorf(x);
    return f != f ? 0 : f < -0x1p40f ? -(INT64_C(1) << 40) : f > 0x1p40f ? INT64_C(1) << 40 : (int64_t)f;
}

/* In texels. Normalized coordinates wrap before they are scaled, so large ones keep their fraction. */
static float scaled(const struct texture *t, int d, float x)
{
    if (!t->normalized)
        return x;
    if (t->mode[d] == TEXTURE_WRAP)
        x -= floorf(x);
    else if (t->mode[d] == TEXTURE_MIRROR)
        x -= 2 * floorf(x / 2);
    return x * (float)t->size[d];
}

static void nearest_texel(const struct texture *t, int dims, const float *x, int64_t at[3])
{
    at[0] = at[1] = at[2] = 0;
    for (int d = 0; d < dims; d++)
        at[d] = place(t, d, below(x[d]));
}

/* Weights of 1.8 bits: the fraction rounded to 1/256. */
static void filter(const struct texture *t, int dims, const float *x, uint32_t out[4])
{
    int64_t low[3] = {0, 0, 0};
    float weight[3] = {0, 0, 0}, sum[4] = {0, 0, 0, 0};
    for (int d = 0; d < dims; d++) {
        float y = x[d] - 0.5f, f = y - floorf(y);
        low[d] = below(y);
        weight[d] = f == f ? floorf(f * 256 + 0.5f) / 256 : 0;
    }
    for (int corner = 0; corner < 1 << dims; corner++) {
        int64_t at[3] = {0, 0, 0};
        uint32_t texel[4];
        float w = 1;
        for (int d = 0; d < dims; d++) {
            int high = corner >> d & 1;
            at[d] = place(t, d, low[d] + high);
            w *= high ? weight[d] : 1 - weight[d];
        }
        if (w == 0)
            continue;
        read_texel(t, at, texel);
        for (int c = 0; c < 4; c++) {
            float v;
            memcpy(&v, &texel[c], 4);
            sum[c] += w * v;
        }
    }
    memcpy(out, sum, sizeof sum);
}

void texture_fetch(const struct texture *t, int dims, const float *coordinate, uint32_t out[4], uint64_t *nearest)
{
    float x[3] = {0, 0, 0};
    int64_t at[3];
    for (int d = 0; d < dims; d++)
        x[d] = scaled(t, d, coordinate[d]);
    nearest_texel(t, dims, x, at);
    if (t->linear && is_float(t))
        filter(t, dims, x, out);
    else
        read_texel(t, at, out);
    for (int d = 0; d < 3; d++)
        at[d] = at[d] < 0 ? 0 : at[d];
    *nearest = place_of(t, at);
}

void texture_texel(const struct texture *t, int dims, const int32_t *coordinate, uint32_t out[4], uint64_t *nearest)
{
    int64_t at[3] = {0, 0, 0};
    bool outside = false;
    for (int d = 0; d < dims; d++) {
        at[d] = coordinate[d];
        outside |= coordinate[d] < 0 || (uint32_t)coordinate[d] >= t->size[d];
    }
    if (outside) { /* zero, whatever the address mode */
        memset(out, 0, 4 * sizeof *out);
        *nearest = t->address;
        return;
    }
    read_texel(t, at, out);
    *nearest = place_of(t, at);
}

uint64_t texture_in_line(const struct texture *t, int32_t x)
{
    return x < 0 || (uint32_t)x >= t->size[0] ? 0 : address_of(t, (int64_t[3]){x, 0, 0});
}

/* --- layers, faces, gather --- */

struct texture texture_layer(const struct texture *t, int64_t layer)
{
    struct texture one = *t;
    int64_t last = t->layers ? (int64_t)t->layers - 1 : 0;
    one.address += (uint64_t)(layer < 0 ? 0 : layer > last ? last : layer) * t->slice;
    return one;
}

/* Programming guide, table "Cubemap Fetch": the largest component chooses; m is its size, (s / m + 1) / 2 the place. */
int texture_face(const float d[3], float at[2])
{
    float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]), m, s, t;
    int face;
    if (x >= y && x >= z) {
        face = d[0] < 0;
        m = x;
        s = face ? d[2] : -d[2];
        t = -d[1];
    } else if (y >= z) {
        face = 2 + (d[1] < 0);
        m = y;
        s = d[0];
        t = face == 3 ? -d[2] : d[2];
    } else {
        face = 4 + (d[2] < 0);
        m = z;
        s = face == 5 ? -d[0] : d[0];
        t = -d[1];
    }
    at[0] = (s / m + 1) / 2;
    at[1] = (t / m + 1) / 2;
    return face;
}

void texture_gather(const struct texture *t, int c, const float *coordinate, uint32_t out[4], uint64_t *nearest)
{
    static const uint8_t corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    float x[3] = {scaled(t, 0, coordinate[0]), scaled(t, 1, coordinate[1]), 0};
    int64_t low[2] = {below(x[0] - 0.5f), below(x[1] - 0.5f)}, at[3];
    for (int i = 0; i < 4; i++) {
        uint32_t texel[4];
        at[0] = place(t, 0, low[0] + corner[i][0]);
        at[1] = place(t, 1, low[1] + corner[i][1]);
        at[2] = 0;
        read_texel(t, at, texel);
        out[i] = texel[c];
    }
    nearest_texel(t, 2, x, at);
    for (int d = 0; d < 3; d++)
        at[d] = at[d] < 0 ? 0 : at[d];
    *nearest = place_of(t, at);
}

/* --- surfaces --- */

uint64_t texture_at(const struct texture *t, const int32_t at[3], unsigned bytes, bool clamp)
{
    int64_t size[3] = {(int64_t)t->size[0] * t->components * t->bytes, t->size[1], t->size[2]}, in[3];
    for (int d = 0; d < 3; d++) {
        int64_t last = size[d] - (d ? 1 : bytes);
        if (last < 0 || ((at[d] < 0 || at[d] > last) && !clamp))
            return 0;
        in[d] = at[d] < 0 ? 0 : at[d] > last ? last : at[d];
    }
    return t->address + (uint64_t)in[2] * t->slice + (uint64_t)in[1] * t->pitch + (uint64_t)in[0];
}
