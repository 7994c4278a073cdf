// NVVM IR (docs/nvvm.md) names intrinsics that LLVM has under other names. LLVM takes them for functions that are defined elsewhere.
#include "compile/plugin.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace heddle {

bool name_as_llvm(Module &m, bool ftz)
{
    bool changed = ftz;
    if (Function *f = m.getFunction("llvm.cuda.syncthreads")) {
        f->replaceAllUsesWith(Intrinsic::getDeclaration(&m, Intrinsic::nvvm_barrier0));
        f->eraseFromParent();
        changed = true;
    }
    for (Function &f : m)
        if (ftz && !f.isDeclaration())
            f.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    return changed;
}

} // namespace heddle
