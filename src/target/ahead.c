/* See ahead.h. */
#include "target/ahead.h"

#include "base/alloc.h"
#include "target/signs.h"

int32_t ahead_last_of(const struct ir_kernel *k, int32_t b)
{
    return k->blocks[b].first + (k->blocks[b].count ? k->blocks[b].count - 1 : 0);
}

int32_t ahead_first_access(const struct ir_kernel *k, int space)
{
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (in->op != PTX_OP_CP_ASYNC && (!ir_is_memory(in) || (in->space != space && !(space == PTX_GLOBAL && in->space == PTX_GENERIC))))
            continue;
        int32_t b = lowered_outside_loops(k, in->block);
        return b == in->block ? i : k->blocks[b].first;
    }
    return -1;
}

void ahead_signs(const struct ir_kernel *k, const int32_t *sign_at, int32_t *first_of, int32_t *next_of)
{
    for (int32_t i = k->ninsts - 1; i >= 0; i--) {
        if (sign_at[i] == SIGNS_FREE)
            continue;
        next_of[i] = first_of[sign_at[i]];
        first_of[sign_at[i]] = i + 1;
    }
}
