/* Prints docs/reference/ptx-instructions.md from the tables of src/ptx: which PTX Heddle executes.
 *
 *   build/bin/ptx_doc > docs/reference/ptx-instructions.md
 *
 * A test compares the two, so that the page is never behind the table. */
#include <stdio.h>
#include <string.h>

#include "ptx/parser.h"

static void print_types(uint32_t set)
{
    const char *between = "";
    for (int t = 0; t < PTX_TYPE_COUNT; t++)
        if (set >> t & 1) {
            printf(t ? "%s.%s" : "%snone", between, ptx_type_info[t].spelling);
            between = " ";
        }
}

/* Those of bar and cp.async are not in the table of modifiers: opcodes.c reads them. */
static void print_modifiers(const struct ptx_op_info *row)
{
    const char *between = "";
    if (row->mods & MOD_BAR) {
        printf(".cta .sync .arrive .red.popc .red.and .red.or%s",
               strcmp(row->word, "bar") == 0 ? " .warp.sync" : " .aligned");
        return;
    }
    if (!strcmp(row->word, "tex")) {
        printf(".level .1d .2d .3d .v4");
        return;
    }
    if (row == &ptx_op_info[PTX_OP_CREATEPOLICY]) {
        printf(".fractional .range .cvt.L2 .global .L2::evict_last .L2::evict_normal .L2::evict_first .L2::evict_unchanged");
        return;
    }
    if (row == &ptx_op_info[PTX_OP_CVT_PACK]) {
        printf(".pack.sat .u4 .s4 .u2 .s2");
        return;
    }
    if (!strcmp(row->word, "cp")) {
        printf("%s", row == &ptx_op_info[PTX_OP_CP_MBARRIER] ? ".async.mbarrier.arrive .noinc .shared .shared::cta"
                   : row == &ptx_op_info[PTX_OP_CP_ASYNC] ? ".async.ca.shared.global .async.cg.shared.global .L2::cache_hint .L2::64B .L2::128B .L2::256B"
                   : row == &ptx_op_info[PTX_OP_CP_COMMIT] ? ".async.commit_group" : ".async.wait_group .async.wait_all");
        return;
    }
    for (int i = 0; i < ptx_modifier_count; i++)
        if (ptx_modifier[i].group & row->mods) {
            printf("%s.%s%s", between, ptx_modifier[i].spelling,
                   strcmp(ptx_modifier[i].spelling, "xorsign") == 0 ? ".abs" : "");
            between = " ";
        }
}

static void print_row(const struct ptx_op_info *row)
{
    static const char *const sel[] = {"", ".lo", ".hi", ".wide", ".l", ".r", ".lo/.hi"};
    printf("| `%s%s` | ", row->word, sel[row->sel]);
    print_types(row->types);
    printf(" | ");
    print_modifiers(row);
    printf(" | %s |\n", ptx_class_help[row->class]);
}

int main(void)
{
    printf("# PTX instructions\n\n"
           "Made by `build/bin/ptx_doc` from `src/ptx/ptx_ops.def`: do not edit. An instruction, type or modifier that is\n"
           "not here is named when the kernel that holds it is launched; other kernels of the module are unaffected.\n"
           "Not every modifier goes with every type: `src/ptx/check.c` says which do (`.sat` with `.s32` and `.f32`, ...).\n"
           "Where `.f16`, `.bf16` and their pairs are not among an instruction's types they are bits to it.\n\n"
           "| instruction | types | modifiers | counts as |\n| --- | --- | --- | --- |\n");
    for (int op = 1; op < PTX_OP_COUNT; op++)
        print_row(&ptx_op_info[op]);
    printf("\n## Special registers\n\n");
    for (int i = 0; i < PTX_SREG_COUNT; i++)
        printf("%s`%s`", i ? " " : "", ptx_sreg_info[i].spelling);
    printf("\n\n## Modifiers of memory instructions\n\n"
           "`.L1::evict_*`, `.L2::*B`, `.L2::cache_hint` and the cache operators change no value, and have no effect on figures\n"
           "before there is a model of the caches. A policy that `createpolicy` makes is a number of Heddle's own. The scope\n"
           "`.cluster` means the same as `.cta`: there are no clusters of more than one block.\n");
    return 0;
}
