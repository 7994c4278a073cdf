// Loops are unrolled as often as nvcc unrolls them: where lanes leave a loop at different turns, the number of
// requests depends on it, and where it reads a local array by its counter, whether the array is in local memory.
//
// Measured with nvcc 13.0.88 (bodies of 1 to 100 sums, 2 to 1024 turns, 2026-11-23; of 10 to 80 loads and stores, 2026-11-27; the test
// compile.as_nvcc holds cases). Its
// unroller is LLVM's with other numbers, and clang's takes them: a loop of known length vanishes when it has less than 400
// instructions then (clang.c: -unroll-threshold), and one whose counter says which element of a local array it accesses when it has
// up to 2440, of at most 407 a turn: without the loop the array may live in registers. An inner loop that stays is unrolled here, behind that, up to 200 instructions:
//  - of known length, by the largest power of two that divides it; without one by 4, 2 with the way out in the middle;
//  - of unknown length, by 4 up to 52 instructions a turn, by 2 up to 95, the rest in a loop of its own, which inside another loop is written out. Barriers and
//    shuffles in it do not matter, nor does a division that it takes to know the length.
// An address at a constant distance from another costs clang nothing. nvcc counts 1 for a member of a struct, and 3 for p[i + 7], which
// it extends and adds up each time. Of a condition that only the counter decides both count the way that a turn goes.
// A function of the math library counts as what nvcc inlines of it (plugin_math.cpp).
// Clang concludes that loops end, so that a counter of `i += 32u` does not wrap around and its turns can be told. nvcc does so where a
// signed counter takes steps of unknown length and nothing else happens in the loop than loads and stores; clang is told so of
// these (LLVM 7: ScalarEvolution::howManyLessThans), and not of others (clang.c: -fno-finite-loops).
// Loops around others stay, unless they vanish by the same numbers, of what is in them as it will be; `#pragma unroll N` is clang's.
#include "compile/plugin.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CodeMetrics.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace {

enum { MOST_WHOLE = 400, MOST_PART = 200, MOST_ASKED = 16384 }; // instructions of an unrolled loop
enum { MOST_BY_4 = 52, MOST_BY_2 = 95 };                        // of a turn of a loop of unknown length
enum { IN_ARRAY = 3, IN_STRUCT = 1, OF_COUNTER = 6 };           // for the address of an element, of a member; that each turn saves when all are written out
enum { MOST_WITH_ARRAY = 2440, MOST_OF_A_TURN = 407 };          // where the counter is an index of a local array
enum { UNKNOWN = 4 };                                           // turns at once where no length divides
enum { SHORT = 8 };                                             // a loop of fewer turns is not worth it
enum { BACK_EDGE = 2 };                                         // instructions of a turn that unrolling saves

const char TOO_LONG[] = "heddle.too.long"; // to be written out whole, but not for nvcc's partial unrolling

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

unsigned unknown_count(Size size)
{
    return size.rolled <= MOST_BY_4 ? UNKNOWN : size.rolled <= MOST_BY_2 ? UNKNOWN / 2 : 1;
}

unsigned asked_count(Size size)
{
    unsigned count = UNKNOWN;
    while (count > 1 && size.unrolled(count) > MOST_ASKED)
        count /= 2;
    return count;
}

// What nvcc computes an address at a constant distance from another by, which costs clang nothing.
unsigned address_size(const Instruction &i)
{
    auto *address = dyn_cast<GetElementPtrInst>(&i);
    if (!address || !address->hasAllConstantIndices() || address->hasAllZeroIndices())
        return 0;
    auto *from = dyn_cast<GetElementPtrInst>(address->getPointerOperand());
    return from && !from->hasAllConstantIndices() && !from->getSourceElementType()->isAggregateType() ? IN_ARRAY : IN_STRUCT;
}

// What a call of the math library is longer where it is inlined than clang takes it for; exp2f is shorter.
int64_t inlined_more(const Instruction &i, const TargetTransformInfo &tti)
{
    int64_t inlined = heddle::inlined_size(i);
    return inlined ? inlined - tti.getInstructionCost(&i, TargetTransformInfo::TCK_CodeSize).getValue().value_or(0) : 0;
}

// Instructions that nvcc has in the loop and clang has not.
int64_t size_more(const Loop *loop, const TargetTransformInfo &tti)
{
    int64_t size = 0;
    for (BasicBlock *b : loop->blocks())
        for (const Instruction &i : *b)
            size += address_size(i) + inlined_more(i, tti);
    return size;
}

// Instructions of a turn. nvcc's counters are 64 bits wide where they say an address: no widening is counted.
uint64_t rolled_size(const Loop *loop, const UnrollCostEstimator &cost, ScalarEvolution &se, const TargetTransformInfo &tti)
{
    uint64_t widened = 0;
    for (BasicBlock *b : loop->blocks())
        for (Instruction &i : *b)
            if ((isa<ZExtInst>(i) || isa<SExtInst>(i)) && i.getType()->isIntegerTy(64)) {
                auto *counter = dyn_cast<SCEVAddRecExpr>(se.getSCEV(i.getOperand(0)));
                widened += counter && counter->getLoop() == loop;
            }
    return std::max<uint64_t>(cost.getRolledLoopSize(), widened + BACK_EDGE + 1) - widened + size_more(loop, tti);
}

// How often the body of a loop that stays is there once it is unrolled, inside another.
unsigned copies_of(const Loop *loop, Size size, ScalarEvolution &se)
{
    unsigned length = se.getSmallConstantTripCount(loop), most_turns = se.getSmallConstantMaxTripCount(loop);
    if (hasUnrollTransformation(loop) != TM_Unspecified || isa<SCEVCouldNotCompute>(se.getBackedgeTakenCount(loop)) || (!length && most_turns && most_turns < SHORT))
        return 1;
    return length ? known_count(length, size) : 2 * unknown_count(size) - 1; // and what is left is written out
}

// The size of the loop when those in it are unrolled as they will be: nvcc unrolls them first. 0: it cannot be told.
uint64_t size_around(const Loop *loop, const UnrollCostEstimator &cost, LoopStandardAnalysisResults &a)
{
    uint64_t size = rolled_size(loop, cost, a.SE, a.TTI);
    for (const Loop *inner : *loop) {
        SmallPtrSet<const Value *, 32> none;
        UnrollCostEstimator inside(inner, a.TTI, none, BACK_EDGE);
        if (!inner->isInnermost() || !inside.canUnroll())
            return 0;
        Size rolled = {rolled_size(inner, inside, a.SE, a.TTI)};
        size += rolled.rolled * (copies_of(inner, rolled, a.SE) - 1);
    }
    return size;
}

bool indexes_an_array(const Loop *loop, ScalarEvolution &se)
{
    for (BasicBlock *b : loop->blocks())
        for (Instruction &i : *b) {
            const Value *address = getLoadStorePointerOperand(&i);
            if (!address || !isa<AllocaInst>(getUnderlyingObject(address)))
                continue;
            const SCEV *place = se.getSCEV(const_cast<Value *>(address));
            if (SCEVExprContains(place, [&](const SCEV *s) { return isa<SCEVAddRecExpr>(s) && cast<SCEVAddRecExpr>(s)->getLoop() == loop; }))
                return true;
        }
    return false;
}

// In how many of the turns the block is executed, as far as only the counter decides.
unsigned turns_of(const BasicBlock *block, const Loop *loop, unsigned length, ScalarEvolution &se)
{
    const BasicBlock *from = block->getSinglePredecessor();
    if (block == loop->getHeader() || !from || !loop->contains(from))
        return length;
    unsigned before = turns_of(from, loop, length, se);
    auto *branch = dyn_cast<BranchInst>(from->getTerminator());
    auto *asked = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    auto *counter = asked && asked->getOperand(0)->getType()->isIntegerTy() ? dyn_cast<SCEVAddRecExpr>(se.getSCEV(asked->getOperand(0))) : nullptr;
    auto *limit = asked ? dyn_cast<ConstantInt>(asked->getOperand(1)) : nullptr;
    if (!counter || !limit || counter->getLoop() != loop || !counter->isAffine() || branch->getSuccessor(0) == branch->getSuccessor(1))
        return before;
    unsigned turns = 0;
    for (unsigned i = 0; i < length; i++) {
        auto *now = dyn_cast<SCEVConstant>(counter->evaluateAtIteration(se.getConstant(counter->getType(), i), se));
        if (!now)
            return before;
        turns += ICmpInst::compare(now->getAPInt(), limit->getValue(), asked->getPredicate()) == (branch->getSuccessor(0) == block);
    }
    return std::min(before, turns);
}

// Instructions of an inner loop that is written out whole.
uint64_t whole_size(const Loop *loop, unsigned length, const SmallPtrSetImpl<const Value *> &ephemeral, LoopStandardAnalysisResults &a)
{
    uint64_t size = BACK_EDGE;
    for (BasicBlock *b : loop->blocks()) {
        uint64_t turn = 0;
        for (const Instruction &i : *b)
            if (!ephemeral.contains(&i))
                turn += uint64_t(a.TTI.getInstructionCost(&i, TargetTransformInfo::TCK_CodeSize).getValue().value_or(0)) + address_size(i) + inlined_more(i, a.TTI);
        size += turn * turns_of(b, loop, length, a.SE);
    }
    return size - std::min<uint64_t>(size, uint64_t(OF_COUNTER + BACK_EDGE) * length);
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

// A counter of it takes steps that do not change, of a length that is not known, and does not overflow.
bool has_signed_counter(const Loop &loop)
{
    const BasicBlock *latch = loop.getLoopLatch();
    return latch && any_of(loop.getHeader()->phis(), [&](const PHINode &counter) {
        auto *next = dyn_cast<BinaryOperator>(counter.getIncomingValueForBlock(latch));
        if (!next || next->getOpcode() != Instruction::Add || !next->hasNoSignedWrap() || !is_contained(next->operands(), &counter))
            return false;
        const Value *step = next->getOperand(next->getOperand(0) == &counter);
        auto *load = dyn_cast<LoadInst>(step); // warpSize
        auto *variable = load ? dyn_cast<GlobalVariable>(getUnderlyingObject(load->getPointerOperand())) : nullptr;
        return !isa<Constant>(step) && (loop.isLoopInvariant(step) || (variable && variable->isConstant()));
    });
}

bool happens_nothing(const Loop &loop)
{
    for (const BasicBlock *b : loop.blocks())
        for (const Instruction &i : *b) {
            auto *store = dyn_cast<StoreInst>(&i);
            if (store ? !store->isSimple() : i.mayHaveSideEffects())
                return false;
        }
    return true;
}

bool unroll(Loop *loop, const Analyses &a)
{
    TransformationMode asked = hasUnrollTransformation(loop);
    BasicBlock *exit = loop->getLoopLatch();
    if (exit && !loop->isLoopExiting(exit))
        exit = loop->getExitingBlock();
    bool too_long = findOptionMDForLoop(loop, TOO_LONG);
    if (too_long)
        asked = TM_Unspecified;
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
    if (length && !too_long && size.unrolled(length) < MOST_WHOLE)
        return false; // clang's unroller has its turn yet
    size.rolled += size_more(loop, a.tti);
    unsigned count = length ? known_count(length, size) : asked & TM_Force ? asked_count(size) : unknown_count(size);
    if (count <= 1)
        return false;
    UnrollLoopOptions how = {};
    how.Count = count;
    how.Runtime = !length;
    how.AllowExpensiveTripCount = true;
    how.UnrollRemainder = loop->getParentLoop();
    Loop *rest = nullptr;
    LoopUnrollResult done = UnrollLoop(loop, how, &a.li, &a.se, &a.dt, &a.ac, &a.tti, &a.ore, true, &rest);
    if (done == LoopUnrollResult::Unmodified)
        return false;
    if (done == LoopUnrollResult::PartiallyUnrolled) { // else there is no loop any more
        loop->setLoopAlreadyUnrolled();
        if (!(asked & TM_Force))
            addStringMetadataToLoop(loop, heddle::BY_ITSELF, 1);
    }
    if (rest)
        rest->setLoopAlreadyUnrolled();
    return true;
}

} // namespace

bool heddle::tell_ends(Function &f)
{
    DominatorTree dt(f);
    LoopInfo li(dt);
    bool changed = false;
    for (Loop *loop : li.getLoopsInPreorder())
        if (has_signed_counter(*loop) && happens_nothing(*loop)) {
            addStringMetadataToLoop(loop, "llvm.loop.mustprogress", 1);
            changed = true;
        }
    return changed;
}

void heddle::ask_for_unrolling(Loop &loop, LoopStandardAnalysisResults &a)
{
    unsigned length = a.SE.getSmallConstantTripCount(&loop), most_turns = a.SE.getSmallConstantMaxTripCount(&loop);
    if ((!length && !most_turns) || hasUnrollTransformation(&loop) != TM_Unspecified)
        return;
    SmallPtrSet<const Value *, 32> ephemeral;
    CodeMetrics::collectEphemeralValues(&loop, &a.AC, ephemeral);
    UnrollCostEstimator cost(&loop, a.TTI, ephemeral, BACK_EDGE);
    Size size = {cost.canUnroll() && !cost.NumInlineCandidates ? size_around(&loop, cost, a) : 0};
    if (!size.rolled)
        return;
    if (!length) {
        if (size.rolled <= MOST_OF_A_TURN && size.unrolled(most_turns) <= MOST_WITH_ARRAY && indexes_an_array(&loop, a.SE))
            addStringMetadataToLoop(&loop, "llvm.loop.unroll.enable", 1); // up to -unroll-max-upperbound
        return;
    }
    if (size.rolled <= MOST_OF_A_TURN && size.unrolled(length) <= MOST_WITH_ARRAY && indexes_an_array(&loop, a.SE))
        addStringMetadataToLoop(&loop, "llvm.loop.unroll.full", 1);
    else if (!loop.isInnermost() && size.unrolled(length) >= MOST_WHOLE)
        addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable", 1);
    else if (loop.isInnermost() && length < MOST_WHOLE && whole_size(&loop, length, ephemeral, a) >= MOST_WHOLE) {
        addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable", 1);
        addStringMetadataToLoop(&loop, TOO_LONG, 1);
    }
}

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
