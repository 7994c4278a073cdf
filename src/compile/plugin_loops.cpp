// Loops are unrolled as often as nvcc unrolls them: where lanes leave a loop at different turns, the number of
// requests depends on it, and where it reads a local array by its counter, whether the array is in local memory.
//
// Measured with nvcc 13.0.88 (bodies of 1 to 100 sums, 2 to 1024 turns, 2026-11-23; the test compile.as_nvcc holds cases). Its
// unroller is LLVM's with other numbers, and clang's takes them: a loop of known length vanishes when it has less than 400
// instructions then (clang.c: -unroll-threshold). An inner loop that stays is unrolled here, behind that, up to 200 instructions:
//  - of known length, by the largest power of two that divides it; without one by 4, 2 with the way out in the middle;
//  - of unknown length, by 4 or 2, the rest in a loop of its own, which inside another loop is written out. Barriers and
//    shuffles in it do not matter, nor does a division that it takes to know the length.
// Loops around others stay; `#pragma unroll N` is clang's.
#include "compile/plugin.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CodeMetrics.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace {

enum { MOST_WHOLE = 400, MOST_PART = 200, MOST_ASKED = 16384 }; // instructions of an unrolled loop
enum { UNKNOWN = 4 };                                           // turns at once where no length divides
enum { SHORT = 8 };                                             // a loop of fewer turns is not worth it
enum { BACK_EDGE = 2 };                                         // instructions of a turn that unrolling saves

struct Analyses {
    LoopInfo &li;
    ScalarEvolution &se;
    DominatorTree &dt;
    AssumptionCache &ac;
    const TargetTransformInfo &tti;
    OptimizationRemarkEmitter &ore;
};

struct Size {
    uint64_t rolled;
    uint64_t unrolled(uint64_t count) const { return (rolled - BACK_EDGE) * count + BACK_EDGE; }
};

// How often a loop of `length` turns is unrolled when it does not vanish.
unsigned known_count(unsigned length, Size size)
{
    unsigned count = length & -length;
    while (count > 1 && size.unrolled(count) > MOST_PART)
        count /= 2;
    for (unsigned way_out = UNKNOWN; count <= 1 && way_out > 1; way_out /= 2)
        if (way_out < length && size.unrolled(way_out) <= MOST_PART)
            count = way_out;
    return count;
}

unsigned unknown_count(Size size, uint64_t most)
{
    unsigned count = UNKNOWN;
    while (count > 1 && size.unrolled(count) > most)
        count /= 2;
    return count;
}

// nvcc would have inlined a function that clang's inliner found too long.
bool would_bring_a_loop(const CallBase &call)
{
    const Function *f = call.getCalledFunction();
    if (!f || f->isDeclaration() || call.isNoInline())
        return heddle::has_loop(call);
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> back_edges;
    FindFunctionBackedges(*f, back_edges);
    return !back_edges.empty();
}

// With what it calls inlined it would be a loop around another.
bool is_around_another(const Loop *loop)
{
    for (const BasicBlock *b : loop->blocks())
        for (const Instruction &i : *b)
            if (auto *call = dyn_cast<CallBase>(&i); call && would_bring_a_loop(*call))
                return true;
    return !loop->isInnermost();
}

bool unroll(Loop *loop, const Analyses &a)
{
    TransformationMode asked = hasUnrollTransformation(loop);
    BasicBlock *exit = loop->getLoopLatch();
    if (exit && !loop->isLoopExiting(exit))
        exit = loop->getExitingBlock();
    if (!exit || is_around_another(loop) || !loop->isLoopSimplifyForm() || (asked & TM_Disable))
        return false;
    unsigned length = a.se.getSmallConstantTripCount(loop, exit), most_turns = a.se.getSmallConstantMaxTripCount(loop);
    if ((asked & TM_Force) && (length || !findOptionMDForLoop(loop, "llvm.loop.unroll.enable")))
        return false;
    SmallPtrSet<const Value *, 32> ephemeral;
    CodeMetrics::collectEphemeralValues(loop, &a.ac, ephemeral);
    UnrollCostEstimator cost(loop, a.tti, ephemeral, BACK_EDGE);
    if (!cost.canUnroll() || cost.NumInlineCandidates || (!length && most_turns && most_turns < SHORT))
        return false;
    Size size = {cost.getRolledLoopSize()};
    if (length && size.unrolled(length) < MOST_WHOLE)
        return false; // clang's unroller has its turn yet
    unsigned count = length ? known_count(length, size) : unknown_count(size, asked & TM_Force ? MOST_ASKED : MOST_PART);
    if (count <= 1)
        return false;
    UnrollLoopOptions how = {};
    how.Count = count;
    how.Runtime = !length;
    how.AllowExpensiveTripCount = true;
    how.UnrollRemainder = loop->getParentLoop();
    Loop *rest = nullptr;
    if (UnrollLoop(loop, how, &a.li, &a.se, &a.dt, &a.ac, &a.tti, &a.ore, true, &rest) == LoopUnrollResult::Unmodified)
        return false;
    loop->setLoopAlreadyUnrolled();
    if (rest)
        rest->setLoopAlreadyUnrolled();
    return true;
}

} // namespace

bool heddle::unroll_loops(Function &f, FunctionAnalysisManager &analyses)
{
    Analyses a = {analyses.getResult<LoopAnalysis>(f),       analyses.getResult<ScalarEvolutionAnalysis>(f),
                  analyses.getResult<DominatorTreeAnalysis>(f), analyses.getResult<AssumptionAnalysis>(f),
                  analyses.getResult<TargetIRAnalysis>(f),   analyses.getResult<OptimizationRemarkEmitterAnalysis>(f)};
    bool changed = false;
    for (Loop *loop : a.li) {
        changed |= simplifyLoop(loop, &a.dt, &a.li, &a.se, &a.ac, nullptr, false);
        changed |= formLCSSARecursively(*loop, a.dt, &a.li, &a.se);
    }
    auto loops = a.li.getLoopsInPreorder();
    for (Loop *loop : reverse(loops)) // the inner ones first
        changed |= unroll(loop, a);
    return changed;
}
