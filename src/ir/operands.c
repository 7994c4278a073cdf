/* What type each operand of an instruction is read in: one place for the builder (immediates) and the executors.
 * Source: the syntax line of each instruction in PTX ISA 8.4, section 9.7. */
#include "ir/operands.h"

enum ptx_type ir_wide_type(enum ptx_type t)
{
    switch (t) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    case PTX_S32: return PTX_S64;
    default: return t;
    }
}

enum ptx_type ir_bits_type(int bits)
{
    switch (bits) {
    case 8: return PTX_B8;
    case 16: return PTX_B16;
    case 32: return PTX_B32;
    case 64: return PTX_B64;
    case 128: return PTX_B128;
    default: return PTX_PRED;
    }
}

static enum ptx_type special_type(const struct ir_inst *in, int i)
{
    enum ptx_type t = in->type;
    switch (in->op) {
    case PTX_OP_BFE:
        return i == 0 ? t : PTX_U32;
    case PTX_OP_BFI:
        return i < 2 ? t : PTX_U32;
    case PTX_OP_DP4A:
    case PTX_OP_DP2A:
        return i == 1 ? in->type2 : i == 2 ? PTX_S32 : t;
    case PTX_OP_SET:
        return i == 2 ? PTX_PRED : in->type2;
    case PTX_OP_SETP:
    case PTX_OP_SELP:
        return i == 2 ? PTX_PRED : t;
    case PTX_OP_SLCT:
        return i == 2 ? in->type2 : t;
    case PTX_OP_LOP3: /* a b c, the table, and with .or .and a predicate */
        return i == 4 ? PTX_PRED : PTX_B32;
    case PTX_OP_CREATEPOLICY:
        return in->mods->variant == PTX_POLICY_FRACTIONAL ? PTX_F32 : in->mods->variant == PTX_POLICY_RANGE && i ? PTX_U32 : PTX_U64;
    case PTX_OP_CVT_PACK:
        return PTX_B32;
    case PTX_OP_SHF_L:
    case PTX_OP_SHF_R:
        return i == 2 ? PTX_U32 : PTX_B32;
    case PTX_OP_MOV:
        return in->nsrc > 1 ? ir_bits_type(ptx_type_info[t].bits / in->nsrc) : t;
    case PTX_OP_CVT:
        return in->type2;
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST:
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return i == 0 ? PTX_U64 : t;
    case PTX_OP_CP_ASYNC:
        return i < 2 ? PTX_U64 : PTX_U32;
    case PTX_OP_TEX: /* texture, coordinates, level */
    case PTX_OP_TLD4:
        return i == 0 ? PTX_U64 : i == 1 && ptx_is_layered(in->mods->variant) ? PTX_U32 : in->type2;
    case PTX_OP_SULD: /* surface, coordinates, values */
    case PTX_OP_SUST:
        return i == 0 ? PTX_U64 : i <= ptx_coordinates(in->mods->variant) ? PTX_S32 : in->type;
    case PTX_OP_MBARRIER: /* address, then a state (64 bits), a parity or a count */
        return i == 0 && in->mods->variant != PTX_MBAR_PENDING_COUNT ? PTX_U64
             : in->mods->variant == PTX_MBAR_PENDING_COUNT ? PTX_B64
             : i == 1 && !in->mods->parity && (in->mods->variant == PTX_MBAR_TEST_WAIT || in->mods->variant == PTX_MBAR_TRY_WAIT)
                 ? PTX_B64 : PTX_U32;
    case PTX_OP_CP_MBARRIER:
        return PTX_U64;
    case PTX_OP_CP_WAIT:
        return PTX_U32;
    case PTX_OP_CVTA:
        return t;
    case PTX_OP_ISSPACEP:
        return PTX_U64;
    case PTX_OP_SHFL:
        return i == 0 ? PTX_B32 : PTX_U32;
    case PTX_OP_VOTE:
        return i == 0 ? PTX_PRED : PTX_U32;
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
        return i == 0 ? t : PTX_U32;
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return i == 2 ? PTX_PRED : PTX_U32;
    case PTX_OP_DISCARD:
    case PTX_OP_APPLYPRIORITY:
        return i == 0 ? PTX_U64 : PTX_U32;
    case PTX_OP_ELECT:
    case PTX_OP_NANOSLEEP:
    case PTX_OP_BRX:
        return PTX_U32;
    default:
        return t;
    }
}

enum ptx_type ir_src_type(const struct ir_inst *in, int i)
{
    if (in->op >= PTX_OP_COUNT)
        return in->type;
    switch (ptx_op_info[in->op].form) {
    case PTX_FORM_SHIFT:
        return i == 1 ? PTX_U32 : in->type;
    case PTX_FORM_WIDE3:
        return i == 2 ? ir_wide_type(in->type) : in->type;
    case PTX_FORM_SPECIAL:
        return special_type(in, i);
    default:
        return in->type;
    }
}
