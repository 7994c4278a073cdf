// Atomics whose state space clang 19 does not look for: what it has as intrinsic functions of generic pointers gets a
// pointer of the space where it comes from, as every other access does. A kernel's parameter points to global memory.
#include "compile/plugin.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace {

enum { GENERIC = 0, GLOBAL = 1 };

bool is_kernel(const Function &f)
{
    const NamedMDNode *notes = f.getParent()->getNamedMetadata("nvvm.annotations");
    for (unsigned i = 0; notes && i < notes->getNumOperands(); i++) {
        const MDNode *note = notes->getOperand(i);
        auto *what = note->getNumOperands() > 1 ? dyn_cast<MDString>(note->getOperand(1)) : nullptr;
        auto *who = dyn_cast_or_null<ValueAsMetadata>(note->getOperand(0).get());
        if (who && what && who->getValue() == &f && what->getString() == "kernel")
            return true;
    }
    return false;
}

unsigned space_of(const Value *pointer, bool kernel)
{
    const Value *object = getUnderlyingObject(pointer, 0);
    if (isa<Argument>(object) && kernel)
        return GLOBAL;
    return isa<GlobalVariable>(object) ? object->getType()->getPointerAddressSpace() : GENERIC;
}

} // namespace

bool heddle::name_spaces(Function &f)
{
    SmallVector<IntrinsicInst *, 8> calls;
    for (Instruction &i : instructions(f))
        if (auto *call = dyn_cast<IntrinsicInst>(&i))
            if (call->getIntrinsicID() == Intrinsic::nvvm_atomic_load_inc_32 ||
                call->getIntrinsicID() == Intrinsic::nvvm_atomic_load_dec_32)
                calls.push_back(call);
    bool changed = false, kernel = !calls.empty() && is_kernel(f);
    for (IntrinsicInst *call : calls) {
        unsigned space = space_of(call->getArgOperand(0), kernel);
        if (space == GENERIC)
            continue;
        IRBuilder<> b(call);
        Value *pointer = b.CreateAddrSpaceCast(call->getArgOperand(0), b.getPtrTy(space));
        Value *old = b.CreateIntrinsic(call->getIntrinsicID(), {pointer->getType()}, {pointer, call->getArgOperand(1)});
        call->replaceAllUsesWith(old);
        call->eraseFromParent();
        changed = true;
    }
    return changed;
}
