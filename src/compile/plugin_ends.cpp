// Loops that were unrolled though nobody asked for it end as nvcc's do, as ptxas decides by it whether it unrolls them again.
//
// Three things tell it: `.pragma "nounroll"`, which nvcc has only at loops of `#pragma unroll N` and at what is left over; the branch at the end, which goes
// back under its condition; and what it compares. In a loop of unknown length nvcc's is one of two:
//  - a counter of rounds that goes down to 0: ptxas unrolls the loop if its turn is light enough;
//  - where nvcc's back end makes a further counter that does not begin at 0, such as for (i + k * 4096) & mask, a sum of the program's counter k and what is
//    known before the loop: ptxas knows no counter then and leaves the loop alone.
// A further counter begins at 0 where one of its sums does; but at the last of them where they are k * 4096, k * 4096 + 4096 ... and an offset is no part of
// an address. Measured with nvcc 13.0.88 and ptxas 13.0, 2026-11-30: 72 loops of one expression each and 61 kernels of tests/truth have the end that nvcc
// gives them. The test compile.closing holds cases.
#include "compile/plugin.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// Sums that go up by the same step with the loop's turns: the back end keeps a counter for them.
struct Sums {
    const SCEV *step;
    bool from_zero; // one of them begins at 0, or is the counter of the program
    bool spread;    // one of them is read by something else than an address
    SmallPtrSet<const SCEV *, 8> starts;
};

// The value is made in the loop, with such an operation on the way.
bool is_made_by(const Value *v, const Loop &loop, function_ref<bool(const Instruction &)> operation)
{
    auto *i = dyn_cast<Instruction>(v);
    return i && loop.contains(i) && !isa<PHINode>(i) && (operation(*i) || any_of(i->operands(), [&](const Value *o) { return is_made_by(o, loop, operation); }));
}

bool has_shift(const Value *v, const Loop &loop)
{
    return is_made_by(v, loop, [](const Instruction &i) { return i.getOpcode() == Instruction::Shl; });
}

bool is_subtracted(const Value *v, const Loop &loop)
{
    return is_made_by(v, loop, [&](const Instruction &i) { return match(&i, m_Not(m_Value())) || (i.getOpcode() == Instruction::Sub && !loop.isLoopInvariant(i.getOperand(1))); });
}

const SCEVAddRecExpr *steps_of(Value *v, const Loop &loop, ScalarEvolution &se)
{
    auto *steps = v->getType()->isIntegerTy() || v->getType()->isPointerTy() ? dyn_cast<SCEVAddRecExpr>(se.getSCEV(v)) : nullptr;
    return steps && steps->isAffine() && steps->getLoop() == &loop ? steps : nullptr;
}

bool is_widened(const Instruction &i) { return isa<SExtInst>(i) || (isa<ZExtInst>(i) && i.hasNonNeg()); }

// An index of shared memory, where addresses have 32 bits: nothing is widened.
bool is_shared(const Instruction &index)
{
    return all_of(index.users(), [](const User *u) {
        auto *address = dyn_cast<GetElementPtrInst>(u);
        return address && address->getPointerAddressSpace() == 3;
    });
}

// Something reads the sum that is no sum of the same loop. p[i + k] is such a sum, a pointer. p[i + (k << 7)] is none unless the counter has 64 bits (`wide`):
// to nvcc the shift may overflow.
bool is_read(Instruction &sum, const Loop &loop, bool wide, ScalarEvolution &se, bool &spread)
{
    bool read = false;
    for (User *u : sum.users()) {
        auto *i = dyn_cast<Instruction>(u);
        if (!i || !loop.contains(i) || isa<CmpInst>(i) || (isa<PHINode>(i) && i->getParent() == loop.getHeader()))
            continue;
        if (is_widened(*i) ? wide || is_shared(*i) || !has_shift(&sum, loop) : steps_of(i, loop, se) != nullptr)
            continue;
        read = true;
        spread |= !is_widened(*i);
    }
    return read;
}

bool ends_by_sum(const Loop &loop, const PHINode *rounds, const SCEV *step, ScalarEvolution &se)
{
    SmallVector<Sums> all;
    bool wide = false;
    for (PHINode &phi : loop.getHeader()->phis())
        wide |= any_of(phi.users(), [](const User *u) { return is_widened(*cast<Instruction>(u)); });
    for (BasicBlock *b : loop.blocks())
        for (Instruction &i : *b) {
            bool spread = false;
            auto *steps = i.getType() == rounds->getType() ? steps_of(&i, loop, se) : nullptr;
            if (!steps || &i == rounds || is_subtracted(&i, loop) || !is_read(i, loop, wide, se, spread))
                continue;
            auto *of = find_if(all, [&](const Sums &s) { return s.step == steps->getStepRecurrence(se); });
            if (of == all.end())
                of = &all.emplace_back(Sums{steps->getStepRecurrence(se), false, false, {}});
            of->from_zero |= steps->getStart()->isZero() || isa<PHINode>(i);
            of->starts.insert(steps->getStart());
            of->spread |= spread;
        }
    return any_of(all, [&](const Sums &s) { return !s.from_zero || (isa<SCEVConstant>(s.step) && s.step != step && s.spread && s.starts.size() > 1); });
}

// The counter of rounds: it begins at 0, goes up by a constant, is compared with its end where the loop ends, and is read by nothing else.
PHINode *rounds_of(const Loop &loop, ICmpInst *compare)
{
    auto *next = compare->isEquality() && compare->hasOneUse() ? dyn_cast<BinaryOperator>(compare->getOperand(0)) : nullptr;
    auto *rounds = next && next->getOpcode() == Instruction::Add && next->hasNUses(2) && isa<ConstantInt>(next->getOperand(1)) ? dyn_cast<PHINode>(next->getOperand(0)) : nullptr;
    bool is = rounds && rounds->getParent() == loop.getHeader() && rounds->hasOneUse() && loop.isLoopInvariant(compare->getOperand(1)) &&
              match(rounds->getIncomingValueForBlock(loop.getLoopPreheader()), m_Zero());
    return is ? rounds : nullptr;
}

// The program's counter as the next turn has it, with the same steps, which outlives the loop.
Value *outliving(const Loop &loop, const PHINode *rounds, const SCEV *step, ScalarEvolution &se)
{
    for (PHINode &phi : loop.getHeader()->phis()) {
        auto *steps = &phi != rounds && phi.getType() == rounds->getType() ? steps_of(&phi, loop, se) : nullptr;
        auto *next = steps ? dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch())) : nullptr;
        if (next && steps->getStepRecurrence(se) == step && isa<SCEVConstant>(steps->getStart()) && any_of(next->users(), [&](User *u) { return !loop.contains(cast<Instruction>(u)); }))
            return next;
    }
    return nullptr;
}

bool end_by_sum(const Loop &loop, ScalarEvolution &se)
{
    auto *branch = loop.getLoopPreheader() && loop.getLoopLatch() ? dyn_cast<BranchInst>(loop.getLoopLatch()->getTerminator()) : nullptr;
    auto *compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    PHINode *rounds = compare ? rounds_of(loop, compare) : nullptr;
    auto *steps = rounds ? steps_of(rounds, loop, se) : nullptr;
    const SCEV *step = steps ? steps->getStepRecurrence(se) : nullptr;
    Value *next = steps ? outliving(loop, rounds, step, se) : nullptr;
    if (!next || !ends_by_sum(loop, rounds, step, se))
        return false;
    const APInt first = cast<SCEVConstant>(cast<SCEVAddRecExpr>(se.getSCEV(next))->getStart())->getAPInt() - cast<SCEVConstant>(step)->getAPInt();
    IRBuilder<> before(loop.getLoopPreheader()->getTerminator()), at(compare);
    Value *less = before.CreateSub(ConstantInt::get(next->getType(), -first), compare->getOperand(1));
    Value *hidden = at.CreateIntrinsic(Intrinsic::expect, {next->getType()}, {next, Constant::getNullValue(next->getType())}); // the back end would compare the counter with its last value
    compare->setOperand(0, at.CreateAdd(less, hidden));
    compare->setOperand(1, Constant::getNullValue(next->getType()));
    RecursivelyDeleteDeadPHINode(rounds);
    return true;
}

} // namespace

bool heddle::end_by_sums(Function &f, FunctionAnalysisManager &analyses)
{
    bool changed = false;
    for (Loop *loop : analyses.getResult<LoopAnalysis>(f).getLoopsInPreorder())
        if (loop->isInnermost() && findOptionMDForLoop(loop, heddle::BY_ITSELF))
            changed |= end_by_sum(*loop, analyses.getResult<ScalarEvolutionAnalysis>(f));
    return changed;
}

bool heddle::leave_to_assembler(Function &f)
{
    bool changed = false;
    for (BasicBlock &b : f) {
        Instruction *end = b.getTerminator();
        MDNode *id = end ? end->getMetadata(LLVMContext::MD_loop) : nullptr;
        if (!id || !findOptionMDForLoopID(id, BY_ITSELF))
            continue;
        end->setMetadata(LLVMContext::MD_loop, makePostTransformationMetadata(f.getContext(), id, {"llvm.loop.unroll.", BY_ITSELF}, {}));
        changed = true;
    }
    return changed;
}

bool heddle::close_loops(Function &f, const DominatorTree &dt)
{
    bool changed = false;
    for (BasicBlock &b : f) {
        auto *branch = dyn_cast<BranchInst>(b.getTerminator());
        if (!branch || !branch->isConditional() || !dt.dominates(branch->getSuccessor(1), &b) || dt.dominates(branch->getSuccessor(0), &b))
            continue;
        auto *compare = dyn_cast<CmpInst>(branch->getCondition());
        if (!compare || !compare->hasOneUse())
            continue;
        compare->setPredicate(compare->getInversePredicate());
        branch->swapSuccessors();
        changed = true;
    }
    return changed;
}
