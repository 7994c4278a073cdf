/* Operations between lanes, textures, matrices and calls of what the driver provides (see selecting.h). */
#include "target/selecting.h"

static const struct operand none = {0};

void selecting_barrier(struct selecting *s, const struct ir_inst *in)
{
    if (in->mods->variant == PTX_BAR_WARP) {
        selecting_append(s, in->nsrc && in->src[0].kind == IR_SRC_IMM && (uint32_t)in->src[0].imm == UINT32_MAX ? OP_NOP : OP_WARPSYNC, "");
        return;
    }
    selecting_append(s, OP_BAR, "SYNC.DEFER_BLOCKING");
}

void selecting_other(struct selecting *s, const struct ir_inst *in)
{
    struct operand d = in->ndst ? selecting_result(s, in, 0) : none;
    struct operand a = in->nsrc > 0 ? selecting_use(s, &in->src[0]) : none, b = in->nsrc > 1 ? selecting_use(s, &in->src[1]) : none,
                   c = in->nsrc > 2 ? selecting_use(s, &in->src[2]) : none;
    enum machine_op op = OP_NONE;
    switch (in->op) {
    case PTX_OP_SHFL:
        op = OP_SHFL;
        break;
    case PTX_OP_VOTE:
    case PTX_OP_ACTIVEMASK:
        op = OP_VOTE;
        break;
    case PTX_OP_MATCH:
        op = OP_MATCH;
        break;
    case PTX_OP_REDUX:
        op = OP_REDUX;
        break;
    case PTX_OP_ABS:
        op = OP_IABS;
        break;
    case PTX_OP_POPC:
        op = OP_POPC;
        break;
    case PTX_OP_BREV:
        op = OP_BREV;
        break;
    case PTX_OP_BFIND:
        op = OP_FLO;
        break;
    case PTX_OP_PRMT:
        op = OP_PRMT;
        break;
    case PTX_OP_SHF_L:
    case PTX_OP_SHF_R:
        op = OP_SHF;
        break;
    case PTX_OP_LOP3:
        op = OP_LOP3;
        break;
    case PTX_OP_NEG:
        op = OP_IADD3;
        a.negated = true;
        break;
    case PTX_OP_MUL_HI:
        op = OP_IMAD;
        break;
    case PTX_OP_MUL24_LO:
    case PTX_OP_MAD24_LO:
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
        op = in->op == PTX_OP_ADDC || in->op == PTX_OP_SUBC ? OP_IADD3 : OP_IMAD;
        break;
    case PTX_OP_DP4A:
    case PTX_OP_DP2A:
        op = OP_IDP;
        break;
    case PTX_OP_TANH:
        op = OP_MUFU;
        break;
    case PTX_OP_TEX:
        op = OP_TEX;
        break;
    case PTX_OP_TLD4:
        op = OP_TLD4;
        break;
    case PTX_OP_SULD:
        op = OP_SULD;
        break;
    case PTX_OP_SUST:
        op = OP_SUST;
        break;
    case PTX_OP_MMA:
        op = in->mods->element[0] == PTX_ELEMENT_F64 ? OP_DMMA : ptx_type_info[in->type].kind == 'S' ? OP_IMMA : OP_HMMA;
        break;
    case PTX_OP_LDMATRIX:
        op = OP_LDSM;
        break;
    case PTX_OP_STMATRIX:
        op = OP_STSM;
        break;
    case PTX_OP_MOVMATRIX:
        op = OP_MOVM;
        break;
    case PTX_OP_MBARRIER:
        op = OP_SYNCS;
        break;
    case PTX_OP_NANOSLEEP:
        op = OP_NANOSLEEP;
        break;
    case PTX_OP_CP_COMMIT:
        op = OP_LDGDEPBAR;
        break;
    case PTX_OP_CP_WAIT:
        op = OP_DEPBAR;
        break;
    case PTX_OP_SAD:
        op = OP_VABSDIFF;
        break;
    default:
        op = OP_MOV;
        break;
    }
    selecting_put(s, op, "", d, a, b, c);
}
