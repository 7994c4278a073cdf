// A store before a branch and one to the same place behind it: `out[i] = 0; if (far) return; out[i] = f(i);`. nvcc makes
// one store of them where the ways meet again, before it inlines f; clang has inlined f by then, and does so only when the
// branch is a single block. So here every branch between the two stores must come from inlining, as its location tells.
// Measured with nvcc 13.0.88, 2026-11-21; the test compile.as_nvcc holds the cases.
#include "compile/plugin.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"

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

} // namespace

bool heddle::join_stores(Function &f, AAResults &aa)
{
    bool changed = false;
    for (BasicBlock &block : f)
        changed |= meet(block, aa);
    return changed;
}
