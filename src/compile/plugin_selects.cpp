// Short branches that nvcc computes both ways of, and selects. Clang would, too, but not before it has moved a load into
// the only way that uses it, and then it cannot: so this runs before the optimiser moves anything.
//
// Measured with nvcc 13.0, one-branch kernels of 0 to 10 instructions a way, 2026-11-21: one way alone of at most five
// instructions; of two the first at most three, the second five, also where they meet with others. What may be among them: sums, products, differences, bits,
// shifts, comparisons, selects (two each), conversions but those from floating point to integers, addresses. Not: divisions, calls
// (fabsf is one then), loads. A division stays behind its branch: clang's optimiser selects it, so that all lanes divide. Its divisor is
// behind a fence until the optimiser is done (llvm.nvvm.move.*, which it does not carry out earlier than the program).
//
// And -x is a difference to nvcc, -0 - x: of `c ? a - x : -x` it makes one difference of a selected value, and where two ways meet
// with a - x and -x, one of the value that they bring.
//
// Of `c ? x * y : x` clang makes `x * (c ? y : 1)` where it knows that x is no NaN, and the like of sums, which all lanes then carry
// out; the assembler makes nvcc's product a predicated one. Such sums and products are marked as soon as they are selected, by
// a flag that says nothing of them (arcp), and become what they were in the end.
#include "compile/plugin.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

enum { ALONE = 5, FIRST = 3, SECOND = 5 };

bool is_simple(const Instruction &i)
{
    switch (i.getOpcode()) {
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::FDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::FRem:
    case Instruction::FPToSI:
    case Instruction::FPToUI:
        return false;
    default:
        return isa<BinaryOperator>(i) || isa<UnaryOperator>(i) || isa<CastInst>(i) || isa<CmpInst>(i) ||
               isa<SelectInst>(i) || isa<GetElementPtrInst>(i);
    }
}

// A block entered from `from` only that does at most so much and goes on to `to`.
bool is_way(const BasicBlock *b, const BasicBlock *from, const BasicBlock *to, int most)
{
    if (b->getSinglePredecessor() != from || b->getSingleSuccessor() != to || b->hasAddressTaken() || isa<PHINode>(b->front()))
        return false;
    int count = 0;
    for (const Instruction &i : *b)
        if (!i.isTerminator() && !i.isDebugOrPseudoInst())
            count += is_simple(i) ? 1 + isa<SelectInst>(i) : most + 1;
    return count <= most;
}

void hoist(BasicBlock *way, Instruction *before)
{
    for (Instruction &i : make_early_inc_range(*way)) {
        if (i.isDebugOrPseudoInst())
            i.eraseFromParent();
        else if (!i.isTerminator()) {
            i.dropDbgRecords();
            i.moveBefore(before);
        }
    }
}

// `branch` goes to `yes` or `no`, of which one may be `meet` itself.
void select(BranchInst *branch, BasicBlock *yes, BasicBlock *no, BasicBlock *meet)
{
    BasicBlock *from = branch->getParent();
    for (BasicBlock *way : {yes, no})
        if (way != meet)
            hoist(way, branch);
    for (PHINode &phi : make_early_inc_range(meet->phis())) {
        Value *a = phi.getIncomingValueForBlock(yes == meet ? from : yes);
        Value *b = phi.getIncomingValueForBlock(no == meet ? from : no);
        Value *chosen = a;
        if (a != b) {
            SelectInst *made = SelectInst::Create(branch->getCondition(), a, b, "", branch->getIterator());
            made->setDebugLoc(branch->getDebugLoc());
            chosen = made;
        }
        for (BasicBlock *way : {yes, no})
            phi.removeIncomingValue(way == meet ? from : way, false);
        phi.addIncoming(chosen, from);
        if (phi.getNumIncomingValues() == 1) {
            phi.replaceAllUsesWith(chosen);
            phi.eraseFromParent();
        }
    }
    BranchInst *on = BranchInst::Create(meet, branch->getIterator());
    on->setDebugLoc(branch->getDebugLoc());
    branch->eraseFromParent();
    for (BasicBlock *way : {yes, no})
        if (way != meet)
            way->eraseFromParent();
}

bool change(BasicBlock *b)
{
    auto *branch = dyn_cast<BranchInst>(b->getTerminator());
    if (!branch || !branch->isConditional())
        return false;
    BasicBlock *yes = branch->getSuccessor(0), *no = branch->getSuccessor(1);
    BasicBlock *meet = yes->getSingleSuccessor() == no ? no : no->getSingleSuccessor() == yes ? yes : yes->getSingleSuccessor();
    if (yes == no || !meet || meet == b || meet->phis().empty())
        return false;
    bool fits = yes == meet  ? is_way(no, b, meet, ALONE)
                : no == meet ? is_way(yes, b, meet, ALONE)
                             : (is_way(yes, b, meet, FIRST) && is_way(no, b, meet, SECOND)) ||
                                   (is_way(yes, b, meet, ALONE) && is_way(no, b, meet, 0));
    if (fits)
        select(branch, yes, no, meet);
    return fits;
}

// ---- sums and products that are selected ----

// What `i` with it is the other operand: x * 1, x + -0, x - 0. Null for other operations.
Constant *neutral(const Instruction &i)
{
    switch (i.getOpcode()) {
    case Instruction::FMul: return ConstantFP::get(i.getType(), 1);
    case Instruction::FAdd: return ConstantFP::getNegativeZero(i.getType());
    case Instruction::FSub: return ConstantFP::get(i.getType(), 0);
    default: return nullptr;
    }
}

// Operand `n` of a sum or product is chosen: the value, or what leaves the other operand as it is.
bool is_chosen(const Instruction &i, unsigned n)
{
    auto *choice = dyn_cast<SelectInst>(i.getOperand(n));
    return choice && choice->hasOneUse() && (choice->getTrueValue() == neutral(i) || choice->getFalseValue() == neutral(i));
}

// (c ? y : 1) * x becomes c ? y * x : x.
void choose_result(Instruction &i, unsigned n)
{
    auto *choice = cast<SelectInst>(i.getOperand(n));
    bool first = choice->getFalseValue() == neutral(i);
    Value *rest = i.getOperand(1 - n);
    auto *made = SelectInst::Create(choice->getCondition(), &i, rest, "", std::next(i.getIterator()));
    if (!first)
        made->swapValues();
    made->setDebugLoc(choice->getDebugLoc());
    i.replaceUsesWithIf(made, [&](const Use &u) { return u.getUser() != made; });
    i.setOperand(n, first ? choice->getTrueValue() : choice->getFalseValue());
    choice->eraseFromParent();
}

// ---- divisions ----

// A division in a way to where its result is chosen, by what the program computes.
bool is_behind_branch(const Instruction &i)
{
    const BasicBlock *way = i.getParent(), *from = way->getSinglePredecessor(), *meet = way->getSingleSuccessor();
    auto *branch = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
    Type *type = i.getType();
    return i.getOpcode() == Instruction::FDiv && (type->isFloatTy() || type->isDoubleTy()) && !isa<Constant>(i.getOperand(1)) &&
           branch && branch->isConditional() && meet && meet != from && !meet->phis().empty();
}

// The fence that a division's divisor is behind, null if it is behind none.
CallInst *fence_of(const Instruction &i)
{
    auto *call = i.getOpcode() == Instruction::FDiv ? dyn_cast<CallInst>(i.getOperand(1)) : nullptr;
    Intrinsic::ID id = call && call->getCalledFunction() ? call->getCalledFunction()->getIntrinsicID() : Intrinsic::not_intrinsic;
    return id == Intrinsic::nvvm_move_float || id == Intrinsic::nvvm_move_double ? call : nullptr;
}

// ---- differences ----

// `a` of two values of which one is a - x and the other -x, null if they are others or something else reads them.
Value *minuend(Value *one, Value *other, Value *&x)
{
    Value *a;
    return match(one, m_OneUse(m_FSub(m_Value(a), m_Value(x)))) && match(other, m_OneUse(m_FNeg(m_Specific(x)))) ? a : nullptr;
}

// The difference of what is chosen, and x, instead of `chosen` of a - x and -x.
void share(Instruction &chosen, Value *one, Value *other, Value *first, Value *x, Instruction *before)
{
    Instruction *difference = cast<Instruction>(match(one, m_FNeg(m_Value())) ? other : one);
    auto *made = BinaryOperator::CreateFSub(first, x, "", before->getIterator());
    made->setDebugLoc(difference->getDebugLoc());
    chosen.replaceAllUsesWith(made);
    for (Value *gone : {static_cast<Value *>(&chosen), one, other})
        cast<Instruction>(gone)->eraseFromParent();
}

bool share_select(SelectInst &i)
{
    Value *yes = i.getTrueValue(), *no = i.getFalseValue(), *x;
    Value *a = minuend(yes, no, x), *b = a ? nullptr : minuend(no, yes, x);
    if (!a && !b)
        return false;
    Constant *zero = ConstantFP::getNegativeZero(i.getType());
    auto *first = SelectInst::Create(i.getCondition(), a ? a : zero, b ? b : zero, "", i.getIterator());
    first->setDebugLoc(i.getDebugLoc());
    share(i, yes, no, first, x, &i);
    return true;
}

// A block where `x` is computed, or that comes right behind one.
bool is_short_way(const BasicBlock *way, const Value *x)
{
    auto *i = dyn_cast<Instruction>(x);
    return i && (i->getParent() == way || i->getParent() == way->getSinglePredecessor());
}

bool share_phi(PHINode &i)
{
    if (i.getNumIncomingValues() != 2)
        return false;
    Value *one = i.getIncomingValue(0), *other = i.getIncomingValue(1), *x;
    Value *a = minuend(one, other, x), *b = a ? nullptr : minuend(other, one, x);
    if ((!a && !b) || x == &i || i.getParent()->getFirstInsertionPt() == i.getParent()->end())
        return false;
    Constant *zero = ConstantFP::getNegativeZero(i.getType());
    PHINode *first = PHINode::Create(i.getType(), 2, "", i.getIterator());
    first->addIncoming(a ? a : zero, i.getIncomingBlock(0));
    first->addIncoming(b ? b : zero, i.getIncomingBlock(1));
    bool near = is_short_way(i.getIncomingBlock(0), x) && is_short_way(i.getIncomingBlock(1), x);
    Instruction *before = &*i.getParent()->getFirstInsertionPt();
    share(i, one, other, first, x, before);
    if (match(x, m_OneUse(m_FMul(m_Value(), m_Value()))) && near) // one instruction with the difference
        cast<Instruction>(x)->moveBefore(cast<Instruction>(*x->user_begin()));
    return true;
}

} // namespace

bool heddle::fence_divisions(Function &f)
{
    bool changed = false;
    for (Instruction &i : instructions(f)) {
        if (!is_behind_branch(i))
            continue;
        IRBuilder<> b(&i);
        Intrinsic::ID id = i.getType()->isDoubleTy() ? Intrinsic::nvvm_move_double : Intrinsic::nvvm_move_float;
        i.setOperand(1, b.CreateIntrinsic(id, {}, {i.getOperand(1)}));
        changed = true;
    }
    return changed;
}

bool heddle::free_divisions(Function &f, bool by_constants)
{
    bool changed = false;
    for (Instruction &i : instructions(f))
        if (CallInst *fence = fence_of(i); fence && (!by_constants || isa<Constant>(fence->getArgOperand(0)))) {
            i.setOperand(1, fence->getArgOperand(0));
            if (fence->use_empty())
                fence->eraseFromParent(); // in front of the division
            changed = true;
        }
    return changed;
}

bool heddle::select_short_ways(Function &f)
{
    bool changed = false;
    for (bool again = true; again;) {
        again = false;
        for (BasicBlock &b : make_early_inc_range(f))
            if (change(&b)) { // blocks are gone
                again = changed = true;
                break;
            }
    }
    return changed;
}

bool heddle::share_differences(Function &f)
{
    bool changed = false;
    for (BasicBlock &b : f) {
        for (PHINode &i : make_early_inc_range(b.phis()))
            changed |= share_phi(i);
        for (Instruction &i : make_early_inc_range(b))
            if (auto *choice = dyn_cast<SelectInst>(&i))
                changed |= share_select(*choice);
    }
    return changed;
}

bool heddle::mark_chosen(Function &f)
{
    bool changed = false;
    for (Instruction &i : instructions(f)) {
        Value *yes, *no;
        if (!match(&i, m_Select(m_Value(), m_Value(yes), m_Value(no))))
            continue;
        for (auto [made, kept] : {std::pair(yes, no), std::pair(no, yes)})
            if (auto *sum = dyn_cast<BinaryOperator>(made); sum && neutral(*sum) && sum->hasOneUse() && is_contained(sum->operands(), kept)) {
                sum->setHasAllowReciprocal(true);
                changed = true;
            }
    }
    return changed;
}

bool heddle::choose_results(Function &f)
{
    bool changed = false;
    for (Instruction &i : make_early_inc_range(instructions(f))) {
        if (!neutral(i) || !i.hasAllowReciprocal())
            continue;
        i.setHasAllowReciprocal(false);
        changed = true;
        for (unsigned n : {0u, 1u})
            if (is_chosen(i, n) && (n == 1 || i.isCommutative())) {
                choose_result(i, n);
                break;
            }
    }
    return changed;
}
