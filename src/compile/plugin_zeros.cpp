// Sums that begin with zero. 0 + x is x only where x is no -0, which clang concludes of a square, an |x|, a maximum with a positive
// number, and nvcc of roots, converted integers and chosen numbers alone: of a loop that is unrolled, or of `s = 0; s += x * x;`, nvcc's first sum
// stays (sums of 15 kinds through nvcc 13.0.88, 2026-11-28). Such a sum and its summand are marked before the first pass that
// would leave it out; in the end a marked summand that is no marked sum's any more was left alone with zero, and gets it back, behind
// a move (llvm.nvvm.move.*) that clang's back end does not look through.
#include "compile/plugin.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

const char FROM_ZERO[] = "heddle.from.zero";
enum { LOOPS_ABOVE = 3 };

bool begins_with_zero(const Value *v, unsigned depth = 0)
{
    if (auto *c = dyn_cast<ConstantFP>(v))
        return c->isZero() && !c->isNegative();
    auto *phi = dyn_cast<PHINode>(v);
    return phi && depth < LOOPS_ABOVE && any_of(phi->incoming_values(), [&](const Value *from) { return begins_with_zero(from, depth + 1); });
}

bool is_known_to_nvcc(const Instruction &i)
{
    if (auto *choice = dyn_cast<SelectInst>(&i))
        return isa<Constant>(choice->getTrueValue()) && isa<Constant>(choice->getFalseValue());
    auto *call = dyn_cast<IntrinsicInst>(&i);
    return isa<SIToFPInst>(i) || isa<UIToFPInst>(i) || i.getOpcode() == Instruction::FAdd || (call && call->getIntrinsicID() == Intrinsic::sqrt);
}

// The operand of the sum that is added to what begins with zero, if the sum may be left out of clang's code alone.
Instruction *summand_of(Instruction &sum, const SimplifyQuery &query)
{
    for (unsigned n : {0u, 1u}) {
        auto *x = dyn_cast<Instruction>(sum.getOperand(n));
        if (x && x->hasOneUse() && !isa<PHINode>(x) && begins_with_zero(sum.getOperand(1 - n)) && !is_known_to_nvcc(*x) &&
            cannotBeNegativeZero(x, 0, query))
            return x;
    }
    return nullptr;
}

bool is_marked(const Value *v)
{
    auto *i = dyn_cast<Instruction>(v);
    return i && i->hasMetadata(FROM_ZERO);
}

bool is_addition(const Instruction &i)
{
    return i.getOpcode() == Instruction::FAdd && (i.getType()->isFloatTy() || i.getType()->isDoubleTy());
}

// Of two marked operands the first that is made is the sum so far.
const Value *added_by(const Instruction &sum)
{
    const Value *a = sum.getOperand(0), *b = sum.getOperand(1);
    bool is_first = is_marked(a) && !is_addition(*cast<Instruction>(a));
    bool is_second = is_marked(b) && !is_addition(*cast<Instruction>(b));
    if (is_first && is_second) {
        auto *x = cast<Instruction>(a), *y = cast<Instruction>(b);
        return x->getParent() == y->getParent() && y->comesBefore(x) ? a : b;
    }
    return is_first ? a : is_second ? b : nullptr;
}

} // namespace

void heddle::mark_zeros(Function &f)
{
    SimplifyQuery query(f.getParent()->getDataLayout());
    for (Instruction &i : instructions(f))
        if (Instruction *x = is_addition(i) && !is_marked(&i) ? summand_of(i, query) : nullptr)
            for (Instruction *marked : {x, &i})
                marked->setMetadata(FROM_ZERO, MDNode::get(f.getContext(), {}));
}

bool heddle::restore_zeros(Function &f)
{
    SmallPtrSet<const Value *, 16> added;
    SmallVector<Instruction *, 16> alone;
    for (Instruction &i : instructions(f))
        if (is_addition(i) && is_marked(&i))
            added.insert(added_by(i));
    for (Instruction &i : instructions(f))
        if (is_marked(&i) && !is_addition(i) && !added.contains(&i) && !i.use_empty())
            alone.push_back(&i);
    for (Instruction *x : alone) {
        IRBuilder<> b(x->getNextNode());
        Intrinsic::ID move = x->getType()->isDoubleTy() ? Intrinsic::nvvm_move_double : Intrinsic::nvvm_move_float;
        Value *hidden = b.CreateIntrinsic(move, {}, {x});
        Value *sum = b.CreateFAdd(hidden, ConstantFP::getZero(x->getType()));
        x->replaceUsesWithIf(sum, [&](Use &use) { return use.getUser() != hidden; });
    }
    return !alone.empty();
}
