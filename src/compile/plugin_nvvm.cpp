// NVVM IR (docs/nvvm.md) names intrinsics that LLVM has under other names. LLVM takes them for functions that are defined elsewhere.
#include "compile/plugin.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace {

// cudaGetParameterBufferV2(function, grid, block, shared) has two structs of three words; the executor's has words.
bool split_arguments(Module &m)
{
    Function *f = m.getFunction("cudaGetParameterBufferV2");
    if (!f || !f->isDeclaration() || f->arg_size() != 4)
        return false;
    LLVMContext &c = m.getContext();
    Type *word = Type::getInt32Ty(c), *pointer = f->getReturnType();
    SmallVector<Type *, 8> types = {f->getArg(0)->getType()};
    types.append(7, word);
    FunctionCallee words = m.getOrInsertFunction("__heddle_parameter_buffer", FunctionType::get(pointer, types, false));
    for (User *user : make_early_inc_range(f->users())) {
        auto *call = dyn_cast<CallInst>(user);
        if (!call || call->getCalledFunction() != f)
            continue;
        IRBuilder<> b(call);
        SmallVector<Value *, 8> values = {call->getArgOperand(0)};
        for (unsigned i = 0; i < 6; i++)
            values.push_back(b.CreateExtractValue(call->getArgOperand(1 + i / 3), i % 3));
        values.push_back(call->getArgOperand(3));
        call->replaceAllUsesWith(b.CreateCall(words, values));
        call->eraseFromParent();
    }
    return true;
}

} // namespace

namespace heddle {

bool name_as_llvm(Module &m, bool ftz)
{
    bool changed = split_arguments(m) || ftz;
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
