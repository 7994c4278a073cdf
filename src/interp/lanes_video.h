/* Video instructions: arithmetic on bytes and half-words of 32-bit words. Part of lanes_expand.h.
 *
 * In: the parts that opcode and operands name (struct ptx_mods). One word: a part of a and of b, extended by their types,
 * an operation, .sat to the size of the part that is written, then either a second operation with c or a merge into c.
 * Pairs and quadruples: the same for each element, elements taken from the two words b:a, results kept under a mask, the
 * others from c, or all kept ones added to c. Source: PTX ISA 8.4, 9.7.16, whose texts are followed to the letter; wide
 * intermediates are 128 bits here, where the text says 33, 34 or 128. */

INLINE bool video_signed(const struct ptx_mods *m, int i)
{
    return m->type[i] == PTX_S32;
}

/* `bits` of x from bit `at`, extended */
INLINE int128 video_part(uint64_t x, int at, int bits, bool is_signed)
{
    const uint64_t top = x << (64 - bits - at);
    return is_signed ? (int128)((int64_t)top >> (64 - bits)) : (int128)(top >> (64 - bits));
}

INLINE int video_bits(uint32_t part)
{
    return part == PTX_PART_ALL ? 32 : part >= PTX_PART_H0 ? 16 : 8;
}

INLINE int video_at(uint32_t part)
{
    return part == PTX_PART_ALL ? 0 : part >= PTX_PART_H0 ? 16 * (int)(part - PTX_PART_H0) : 8 * (int)(part - PTX_PART_B0);
}

INLINE int128 video_clamp(int128 x, int bits, bool is_signed)
{
    const int128 low = is_signed ? -((int128)1 << (bits - 1)) : 0;
    const int128 high = ((int128)1 << (is_signed ? bits - 1 : bits)) - 1;
    return x < low ? low : x > high ? high : x;
}

INLINE int128 video_compare(int cmp, int128 a, int128 b)
{
    switch (cmp) {
    case PTX_EQ: return a == b;
    case PTX_NE: return a != b;
    case PTX_LT: return a < b;
    case PTX_LE: return a <= b;
    case PTX_GT: return a > b;
    default: return a >= b;
    }
}

INLINE int128 video_operation(int op, const struct ptx_mods *m, int128 a, int128 b)
{
    switch (op) {
    case PTX_OP_VADD: case PTX_OP_VADD2: case PTX_OP_VADD4:
        return a + b;
    case PTX_OP_VSUB: case PTX_OP_VSUB2: case PTX_OP_VSUB4:
        return a - b;
    case PTX_OP_VABSDIFF: case PTX_OP_VABSDIFF2: case PTX_OP_VABSDIFF4:
        return a < b ? b - a : a - b;
    case PTX_OP_VMIN: case PTX_OP_VMIN2: case PTX_OP_VMIN4:
        return a < b ? a : b;
    case PTX_OP_VMAX: case PTX_OP_VMAX2: case PTX_OP_VMAX4:
        return a > b ? a : b;
    case PTX_OP_VAVRG2: case PTX_OP_VAVRG4: /* halves away from zero */
        return (a + b + (a + b >= 0)) >> 1;
    case PTX_OP_VSHL: case PTX_OP_VSHR: {
        const int n = m->variant == PTX_SHF_WRAP ? (int)(b & 31) : b > 32 ? 32 : (int)b;
        return op == PTX_OP_VSHR ? a >> n : (int128)((uint128)a << n);
    }
    default: /* vset */
        return video_compare(m->cmp, a, b);
    }
}

INLINE uint32_t video_mad(const struct ptx_mods *m, int128 a, int128 b, uint32_t c)
{
    const bool product = (m->minus ^ m->minus >> 1) & 1, addend = m->minus >> 2 & 1;
    const bool is_signed = video_signed(m, 1) || video_signed(m, 2) || product || addend;
    uint128 r = (uint128)a * (uint128)b, wide = is_signed ? (uint128)(int128)(int32_t)c : c;
    r = (product ? 0 - r : r) + (addend ? 0 - wide : wide) + m->plus_one;
    int128 scaled = (int128)r >> m->scale;
    return (uint32_t)(m->sat ? video_clamp(scaled, 32, is_signed) : scaled);
}

INLINE uint32_t video_word(int op, const struct ptx_mods *m, uint32_t va, uint32_t vb, uint32_t vc)
{
    const bool set = op == PTX_OP_VSET, is_signed = !set && video_signed(m, 0);
    const uint32_t *part = m->part;
    const int128 a = video_part(va, video_at(part[1]), video_bits(part[1]), video_signed(m, set ? 0 : 1));
    const int128 b = video_part(vb, video_at(part[2]), video_bits(part[2]), video_signed(m, set ? 1 : 2));
    if (op == PTX_OP_VMAD)
        return video_mad(m, a, b, vc);
    int128 r = video_operation(op, m, a, b), c = is_signed ? (int128)(int32_t)vc : (int128)vc;
    r = m->sat ? video_clamp(r, video_bits(part[0]), is_signed) : r;
    switch (m->atomic) {
    case PTX_ATOMIC_ADD: return (uint32_t)(r + c);
    case PTX_ATOMIC_MIN: return (uint32_t)(r < c ? r : c);
    case PTX_ATOMIC_MAX: return (uint32_t)(r > c ? r : c);
    }
    if (part[0] == PTX_PART_ALL)
        return (uint32_t)r;
    const uint32_t field = (uint32_t)((UINT64_C(1) << video_bits(part[0])) - 1) << video_at(part[0]);
    return ((uint32_t)r << video_at(part[0]) & field) | (vc & ~field);
}

INLINE uint32_t video_elements(int op, const struct ptx_mods *m, uint32_t va, uint32_t vb, uint32_t vc, int parts)
{
    const bool set = op == PTX_OP_VSET2 || op == PTX_OP_VSET4, is_signed = !set && video_signed(m, 0);
    const uint64_t words = (uint64_t)vb << 32 | va;
    const int bits = 32 / parts, first = set ? 0 : 1;
    const uint32_t low = (uint32_t)((UINT64_C(1) << bits) - 1), all = parts == 2 ? 3 : 7;
    uint32_t d = m->atomic ? vc : 0;
    for (int k = 0; k < parts; k++) {
        const int from_a = (int)(m->part[1] >> 4 * k & all), from_b = (int)(m->part[2] >> 4 * k & all);
        int128 r = video_operation(op, m, video_part(words, bits * from_a, bits, video_signed(m, first)),
                                   video_part(words, bits * from_b, bits, video_signed(m, first + 1)));
        const bool kept = m->part[0] >> k & 1;
        r = m->sat ? video_clamp(r, bits, is_signed) : r;
        if (m->atomic)
            d += kept ? (uint32_t)r : 0;
        else
            d |= kept ? ((uint32_t)r & low) << bits * k : vc & low << bits * k;
    }
    return d;
}

static __attribute__((noinline)) void VIDEO_any(LANES_ARGS)
{
    INTO(uint32_t);
    const uint32_t *pa = va, *pb = vb, *pc = vc;
    const int parts = in->op >= PTX_OP_VADD4 ? 4 : in->op >= PTX_OP_VADD2 ? 2 : 1;
    for (int i = 0; i < 32; i++)
        o[i] = parts == 1 ? video_word(in->op, in->mods, pa[i], pb[i], pc[i])
                          : video_elements(in->op, in->mods, pa[i], pb[i], pc[i], parts);
    DONE();
}

#define VIDEO_ENTRY(id) [PTX_OP_##id] = {[PTX_U32] = VIDEO_any, [PTX_S32] = VIDEO_any},
#define VIDEO_ENTRIES                                                                                               \
    VIDEO_ENTRY(VADD) VIDEO_ENTRY(VSUB) VIDEO_ENTRY(VABSDIFF) VIDEO_ENTRY(VMIN) VIDEO_ENTRY(VMAX)                   \
    VIDEO_ENTRY(VSHL) VIDEO_ENTRY(VSHR) VIDEO_ENTRY(VMAD) VIDEO_ENTRY(VSET)                                         \
    VIDEO_ENTRY(VADD2) VIDEO_ENTRY(VSUB2) VIDEO_ENTRY(VAVRG2) VIDEO_ENTRY(VABSDIFF2) VIDEO_ENTRY(VMIN2)             \
    VIDEO_ENTRY(VMAX2) VIDEO_ENTRY(VSET2)                                                                           \
    VIDEO_ENTRY(VADD4) VIDEO_ENTRY(VSUB4) VIDEO_ENTRY(VAVRG4) VIDEO_ENTRY(VABSDIFF4) VIDEO_ENTRY(VMIN4)             \
    VIDEO_ENTRY(VMAX4) VIDEO_ENTRY(VSET4)
