/* Nanoseconds per 32-lane instruction of the lane functions, for each level that this host has.
 * Full mask (the common case) and a partial one; the best of five rounds, in CPU time, so that neighbours on the
 * machine matter little. The reference executor needs 50 ns an instruction in all for 20 million a second. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "interp/lanes_table.h"

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_of(lanes_fn *fn, const struct ir_inst *in, uint32_t mask)
{
    static uint64_t d[32], a[32], b[32], c[32];
    for (int i = 0; i < 32; i++) { /* ordinary numbers both as integers and as floats of either width */
        a[i] = 0x4010000040800000u + (uint64_t)i * 0x0001000000010000u;
        b[i] = 0x3ff8000040000000u + (uint64_t)i * 0x0000100000001000u;
        c[i] = 0x3ff000003f800007u;
    }
    double best = 1e30;
    for (int round = 0; round < 5; round++) {
        enum { TIMES = 20000 };
        double start = cpu_ns();
        for (int k = 0; k < TIMES; k++)
            fn(d, a, b, c, c, mask, in);
        double ns = (cpu_ns() - start) / TIMES;
        best = ns < best ? ns : best;
    }
    return best;
}

int main(void)
{
    static const struct {
        const char *name;
        int op, type, type2, round, cmp;
        bool ftz;
    } rows[] = {
        {"add.s32", PTX_OP_ADD, PTX_S32, 0, 0, 0, false},
        {"mul.lo.s32", PTX_OP_MUL_LO, PTX_S32, 0, 0, 0, false},
        {"mad.lo.s32", PTX_OP_MAD_LO, PTX_S32, 0, 0, 0, false},
        {"mul.wide.s32", PTX_OP_MUL_WIDE, PTX_S32, 0, 0, 0, false},
        {"shl.b32", PTX_OP_SHL, PTX_B32, 0, 0, 0, false},
        {"and.b32", PTX_OP_AND, PTX_B32, 0, 0, 0, false},
        {"min.s32", PTX_OP_MIN, PTX_S32, 0, 0, 0, false},
        {"div.s32", PTX_OP_DIV, PTX_S32, 0, 0, 0, false},
        {"rem.u32", PTX_OP_REM, PTX_U32, 0, 0, 0, false},
        {"add.s64", PTX_OP_ADD, PTX_S64, 0, 0, 0, false},
        {"mul.lo.s64", PTX_OP_MUL_LO, PTX_S64, 0, 0, 0, false},
        {"mov.b32", PTX_OP_MOV, PTX_B32, 0, 0, 0, false},
        {"selp.b32", PTX_OP_SELP, PTX_B32, 0, 0, 0, false},
        {"setp.lt.s32", PTX_OP_SETP, PTX_S32, 0, 0, PTX_LT, false},
        {"setp.lt.f32", PTX_OP_SETP, PTX_F32, 0, 0, PTX_LT, false},
        {"lop3.b32", PTX_OP_LOP3, PTX_B32, 0, 0, 0, false},
        {"prmt.b32", PTX_OP_PRMT, PTX_B32, 0, 0, 0, false},
        {"add.f32", PTX_OP_FADD, PTX_F32, 0, PTX_RN, 0, false},
        {"add.ftz.f32", PTX_OP_FADD, PTX_F32, 0, PTX_RN, 0, true},
        {"add.rz.f32", PTX_OP_FADD, PTX_F32, 0, PTX_RZ, 0, false},
        {"fma.f32", PTX_OP_FMA, PTX_F32, 0, PTX_RN, 0, false},
        {"div.rn.f32", PTX_OP_FDIV, PTX_F32, 0, PTX_RN, 0, false},
        {"sqrt.rn.f32", PTX_OP_SQRT, PTX_F32, 0, PTX_RN, 0, false},
        {"min.f32", PTX_OP_FMIN, PTX_F32, 0, 0, 0, false},
        {"sin.approx.f32", PTX_OP_SIN, PTX_F32, 0, 0, 0, false},
        {"ex2.approx.f32", PTX_OP_EX2, PTX_F32, 0, 0, 0, false},
        {"add.f64", PTX_OP_FADD, PTX_F64, 0, PTX_RN, 0, false},
        {"fma.f64", PTX_OP_FMA, PTX_F64, 0, PTX_RN, 0, false},
        {"cvt.rn.f32.s32", PTX_OP_CVT, PTX_F32, PTX_S32, PTX_RN, 0, false},
        {"cvt.rzi.s32.f32", PTX_OP_CVT, PTX_S32, PTX_F32, PTX_RZI, 0, false},
        {"cvt.u64.u32", PTX_OP_CVT, PTX_U64, PTX_U32, 0, 0, false},
        {"cvt.f64.f32", PTX_OP_CVT, PTX_F64, PTX_F32, 0, 0, false},
        {"cvt.rn.f16.f32", PTX_OP_CVT, PTX_F16, PTX_F32, PTX_RN, 0, false},
    };
    printf("ns per instruction   v2 full partial   v3 full partial   v4 full partial\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ptx_mods mods = {.round = (uint8_t)rows[i].round, .cmp = (uint8_t)rows[i].cmp, .ftz = rows[i].ftz};
        static const int32_t dst[2] = {IR_NOREG, IR_NOREG};
        static const struct ir_src src[4] = {{.kind = IR_SRC_IMM}, {.kind = IR_SRC_IMM}, {.kind = IR_SRC_IMM}, {.kind = IR_SRC_IMM, .imm = 0x96}};
        struct ir_inst in = {.op = (uint16_t)rows[i].op, .type = (uint8_t)rows[i].type, .type2 = (uint8_t)rows[i].type2,
                             .dst = dst, .src = src, .nsrc = 4, .mods = &mods};
        printf("%-20s", rows[i].name);
        for (int level = 0; level < 3; level++) {
            const struct lanes_table *t = lanes_table_of(level);
            lanes_fn *fn = t ? lanes_find_in(t, NULL, &in) : NULL;
            if (fn)
                printf("%8.1f %7.1f  ", time_of(fn, &in, ~0u), time_of(fn, &in, 0x0ffffff7u));
            else
                printf("%8s %7s  ", "-", "-");
        }
        printf("\n");
    }
    return 0;
}
