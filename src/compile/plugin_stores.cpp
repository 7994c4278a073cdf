// A store before a branch and one to the same place behind it: `out[i] = 0; if (far) return; out[i] = f(i);`. nvcc makes
// one store of them where the ways meet again, before it inlines f; clang has inlined f by then, and does so only when the
// branch is a single block. So here every branch between the two stores must come from inlining, as its location tells.
//
// And stores at the ends of both ways of a branch in a loop: `if (c[i]) o[t] = x; else o[t] += y;`. Where the address is one
// value from the start, both compilers make one store of them, which waits for the end of the loop. Otherwise the addresses
// are one only when loads have been merged (GVN). nvcc moves stores behind loops before that and once more when it has
// unrolled; it makes one store of the two at the very end, so they stay in the loop.
//
// And `x = t[a]; t[a] = t[b]; t[b] += x;`: t[b] is loaded twice, since t[a] may be the same. Clang sees that t[b] would then hold what
// it held before (MemoryDependenceAnalysis, canSkipClobberingStore).
// Measured with nvcc 13.0.88, 2026-11-21 and 28; the test compile.as_nvcc holds the cases.
#include "compile/plugin.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

bool touches(const Instruction &i, const MemoryLocation &what, AAResults &aa)
{
    return i.mayReadOrWriteMemory() && isModOrRefSet(aa.getModRefInfo(&i, what));
}

// The last access of the block to what a store of it writes is that store.
StoreInst *last_store(BasicBlock &block, const Value *pointer, AAResults &aa)
{
    for (Instruction &i : reverse(block)) {
        auto *store = dyn_cast<StoreInst>(&i);
        if (store && store->isSimple() && (!pointer || store->getPointerOperand() == pointer))
            return store;
        if (pointer ? touches(i, MemoryLocation::getBeforeOrAfter(pointer), aa) : i.mayReadOrWriteMemory())
            return nullptr;
    }
    return nullptr;
}

// The blocks from `entry` up to `last`, if there is no other way in or out and none of them touches `what`.
bool is_closed(BasicBlock *before, BasicBlock *entry, BasicBlock *last, const StoreInst *final, const MemoryLocation &what,
               AAResults &aa)
{
    SmallPtrSet<BasicBlock *, 16> inside;
    SmallVector<BasicBlock *, 16> todo{entry};
    bool ends = false;
    while (!todo.empty()) {
        BasicBlock *block = todo.pop_back_val();
        if (block == before)
            return false;
        if (!inside.insert(block).second)
            continue;
        for (Instruction &i : *block)
            if (&i != final && touches(i, what, aa))
                return false;
        const DILocation *at = block->getTerminator()->getDebugLoc();
        if (block->getTerminator()->getNumSuccessors() > 1 && !(at && at->getInlinedAt()))
            return false;
        if (block == last) {
            ends = true;
            continue;
        }
        if (succ_empty(block))
            return false;
        append_range(todo, successors(block));
    }
    for (BasicBlock *block : inside)
        for (BasicBlock *from : predecessors(block))
            if (!inside.contains(from) && !(from == before && block == entry))
                return false;
    return ends;
}

bool meet(BasicBlock &before, AAResults &aa)
{
    auto *branch = dyn_cast<BranchInst>(before.getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
        return false;
    for (unsigned side = 0; side < 2; side++) {
        BasicBlock *after = branch->getSuccessor(side), *entry = branch->getSuccessor(1 - side), *last = nullptr;
        if (!after->hasNPredecessors(2))
            continue;
        for (BasicBlock *from : predecessors(after))
            last = from == &before ? last : from;
        StoreInst *second = last && last->getSingleSuccessor() ? last_store(*last, nullptr, aa) : nullptr;
        StoreInst *first = second ? last_store(before, second->getPointerOperand(), aa) : nullptr;
        if (!first || first->getValueOperand()->getType() != second->getValueOperand()->getType() ||
            !is_closed(&before, entry, last, second, MemoryLocation::get(second), aa))
            continue;
        IRBuilder<> b(&after->front());
        PHINode *value = b.CreatePHI(first->getValueOperand()->getType(), 2);
        value->addIncoming(first->getValueOperand(), &before);
        value->addIncoming(second->getValueOperand(), last);
        b.SetInsertPoint(after, after->getFirstInsertionPt());
        b.SetCurrentDebugLocation(second->getDebugLoc());
        StoreInst *both = b.CreateAlignedStore(value, second->getPointerOperand(), std::min(first->getAlign(), second->getAlign()));
        both->setAAMetadata(first->getAAMetadata().merge(second->getAAMetadata()));
        first->eraseFromParent();
        second->eraseFromParent();
        return true;
    }
    return false;
}

// What says of a function that its loads have been merged.
constexpr const char *merged = "heddle-merged";

// The store that is the last of the block, which leads nowhere else than to `meet`.
StoreInst *ends_with_store(BasicBlock *block, BasicBlock *meet)
{
    auto *store = block->getSingleSuccessor() == meet ? dyn_cast_or_null<StoreInst>(block->getTerminator()->getPrevNonDebugInstruction()) : nullptr;
    return store && store->isSimple() ? store : nullptr;
}

// Both ways that meet here end with a store to the same place, as InstCombine asks.
bool both_store(BasicBlock &meet, StoreInst *(&stores)[2])
{
    if (!meet.hasNPredecessors(2))
        return false;
    unsigned n = 0;
    for (BasicBlock *way : predecessors(&meet))
        if (way == &meet || !(stores[n++] = ends_with_store(way, &meet)))
            return false;
    return stores[0] != stores[1] && stores[0]->getPointerOperand() == stores[1]->getPointerOperand() &&
           stores[0]->getValueOperand()->getType() == stores[1]->getValueOperand()->getType();
}

} // namespace

void heddle::allow_promotion(bool allowed)
{
    if (cl::Option *disabled = cl::getRegisteredOptions().lookup("disable-licm-promotion"))
        static_cast<cl::opt<bool> *>(disabled)->setValue(!allowed);
}

void heddle::keep_in_loops(Function &f)
{
    f.addFnAttr(merged);
    allow_promotion(false);
}

bool heddle::join_blocks(Function &f)
{
    bool changed = false;
    if (f.hasFnAttribute(merged))
        for (BasicBlock &block : make_early_inc_range(f))
            changed |= MergeBlockIntoPredecessor(&block);
    return changed;
}

void heddle::hide_ways(Function &f, Hidden &hidden)
{
    if (!f.hasFnAttribute(merged))
        return;
    StoreInst *stores[2];
    for (BasicBlock &block : f)
        if (both_store(block, stores)) {
            stores[0]->setVolatile(true);
            hidden.emplace_back(stores[0]);
        }
}

void heddle::show_ways(Hidden &hidden)
{
    for (WeakVH &store : hidden)
        if (auto *shown = dyn_cast_or_null<StoreInst>(store))
            shown->setVolatile(false);
    hidden.clear();
}

bool heddle::join_ways(Function &f)
{
    bool changed = false;
    StoreInst *stores[2];
    for (BasicBlock &block : f) {
        if (!both_store(block, stores))
            continue;
        IRBuilder<> b(&block, block.begin());
        Value *value = stores[0]->getValueOperand();
        if (value != stores[1]->getValueOperand()) {
            PHINode *phi = b.CreatePHI(value->getType(), 2);
            for (StoreInst *store : stores)
                phi->addIncoming(store->getValueOperand(), store->getParent());
            value = phi;
        }
        b.SetInsertPoint(&block, block.getFirstInsertionPt());
        b.SetCurrentDebugLocation(DILocation::getMergedLocation(stores[0]->getDebugLoc(), stores[1]->getDebugLoc()));
        StoreInst *both = b.CreateAlignedStore(value, stores[0]->getPointerOperand(), std::min(stores[0]->getAlign(), stores[1]->getAlign()));
        both->setAAMetadata(stores[0]->getAAMetadata().merge(stores[1]->getAAMetadata()));
        stores[0]->eraseFromParent();
        stores[1]->eraseFromParent();
        changed = true;
    }
    return changed;
}

bool heddle::join_stores(Function &f, AAResults &aa)
{
    bool changed = false;
    for (BasicBlock &block : f)
        changed |= meet(block, aa);
    return changed;
}

// Its place is loaded from somewhere else, too.
static bool is_loaded_again(const LoadInst &load)
{
    return any_of(load.getPointerOperand()->users(), [&](const User *user) { return user != &load && isa<LoadInst>(user); });
}

void heddle::hide_loaded(Function &f, Hidden &hidden)
{
    for (Instruction &i : instructions(f)) {
        auto *store = dyn_cast<StoreInst>(&i);
        auto *loaded = store ? dyn_cast<LoadInst>(store->getValueOperand()) : nullptr;
        if (!loaded || loaded->getParent() != store->getParent() || !is_loaded_again(*loaded))
            continue;
        auto *frozen = new FreezeInst(loaded, "", store->getIterator());
        store->setOperand(0, frozen);
        hidden.push_back(frozen);
    }
}
