// Values that nobody has set. One lane sets what all lanes of a warp hand to a shuffle (`if (lane == 0) x = atomicAdd(...); x =
// __shfl_sync(m, x, 0);`), which is what CUDA programs do everywhere. Clang says of every parameter and result that it is set
// (noundef), so that LLVM takes the branch for one that all lanes take: they all would add. nvcc says no such thing.
//
// So first nothing is said of a parameter or result that is made of a local variable which no store before it sets for sure. Of the
// others it stays, as LLVM makes other branches without it.
#include "compile/plugin.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

enum { DEEPEST = 8 }; // instructions between a variable and a call that are looked through

// Something before `load` writes to the variable, or to a part of it.
bool is_set_before(const Value *pointer, const Instruction *load, const DominatorTree &tree)
{
    for (const User *user : pointer->users()) {
        auto *i = dyn_cast<Instruction>(user);
        if (!i)
            continue;
        bool writes = isa<StoreInst>(i) || (isa<CallBase>(i) && !i->isLifetimeStartOrEnd());
        if (writes ? tree.dominates(i, load) : (isa<GetElementPtrInst>(i) || isa<CastInst>(i)) && is_set_before(i, load, tree))
            return true;
    }
    return false;
}

// The value may be of a variable that is not set; then what a load says of it goes as well.
bool may_be_unset(Value *v, const DominatorTree &tree, int depth)
{
    auto *i = dyn_cast<Instruction>(v);
    if (!i || depth > DEEPEST || isa<CallBase>(i))
        return false;
    if (auto *load = dyn_cast<LoadInst>(i)) {
        const Value *variable = getUnderlyingObject(load->getPointerOperand());
        if (!isa<AllocaInst>(variable) || is_set_before(variable, load, tree))
            return false;
        load->setMetadata(LLVMContext::MD_noundef, nullptr);
        return true;
    }
    bool some = false;
    for (Value *operand : i->operands())
        some |= may_be_unset(operand, tree, depth + 1);
    return some;
}

bool allow_in_call(CallBase &call, const DominatorTree &tree)
{
    bool changed = false;
    Function *f = call.getCalledFunction();
    for (unsigned i = 0; i < call.arg_size(); i++) {
        if (!call.paramHasAttr(i, Attribute::NoUndef) || !may_be_unset(call.getArgOperand(i), tree, 0))
            continue;
        call.removeParamAttr(i, Attribute::NoUndef);
        if (f && i < f->arg_size())
            f->removeParamAttr(i, Attribute::NoUndef);
        changed = true;
    }
    return changed;
}

bool allow_in_result(ReturnInst &back, const DominatorTree &tree)
{
    Function &f = *back.getFunction();
    if (!back.getReturnValue() || !f.hasRetAttribute(Attribute::NoUndef) || !may_be_unset(back.getReturnValue(), tree, 0))
        return false;
    f.removeRetAttr(Attribute::NoUndef);
    for (User *user : f.users())
        if (auto *call = dyn_cast<CallBase>(user))
            call->removeRetAttr(Attribute::NoUndef);
    return true;
}

} // namespace

bool heddle::allow_unset(Function &f)
{
    bool changed = false;
    DominatorTree tree(f);
    for (Instruction &i : instructions(f)) {
        if (auto *call = dyn_cast<CallBase>(&i))
            changed |= allow_in_call(*call, tree);
        if (auto *back = dyn_cast<ReturnInst>(&i))
            changed |= allow_in_result(*back, tree);
    }
    return changed;
}
