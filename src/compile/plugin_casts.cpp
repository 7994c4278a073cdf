// Sums, differences and products of converted integers, (double)(i & 1023) + 4.0. Clang 19's InstCombine computes them in integers
// where it knows that nothing is lost and converts the result. nvcc's does so for sums of signed integers of no more bits than
// the floating-point type is exact in; x - 4.0 is a sum. So while that pass runs, one operand of the others is behind
// llvm.nvvm.move.*, which it does not look through.
//
// A product with 1 or -1, x * (1 - 2 * (y < 0)), is to clang 19's InstCombine a choice of x and -x, to nvcc's a product. The factor
// is behind such a call, too.
//
// Masks of a number's bits, __float_as_int(x) & 0x7fffffff, are |x| to clang 19's InstCombine, an FADD to the assembler where it is
// compared or stored; to nvcc's they are masks. The pass leaves them where a function does not want floating point that the program
// does not have.
//
// Clang takes a signed integer that is not negative for an unsigned one and says so (nneg), so those that are unsigned in the
// program are marked before.
//
// Measured with nvcc 13.0.88, 2026-11-27; the test compile.as_nvcc holds the cases.
#include "compile/plugin.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

constexpr const char *UNSIGNED = "heddle.unsigned";

bool is_from_integer(const Value *v)
{
    return isa<SIToFPInst>(v) || isa<UIToFPInst>(v);
}

bool is_signed(const Value *v)
{
    return isa<SIToFPInst>(v) || !cast<Instruction>(v)->hasMetadata(UNSIGNED);
}

// The hardware's own number (threadIdx.x), whose range nvcc does not know there.
bool is_register(const Value *v)
{
    auto *from = dyn_cast<CastInst>(v);
    return from && isa<IntrinsicInst>(from->getOperand(0));
}

// nvcc's InstCombine takes it for a sum of integers, if the integers do not overflow.
bool is_integers(const Instruction &i, const Value *a, const Value *b)
{
    bool is_sum = i.getOpcode() == Instruction::FAdd || (i.getOpcode() == Instruction::FSub && isa<Constant>(i.getOperand(1)));
    unsigned bits = cast<Instruction>(a)->getOperand(0)->getType()->getIntegerBitWidth();
    return is_sum && is_signed(a) && (isa<Constant>(b) || is_signed(b)) && !is_register(a) && !is_register(b) &&
           bits <= APFloat::semanticsPrecision(i.getType()->getFltSemantics());
}

// An integer that a condition tells: a choice, or what is computed of a condition and constants.
bool is_chosen(const Value *v, unsigned depth = 0)
{
    if (isa<SelectInst>(v) || v->getType()->isIntegerTy(1))
        return true;
    auto *i = dyn_cast<Instruction>(v);
    if (!i || depth >= 6 || !(isa<CastInst>(i) || isa<BinaryOperator>(i)))
        return false;
    bool first = isa<CastInst>(i) || isa<Constant>(i->getOperand(1)); // the one that is no constant
    return (first || isa<Constant>(i->getOperand(0))) && is_chosen(i->getOperand(first ? 0 : 1), depth + 1);
}

// 1 or -1, as far as InstCombine may find out.
bool is_sign(const Value *v)
{
    if (is_from_integer(v))
        return is_chosen(cast<Instruction>(v)->getOperand(0));
    auto *choice = dyn_cast<SelectInst>(v);
    auto *a = choice ? dyn_cast<ConstantFP>(choice->getTrueValue()) : nullptr, *b = choice ? dyn_cast<ConstantFP>(choice->getFalseValue()) : nullptr;
    return a && b && ((a->isExactlyValue(1) && b->isExactlyValue(-1)) || (a->isExactlyValue(-1) && b->isExactlyValue(1)));
}

} // namespace

bool heddle::mark_unsigned(Function &f)
{
    bool changed = false;
    for (Instruction &i : instructions(f))
        if (auto *from = dyn_cast<UIToFPInst>(&i); from && !from->hasNonNeg() && !i.hasMetadata(UNSIGNED)) {
            i.setMetadata(UNSIGNED, MDNode::get(i.getContext(), {}));
            changed = true;
        }
    return changed;
}

void heddle::hide_casts(Function &f, Hidden &hidden)
{
    mark_unsigned(f);
    for (Instruction &i : instructions(f)) {
        unsigned op = i.getOpcode();
        if ((op != Instruction::FAdd && op != Instruction::FSub && op != Instruction::FMul) ||
            !(i.getType()->isFloatTy() || i.getType()->isDoubleTy()))
            continue;
        Value *a = i.getOperand(0), *b = i.getOperand(1);
        unsigned n = is_from_integer(a) ? 0 : 1;
        if (n)
            std::swap(a, b);
        bool of_integers = is_from_integer(a) && (is_from_integer(b) || isa<Constant>(b)) && !is_integers(i, a, b);
        if (!of_integers && op == Instruction::FMul && !is_sign(a) && is_sign(b)) {
            std::swap(a, b);
            n = 1 - n;
        }
        if (!of_integers && !(op == Instruction::FMul && is_sign(a)))
            continue;
        IRBuilder<> build(&i);
        Intrinsic::ID id = i.getType()->isDoubleTy() ? Intrinsic::nvvm_move_double : Intrinsic::nvvm_move_float;
        Value *fence = build.CreateIntrinsic(id, {}, {a});
        i.setOperand(n, fence);
        hidden.emplace_back(fence);
    }
}

void heddle::show_operands(Hidden &hidden)
{
    for (const WeakVH &value : hidden)
        if (auto *fence = dyn_cast_or_null<Instruction>(value)) {
            fence->replaceAllUsesWith(fence->getOperand(0));
            fence->eraseFromParent();
        }
    hidden.clear();
}

void heddle::hide_bits(Function &f, Hidden &hidden)
{
    f.addFnAttr(Attribute::NoImplicitFloat);
    hidden.emplace_back(&f);
}

void heddle::show_bits(Hidden &hidden)
{
    for (const WeakVH &value : hidden)
        if (auto *f = dyn_cast_or_null<Function>(value))
            f->removeFnAttr(Attribute::NoImplicitFloat);
    hidden.clear();
}
