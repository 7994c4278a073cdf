// Constants below zero inside products. LLVM's pass Reassociate makes y - x * 2 of y + x * -2, so that the product is another
// one's, too. nvcc's does so with the constant of the term itself. Clang 19's looks for it through the whole term, and turns
// 1 + m * (-1 / t) into 1 - m * (1 / t), whose quotient may be that of a branch then. So while that pass runs, constants
// further down have their sign outside, where it does not look.
//
// -x * y is -(x * y) to both, a product and a sign. Clang's back end makes it a product of -x again, which is one instruction of the GPU. So
// where it is stored, or goes to where two ways meet, the sign is an assembly.
//
// Measured with nvcc 13.0.88, 2026-11-27; the test compile.as_nvcc holds the cases.
#include "compile/plugin.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// A product or quotient that nothing else reads.
Instruction *term(Value *v)
{
    auto *i = dyn_cast<Instruction>(v);
    return i && i->hasOneUse() && (i->getOpcode() == Instruction::FMul || i->getOpcode() == Instruction::FDiv) ? i : nullptr;
}

// The one constant of a product or quotient.
Use *constant_of(Instruction &i)
{
    bool first = isa<Constant>(i.getOperand(0)), second = isa<Constant>(i.getOperand(1));
    return first == second ? nullptr : &i.getOperandUse(first ? 0 : 1);
}

void change_sign(Use &constant, const APFloat &c)
{
    constant.set(ConstantFP::get(constant->getType(), -c));
}

void hide(Value *v, heddle::Hidden &hidden)
{
    Instruction *i = term(v);
    if (!i)
        return;
    for (Value *operand : i->operands())
        hide(operand, hidden);
    Use *constant = constant_of(*i);
    const APFloat *c;
    if (!constant || !match(constant->get(), m_APFloat(c)) || !c->isNegative())
        return;
    change_sign(*constant, *c);
    Use &use = *i->use_begin();
    IRBuilder<> build(i->getNextNode());
    build.SetCurrentDebugLocation(i->getDebugLoc());
    Value *negation = build.CreateFNeg(i);
    use.set(negation);
    hidden.emplace_back(negation);
}

} // namespace

void heddle::hide_negatives(Function &f, Hidden &hidden)
{
    for (Instruction &i : instructions(f)) {
        if (i.getOpcode() != Instruction::FAdd && i.getOpcode() != Instruction::FSub)
            continue;
        for (Value *operand : i.operands())
            if (Instruction *whole = term(operand))
                for (Value *part : whole->operands())
                    hide(part, hidden);
    }
}

void heddle::show_negatives(Hidden &hidden)
{
    for (const WeakVH &value : hidden) {
        auto *negation = dyn_cast_or_null<UnaryOperator>(value);
        Instruction *i = negation ? term(negation->getOperand(0)) : nullptr;
        Use *constant = i ? constant_of(*i) : nullptr;
        const APFloat *c;
        if (!constant || !match(constant->get(), m_APFloat(c)))
            continue;
        change_sign(*constant, *c);
        negation->replaceAllUsesWith(i);
        negation->eraseFromParent();
    }
    hidden.clear();
}

namespace {

// It is stored, or one of what comes where two ways meet, and nothing else reads it.
bool is_kept(const Instruction &i)
{
    return (i.getType()->isFloatTy() || i.getType()->isDoubleTy()) && !i.use_empty() &&
           all_of(i.users(), [](const User *u) { return isa<StoreInst>(u) || isa<PHINode>(u); });
}

// -x * y, or -(x * y): the product of x and y is what the sign is of.
Value *unsigned_product(Instruction &i)
{
    Value *x, *y;
    if (match(&i, m_FNeg(m_OneUse(m_FMul(m_Value(), m_Value())))))
        return i.getOperand(0);
    if (!match(&i, m_c_FMul(m_OneUse(m_FNeg(m_Value(x))), m_Value(y))))
        return nullptr;
    IRBuilder<> build(&i);
    return build.CreateFMulFMF(x, y, &i);
}

} // namespace

bool heddle::keep_negations(Function &f)
{
    bool changed = false;
    for (Instruction &i : make_early_inc_range(instructions(f))) {
        Value *product = is_kept(i) ? unsigned_product(i) : nullptr;
        if (!product)
            continue;
        IRBuilder<> build(&i);
        bool wide = i.getType()->isDoubleTy();
        auto *type = FunctionType::get(i.getType(), {i.getType()}, false);
        CallInst *sign = build.CreateCall(type, InlineAsm::get(type, wide ? "neg.f64 $0, $1;" : "neg.f32 $0, $1;", wide ? "=d,d" : "=f,f", false), {product});
        sign->setDoesNotAccessMemory();
        sign->setDoesNotThrow();
        i.replaceAllUsesWith(sign);
        i.eraseFromParent();
        changed = true;
    }
    return changed;
}
