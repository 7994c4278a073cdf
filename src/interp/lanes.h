/* Lane functions: what one instruction does to 32 lanes of registers, for everything that is neither memory,
 * control flow nor communication between lanes.
 *
 * Registers of 32 lanes are plain arrays: T[32] in the register's own width (8, 16, 32, 64 or 128 bits); a predicate
 * register is one uint32_t, bit i for lane i. A function writes the lanes in `mask` of its destination and leaves the
 * others alone; it may compute the others, so no lane function may trap (integer division and remainder by zero give all ones,
 * as the hardware does; PTX ISA 9.7.1.7 leaves it open).
 * The functions (ir.h has their type) are expanded from ptx_ops.def (plain loops over 32 lanes that the compiler vectorises), built for
 * three instruction set levels of the host and chosen once at start; all levels give the same bits.
 * NaN results are the GPU's: f32 0x7fffffff; f64 an operand's NaN made quiet, else 0xfff8000000000000 (lanes_meaning.h). */
#ifndef INTERP_LANES_H
#define INTERP_LANES_H

#include "ir/ir.h"

/* The function for an instruction, or NULL when this combination of operation, types and modifiers is not there (the
 * kernel then cannot be launched: the caller names the instruction). Covers ALL forms of ptx_ops.def but SPECIAL, and of the SPECIAL
 * ones: BFE BFI SZEXT BMSK FNS DP4A DP2A ADDC SUBC MADC_LO MADC_HI TESTP SET SETP SELP SLCT LOP3 SHF_L SHF_R PRMT MOV (register to
 * register, same width) CVT CVT_PACK CREATEPOLICY and the video instructions (c is read even where there is none). `k` is for the register types (k->reg_type[]): cvt may read and write registers wider
 * than its types. */
lanes_find_fn lanes_find;

/* setp p|q: the function that gives q (the complement of the comparison, combined with the same predicate). */
lanes_fn *lanes_find_setp_second(const struct ir_kernel *k, const struct ir_inst *in);

/* lop3 d|p: the function that gives p from d (source a) and the predicate operand (source b). */
lanes_fn *lanes_find_lop3_second(const struct ir_inst *in);

/* mov between a vector of registers and a wider register: element `index` of `count` out of d (wide), and back:
 * `a` is the element, `d` the wide register, of which the other elements stay. bits: of the element: 8, 16, 32, 64. */
lanes_fn *lanes_extract(int bits, int count, int index);
lanes_fn *lanes_insert(int bits, int count, int index);

/* Functions of the outside that a kernel may call (`__nv_sinf` and the like): by name; NULL when there is none. a b c e are
 * the arguments; results and arguments in the types of the function's C prototype. */
lanes_fn *lanes_find_extern(const char *name);
/* "ff:f" and the like: argument types, colon, result; f float, d double, i 32-bit, l 64-bit. NULL: not there. */
const char *lanes_extern_signature(const char *name);

/* The host level in use: "x86-64-v2", "x86-64-v3", "x86-64-v4" (HEDDLE_ISA of the environment lowers it). */
const char *lanes_level(void);

/* lanes_math.h, built for three levels: rows with a signature as lanes_extern_signature gives it (NULL: FAST, as the row
 * of the same function); the last row's name is NULL. All levels have the same rows. `vector` takes and returns vectors of the
 * level's width (16, 32, 64 bytes), one for each of the first `arguments` arguments. */
typedef void lanes_vector_fn(void);
/* Functions that machine code may make itself (math_forms.h). */
enum math_form { MATH_NO_FORM, MATH_FORM_exp, MATH_FORM_log };
struct lanes_math {
    const char *name, *signature;
    lanes_fn *fn;
    lanes_vector_fn *vector;
    int arguments;
    enum math_form form;
};
extern const struct lanes_math lanes_math_v2[], lanes_math_v3[], lanes_math_v4[];

/* That of the host level in use. */
const struct lanes_math *lanes_math(void);
/* The number of a function's row, or -1. */
int lanes_math_row(const char *name);

#endif
