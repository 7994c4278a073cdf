// warpSize is a number that nvcc does not know: it reads PTX's constant WARP_SZ, does not unroll `for (int d = warpSize / 2; d > 0; d /= 2)`
// and divides by it. So the header declares a constant without a value, which the optimiser can hoist and merge, and behind the
// optimiser its loads are that read. Measured with nvcc 13.0.88, 2026-11-27; the test compile.as_nvcc holds the cases.
#include "compile/plugin.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

void find_loads(Value &pointer, SmallVectorImpl<LoadInst *> &loads)
{
    for (User *user : pointer.users()) {
        if (auto *load = dyn_cast<LoadInst>(user); load && load->getType()->isIntegerTy(32))
            loads.push_back(load);
        else if (isa<AddrSpaceCastOperator>(user))
            find_loads(*user, loads);
    }
}

} // namespace

bool heddle::read_warp_size(Module &m)
{
    GlobalVariable *v = m.getNamedGlobal("warpSize");
    if (!v || !v->isDeclaration() || !v->getValueType()->isIntegerTy(32))
        return false;
    SmallVector<LoadInst *, 8> loads;
    find_loads(*v, loads);
    for (LoadInst *load : loads) {
        IRBuilder<> b(load);
        FunctionType *type = FunctionType::get(b.getInt32Ty(), false);
        CallInst *read = b.CreateCall(type, InlineAsm::get(type, "mov.u32 $0, WARP_SZ;", "=r", false));
        read->setDoesNotAccessMemory();
        read->setDoesNotThrow();
        load->replaceAllUsesWith(read);
        load->eraseFromParent();
    }
    v->removeDeadConstantUsers();
    if (v->use_empty()) {
        v->eraseFromParent();
    } else { // its address is taken
        v->setInitializer(ConstantInt::get(v->getValueType(), 32));
        v->setLinkage(GlobalValue::InternalLinkage);
    }
    return true;
}
