// A reference to one of several local variables, `f(c ? a : b)` with an `f(const int &x)`. Clang's optimiser loads all of them and
// selects a value, so that the variables live in registers. nvcc does so only where one load is left by then; otherwise it keeps the
// variables in local memory.
//
// Measured with nvcc 13.0.88, 2026-11-28, 90 kernels: they stay where something is stored through the reference, and where it is read
// behind a condition and again in a block that the first read leads to, be it in a loop, in a branch, or in a function that is inlined.
// What is read where the reference is made, or on every way from there, does not count. The test compile.as_nvcc holds cases.
//
// The reference is hidden from the start, before anything merges reads, by an intrinsic that the optimiser sees through everywhere but
// where it would take variables apart. It stays in the end, as the back end would do the same, and says that the memory is local.
#include "compile/plugin.h"

#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {

enum { DEEPEST_CALL = 8 }; // that is looked into
enum { LOCAL = 5 };        // LLVM's number of that space

enum How { NOT, ONCE, STAYS }; // how what a pointer points to is accessed

struct Accesses {
    SmallVector<const Instruction *, 8> reads;
    bool stays = false; // by one of them alone
};

How accessed(const Value &pointer, const BasicBlock &from, int depth);

// A variable that holds one pointer all the time.
bool holds_one(const AllocaInst &variable)
{
    return count_if(variable.users(), [](const User *u) { return isa<StoreInst>(u); }) == 1 &&
           all_of(variable.users(), [&](const User *u) {
               auto *i = cast<Instruction>(u);
               return isa<LoadInst>(i) || i->isLifetimeStartOrEnd() || (isa<StoreInst>(i) && cast<StoreInst>(i)->getPointerOperand() == &variable);
           });
}

void collect(const Value &pointer, Accesses &a, int depth);

void collect_call(const CallBase &call, const Use &use, Accesses &a, int depth)
{
    if (auto *copy = dyn_cast<MemTransferInst>(&call)) {
        a.stays |= copy->getRawDest() == use.get();
        a.reads.push_back(copy);
        return;
    }
    const Function *f = call.getCalledFunction();
    if (!f || f->isDeclaration() || f->isVarArg() || !call.isArgOperand(&use) || depth >= DEEPEST_CALL)
        return;
    How how = accessed(*f->getArg(call.getArgOperandNo(&use)), f->getEntryBlock(), depth + 1);
    a.stays |= how == STAYS;
    if (how != NOT)
        a.reads.push_back(&call);
}

void collect(const Value &pointer, Accesses &a, int depth)
{
    for (const Use &use : pointer.uses()) {
        auto *i = dyn_cast<Instruction>(use.getUser());
        if (!i)
            continue;
        if (isa<LoadInst>(i))
            a.reads.push_back(i);
        else if (auto *store = dyn_cast<StoreInst>(i)) {
            if (store->getPointerOperand() == &pointer)
                a.stays = true;
            else if (auto *variable = dyn_cast<AllocaInst>(store->getPointerOperand()); variable && holds_one(*variable))
                for (const User *load : variable->users())
                    if (isa<LoadInst>(load))
                        collect(*load, a, depth);
        } else if (isa<GetElementPtrInst>(i))
            collect(*i, a, depth);
        else if (auto *call = dyn_cast<CallBase>(i))
            collect_call(*call, use, a, depth);
    }
}

How accessed(const Value &pointer, const BasicBlock &from, int depth)
{
    Accesses a;
    collect(pointer, a, depth);
    if (a.stays)
        return STAYS;
    if (a.reads.size() < 2)
        return a.reads.empty() ? NOT : ONCE;
    auto &f = const_cast<Function &>(*from.getParent());
    DominatorTree leads(f);
    PostDominatorTree ends(f);
    for (const Instruction *first : a.reads)
        if (first->getParent() != &from && !ends.dominates(first->getParent(), &from))
            for (const Instruction *second : a.reads)
                if (leads.properlyDominates(first->getParent(), second->getParent()))
                    return STAYS;
    return ONCE;
}

// A reference that is bound: stored in a variable, or handed on.
bool is_bound(const PHINode &phi)
{
    return phi.getType()->isPointerTy() && all_of(phi.users(), [&](const User *u) {
               auto *store = dyn_cast<StoreInst>(u);
               return isa<CallBase>(u) || (store && store->getValueOperand() == &phi);
           }) &&
           any_of(phi.incoming_values(), [](const Value *v) { return isa<AllocaInst>(v->stripInBoundsConstantOffsets()); });
}

} // namespace

bool heddle::hide_references(Function &f)
{
    SmallVector<PHINode *, 4> hidden;
    for (BasicBlock &b : f)
        for (PHINode &phi : b.phis())
            if (is_bound(phi) && accessed(phi, b, 0) == STAYS)
                hidden.push_back(&phi);
    for (PHINode *phi : hidden) {
        IRBuilder<> b(phi->getParent(), phi->getParent()->getFirstInsertionPt());
        Value *reference = b.CreateStripInvariantGroup(phi);
        phi->replaceUsesWithIf(reference, [&](const Use &u) { return u.getUser() != reference; });
    }
    return !hidden.empty();
}

bool heddle::name_references(Function &f)
{
    SmallVector<IntrinsicInst *, 4> hidden;
    for (Instruction &i : instructions(f))
        if (auto *call = dyn_cast<IntrinsicInst>(&i); call && call->getIntrinsicID() == Intrinsic::strip_invariant_group)
            hidden.push_back(call);
    bool changed = false;
    for (IntrinsicInst *reference : hidden) {
        SmallVector<const Value *, 4> objects;
        getUnderlyingObjects(reference, objects);
        if (!all_of(objects, [](const Value *v) { return isa<AllocaInst>(v); }))
            continue;
        IRBuilder<> b(reference->getNextNode());
        Value *local = b.CreateAddrSpaceCast(reference, b.getPtrTy(LOCAL)), *again = b.CreateAddrSpaceCast(local, reference->getType());
        reference->replaceUsesWithIf(again, [&](const Use &u) { return u.getUser() != local; });
        changed = true;
    }
    return changed;
}
