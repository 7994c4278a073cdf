// Atomics whose state space clang 19 does not look for: what it has as intrinsic functions of generic pointers gets a
// pointer of the space where it comes from, as every other access does. A kernel's parameter points to global memory.
// Those of a scope (atomicAdd_system(), atomicMin_block()) clang's back end knows with generic pointers only: they become inline PTX.
#include "compile/plugin.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace {

enum { GENERIC = 0, GLOBAL = 1, SHARED = 3 };

unsigned space_of(const Value *pointer, bool kernel)
{
    const Value *object = getUnderlyingObject(pointer, 0);
    if (isa<Argument>(object) && kernel)
        return GLOBAL;
    return isa<GlobalVariable>(object) ? object->getType()->getPointerAddressSpace() : GENERIC;
}

// atomicInc() or atomicDec() of the device's scope.
bool is_counter(const CallInst &call)
{
    Intrinsic::ID id = call.getIntrinsicID();
    return id == Intrinsic::nvvm_atomic_load_inc_32 || id == Intrinsic::nvvm_atomic_load_dec_32;
}

void name_counter(CallInst *call, unsigned space)
{
    IRBuilder<> b(call);
    Value *pointer = b.CreateAddrSpaceCast(call->getArgOperand(0), b.getPtrTy(space));
    Value *old = b.CreateIntrinsic(call->getIntrinsicID(), {pointer->getType()}, {pointer, call->getArgOperand(1)});
    call->replaceAllUsesWith(old);
    call->eraseFromParent();
}

// "global.": of a pointer of that space.
const char *name_of(unsigned space)
{
    return space == GLOBAL ? "global." : "shared.";
}

const char *letter(const Type *type)
{
    return type->isFloatTy() ? "f" : type->isDoubleTy() ? "d" : type->isIntegerTy(16) ? "h" : type->isIntegerTy(32) ? "r" : "l";
}

// llvm.nvvm.atomic.add.gen.i.sys.i32.p0 is "sys.add.u32"; empty: no atomic of a scope.
std::string scoped(const CallInst &call)
{
    SmallVector<StringRef, 12> words;
    const Function *f = call.getCalledFunction();
    if (!f || !f->getName().starts_with("llvm.nvvm.atomic."))
        return "";
    f->getName().split(words, '.');
    if (words.size() < 8 || words[4] != "gen")
        return "";
    StringRef op = words[3];
    const char *kind = op == "max" || op == "min" ? "s" : words[5] == "f" ? "f" : op == "add" || op == "inc" || op == "dec" ? "u" : "b";
    return (words[6] + "." + op + "." + kind + words[7].drop_front()).str();
}

// The text of our headers' inline PTX where clang 19 has no right builtin (heddle/device/atomics.h); empty: something else.
std::string inlined(const CallInst &call)
{
    auto *text = dyn_cast<InlineAsm>(call.getCalledOperand());
    StringRef rest = text ? StringRef(text->getAsmString()) : "";
    if (!rest.consume_front("atom."))
        return "";
    StringRef op = rest.split(' ').first;
    bool is_ours = op == "cas.b16";
    for (const char *scope : {"cta.", "sys."})
        for (const char *which : {"min.u", "max.u"})
            is_ours |= op.starts_with((Twine(scope) + which).str());
    return is_ours ? op.str() : "";
}

// `call` becomes "atom.global.OP": its operands stay, the first of them, the address, is of the space.
void name_space(CallInst *call, const std::string &op, unsigned space)
{
    IRBuilder<> b(call);
    SmallVector<Value *, 3> operands(call->args());
    SmallVector<Type *, 3> types;
    operands[0] = b.CreateAddrSpaceCast(operands[0], b.getPtrTy(space));
    std::string text = std::string("atom.") + name_of(space) + op + " $0, [$1]", constraints = std::string("=") + letter(call->getType());
    for (size_t i = 0; i < operands.size(); i++) {
        types.push_back(operands[i]->getType());
        constraints += std::string(",") + (i ? letter(types[i]) : "l");
        text += i ? ", $" + std::to_string(i + 1) : "";
    }
    FunctionType *type = FunctionType::get(call->getType(), types, false);
    CallInst *made = b.CreateCall(InlineAsm::get(type, text + ";", constraints + ",~{memory}", true), operands);
    made->setDebugLoc(call->getDebugLoc());
    call->replaceAllUsesWith(made);
    call->eraseFromParent();
}

} // namespace

// CUDA's atomics are relaxed (programming guide, "Atomic Functions"), as is what clang's back end makes of them. Clang's builtins say
// that they are sequentially consistent, and no access could be moved past one or be done once on both sides of it. Those of
// cuda::atomic are inline PTX with fences of their own.
bool heddle::relax_atomics(Function &f)
{
    bool changed = false;
    for (Instruction &i : instructions(f)) {
        auto *exchange = dyn_cast<AtomicCmpXchgInst>(&i);
        auto *atomic = dyn_cast<AtomicRMWInst>(&i);
        if (exchange) {
            exchange->setSuccessOrdering(AtomicOrdering::Monotonic);
            exchange->setFailureOrdering(AtomicOrdering::Monotonic);
        } else if (atomic) {
            atomic->setOrdering(AtomicOrdering::Monotonic);
        }
        changed |= exchange || atomic;
    }
    return changed;
}

bool heddle::is_kernel(const Function &f)
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

bool heddle::name_spaces(Function &f)
{
    SmallVector<CallInst *, 8> calls;
    for (Instruction &i : instructions(f))
        if (auto *call = dyn_cast<CallInst>(&i))
            if (is_counter(*call) || !scoped(*call).empty() || !inlined(*call).empty())
                calls.push_back(call);
    bool changed = false, kernel = !calls.empty() && is_kernel(f);
    for (CallInst *call : calls) {
        unsigned space = space_of(call->getArgOperand(0), kernel);
        if (space != GLOBAL && space != SHARED)
            continue;
        std::string op = scoped(*call) + inlined(*call);
        if (!op.empty())
            name_space(call, op, space);
        else
            name_counter(call, space);
        changed = true;
    }
    return changed;
}
