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

// Shuffles and votes: NVVM has one intrinsic for each with the kind as second operand, LLVM one for each kind. A result of two is the
// same struct; a vote's has the ballot or what was decided.
struct Kinds {
    const char *name;
    Intrinsic::ID of[4];
    bool two; // the result has both
};

constexpr Kinds KINDS[] = {
    {"llvm.nvvm.shfl.sync.i32",
     {Intrinsic::nvvm_shfl_sync_idx_i32p, Intrinsic::nvvm_shfl_sync_up_i32p, Intrinsic::nvvm_shfl_sync_down_i32p, Intrinsic::nvvm_shfl_sync_bfly_i32p},
     true},
    {"llvm.nvvm.vote.sync",
     {Intrinsic::nvvm_vote_all_sync, Intrinsic::nvvm_vote_any_sync, Intrinsic::nvvm_vote_uni_sync, Intrinsic::nvvm_vote_ballot_sync}, false},
};

bool take_kind(CallInst *call, const Kinds &k)
{
    auto *kind = dyn_cast<ConstantInt>(call->getArgOperand(1));
    if (!kind || kind->getZExtValue() > 3)
        return false; // PTX has no such instruction: what links it says that the function is missing
    IRBuilder<> b(call);
    SmallVector<Value *, 4> values(call->args());
    values.erase(values.begin() + 1);
    Value *result = b.CreateCall(Intrinsic::getDeclaration(call->getModule(), k.of[kind->getZExtValue()]), values);
    if (!k.two)
        result = b.CreateInsertValue(PoisonValue::get(call->getType()), result, result->getType()->isIntegerTy(1));
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
    return true;
}

// Until their kinds are constants they are functions that must not be moved to where other lanes are.
bool keep_kinds(Module &m)
{
    bool changed = false;
    for (const Kinds &k : KINDS)
        if (Function *f = m.getFunction(k.name)) {
            f->setConvergent();
            f->setDoesNotThrow();
            changed = true;
        }
    return changed;
}

// The same operands and results under another name.
bool rename(Module &m, const char *name, Intrinsic::ID as)
{
    Function *f = m.getFunction(name);
    if (!f)
        return false;
    f->replaceAllUsesWith(Intrinsic::getDeclaration(&m, as));
    f->eraseFromParent();
    return true;
}

} // namespace

namespace heddle {

bool name_as_llvm(Module &m, bool ftz)
{
    bool changed = split_arguments(m) || ftz;
    changed |= rename(m, "llvm.cuda.syncthreads", Intrinsic::nvvm_barrier0);
    changed |= rename(m, "llvm.nvvm.match.all.sync.i32", Intrinsic::nvvm_match_all_sync_i32p);
    changed |= rename(m, "llvm.nvvm.match.all.sync.i64", Intrinsic::nvvm_match_all_sync_i64p);
    changed |= keep_kinds(m);
    for (Function &f : m)
        if (ftz && !f.isDeclaration())
            f.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    return changed;
}

bool name_kinds(Module &m)
{
    bool changed = false;
    for (const Kinds &k : KINDS)
        if (Function *f = m.getFunction(k.name))
            for (User *user : make_early_inc_range(f->users()))
                if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == f)
                    changed |= take_kind(call, k);
    return changed;
}

} // namespace heddle
