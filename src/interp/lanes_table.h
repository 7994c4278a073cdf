/* The table of lane functions that one host level provides; private to lanes*.c.
 *
 * lanes_v2.c, lanes_v3.c and lanes_v4.c expand the same text (lanes_expand.h) for x86-64-v2, -v3 and -v4; lanes.c picks
 * one table and looks functions up in it. An empty place means "not there". All levels give the same bits. */
#ifndef INTERP_LANES_TABLE_H
#define INTERP_LANES_TABLE_H

#include "interp/lanes.h"

/* How a floating row is built. DYN reads rounding, ftz and sat from in->mods at run time: exact, slower. */
enum { LANES_PLAIN, LANES_FTZ, LANES_DYN, LANES_VARIANTS };

/* Conversions: NEAREST is .rn of int to float and float to float, and .rni of float to int; TOZERO is .rzi; DYN reads
 * the modifiers. Integer to integer: NEAREST without .sat, DYN with. */
enum { LANES_CVT_NEAREST, LANES_CVT_TOZERO, LANES_CVT_DYN, LANES_CVT_VARIANTS };

enum { LANES_NCMP = PTX_NAN + 1, LANES_WIDTHS = 5 }; /* widths: 8 16 32 64 128 bits */

struct lanes_table {
    lanes_fn *row[PTX_OP_COUNT][PTX_TYPE_COUNT][LANES_VARIANTS];
    lanes_fn *carry[PTX_OP_COUNT][PTX_TYPE_COUNT];
    lanes_fn *sat[PTX_OP_COUNT];                                  /* add sub mad.hi, .sat.s32 */
    lanes_fn *relu[PTX_OP_COUNT];                                 /* min max, .relu.s32 */
    lanes_fn *lop3_second;                                        /* lop3.or, lop3.and: the predicate */
    lanes_fn *minmax_mods[PTX_OP_COUNT][PTX_TYPE_COUNT];          /* .NaN .xorsign.abs */
    lanes_fn *upper[PTX_OP_COUNT];                                /* rcp, rsqrt .approx.ftz.f64 */
    lanes_fn *div_quick;                                         /* div.approx.f32 */
    lanes_fn *bfind_shiftamt[PTX_TYPE_COUNT];
    lanes_fn *setp[2][LANES_NCMP][PTX_TYPE_COUNT][2];             /* [second][cmp][type][ftz] */
    lanes_fn *set_pair;                                           /* set of f16x2, bf16x2 */
    lanes_fn *set[PTX_TYPE_COUNT];                                /* by destination type */
    lanes_fn *selp[LANES_WIDTHS], *mov[LANES_WIDTHS], *mov_pred;  /* by width */
    lanes_fn *selp_pred;
    lanes_fn *slct[LANES_WIDTHS][2];                              /* [width][c is f32] */
    lanes_fn *special[PTX_OP_COUNT][PTX_TYPE_COUNT];              /* bfe bfi szext bmsk fns dp4a dp2a testp lop3 shf
                                                                     prmt, cvt.pack, createpolicy, video */
    lanes_fn *cvt[PTX_TYPE_COUNT][PTX_TYPE_COUNT][LANES_CVT_VARIANTS]; /* [to][from], registers as wide as the types */
    lanes_fn *cvt_wide[4][4];                                     /* [width of d][width of a]: any widths */
    lanes_fn *extract[4][4][8], *insert[4][4][8];                 /* [width of the element][log2 count][index] */
};

extern const struct lanes_table lanes_table_v2, lanes_table_v3, lanes_table_v4;
const struct lanes_table *lanes_table_now(void);
/* The table of a level, 0 1 2 for v2 v3 v4, or NULL when the host lacks it; and a look-up in a given table: for tests. */
const struct lanes_table *lanes_table_of(int level);
lanes_fn *lanes_find_in(const struct lanes_table *t, const struct ir_kernel *k, const struct ir_inst *in);

/* Bits of a value of an enum ptx_type; predicates 1. And its kind, see ptx_types.def. */
int lanes_type_bits(int type);
char lanes_type_kind(int type);

/* Which variant of cvt the modifiers ask for. */
int lanes_cvt_variant(const struct ir_inst *in);

#endif
