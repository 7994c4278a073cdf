// Integer arithmetic that clang's optimiser turns into something the assembler makes more of.
//
// Narrow divisions. Where ranges of values show that 16 bits are enough, clang divides in 16 bits; nvcc does so only
// where the operands are masks or 16-bit values to begin with. It matters because the assembler divides 32 bits in
// integers, and 16 bits in single precision: an FMUL for each lane.
//
// Masks under an `or`. ((x & 252) | 3) becomes (x | 3) when x is below 256, and then the assembler no longer sees that
// it is 3 above (x & 252): shared loads at such indices are not merged. The mask is put back where it is used beside.
// Measured with nvcc 13.0.88 and ptxas, 2026-11-21; the test compile.as_nvcc holds the cases.
#include "compile/plugin.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// ---- divisions ----

bool is_signed(const BinaryOperator &division)
{
    return division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
}

// True when the program itself made the value this narrow: of a constant, a mask, a shift, a narrower value; the cut of a
// loaded value was a mask. Anything else was cut because of what is known of its range.
bool is_narrow(const Value *v, unsigned bits)
{
    const APInt *c;
    if (isa<Constant>(v) || !isa<TruncInst>(v))
        return true;
    const Value *x = cast<TruncInst>(v)->getOperand(0);
    unsigned wide = x->getType()->getScalarSizeInBits();
    if (isa<LoadInst>(x))
        return true;
    if (auto *extended = dyn_cast<ZExtInst>(x))
        return extended->getOperand(0)->getType()->getScalarSizeInBits() <= bits;
    return (match(x, m_And(m_Value(), m_APInt(c))) && c->getActiveBits() <= bits) ||
           (match(x, m_LShr(m_Value(), m_APInt(c))) && c->uge(wide - bits));
}

bool is_narrowed(const BinaryOperator &division)
{
    unsigned bits = division.getType()->getScalarSizeInBits();
    if (!division.getType()->isIntegerTy() || bits > 16)
        return false;
    switch (division.getOpcode()) {
    case Instruction::SDiv:
    case Instruction::SRem:
        return !isa<Constant>(division.getOperand(1));
    case Instruction::UDiv:
    case Instruction::URem:
        return !isa<Constant>(division.getOperand(1)) &&
               !(is_narrow(division.getOperand(0), bits) && is_narrow(division.getOperand(1), bits));
    default:
        return false;
    }
}

Value *widened(IRBuilder<> &b, Value *v, bool with_sign)
{
    auto *cut = dyn_cast<TruncInst>(v);
    Type *wide = b.getInt32Ty();
    if (cut && cut->getOperand(0)->getType() == wide && (with_sign ? cut->hasNoSignedWrap() : cut->hasNoUnsignedWrap()))
        return cut->getOperand(0);
    return with_sign ? b.CreateSExt(v, wide) : b.CreateZExt(v, wide);
}

void widen(BinaryOperator &division)
{
    IRBuilder<> b(&division);
    bool with_sign = is_signed(division);
    Value *wide = b.CreateBinOp(division.getOpcode(), widened(b, division.getOperand(0), with_sign),
                                widened(b, division.getOperand(1), with_sign));
    for (User *user : make_early_inc_range(division.users())) {
        auto *extend = dyn_cast<CastInst>(user);
        bool same = extend && extend->getOpcode() == (with_sign ? Instruction::SExt : Instruction::ZExt);
        if (same && extend->getType() == wide->getType()) {
            extend->replaceAllUsesWith(wide);
            extend->eraseFromParent();
        }
    }
    if (!division.use_empty())
        division.replaceAllUsesWith(b.CreateTrunc(wide, division.getType()));
    division.eraseFromParent();
}

// ---- masks ----

// The mask M of an (x & M) such that (x | low) is (x & M) + low; null if x is not used so.
const APInt *mask_beside(const Value *x, const APInt &low, const DataLayout &layout)
{
    const APInt *mask;
    for (const User *user : x->users())
        if (match(user, m_And(m_Specific(x), m_APInt(mask))) && (*mask & low).isZero() &&
            (computeKnownBits(x, layout).Zero | *mask | low).isAllOnes())
            return mask;
    return nullptr;
}

} // namespace

bool heddle::widen_divisions(Function &f)
{
    SmallVector<BinaryOperator *, 8> narrowed;
    for (BasicBlock &block : f)
        for (Instruction &i : block)
            if (auto *division = dyn_cast<BinaryOperator>(&i); division && is_narrowed(*division))
                narrowed.push_back(division);
    for (BinaryOperator *division : narrowed)
        widen(*division);
    return !narrowed.empty();
}

bool heddle::restore_masks(Function &f)
{
    SmallVector<std::pair<BinaryOperator *, const APInt *>, 8> found;
    const DataLayout &layout = f.getParent()->getDataLayout();
    for (BasicBlock &block : f)
        for (Instruction &i : block) {
            Value *x;
            const APInt *low;
            if (match(&i, m_Or(m_Value(x), m_APInt(low))) && !cast<PossiblyDisjointInst>(i).isDisjoint())
                if (const APInt *mask = mask_beside(x, *low, layout))
                    found.push_back({cast<BinaryOperator>(&i), mask});
        }
    for (auto &[either, mask] : found) {
        IRBuilder<> b(either);
        Value *high = b.CreateAnd(either->getOperand(0), ConstantInt::get(either->getType(), *mask));
        auto *sum = cast<Instruction>(b.CreateOr(high, either->getOperand(1)));
        cast<PossiblyDisjointInst>(sum)->setIsDisjoint(true);
        either->replaceAllUsesWith(sum);
        either->eraseFromParent();
    }
    return !found.empty();
}
