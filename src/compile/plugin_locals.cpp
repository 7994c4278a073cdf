// Local variables, and shared memory of a length that the launch says, are aligned as nvcc aligns them, and as their accesses say.
//
// `extern __shared__ T s[]` lies at a multiple of 16 whatever T is (nvcc 13.0), so neighbours of it are accessed together.
// An array of n bytes lies at a multiple of the largest power of two that divides n, up to 16 (nvcc 13.0: char[8] at 8, char[16] and
// float[4] at 16, float[6] at 8, char[17] at 1; docs/compile.md). Clang takes what the elements need, so that the accesses of
// 16 bytes which programs make of such arrays (reinterpret_cast<uint4 &>) would be misaligned.
// nvcc leaves structs where their members need it. The GPU's stack frame is aligned all the same, and programs whose accesses say
// more than their struct (CUTLASS's fragments) run there. So a variable has what the accesses that name it say.
//
// An access of an array by another type, `__shared__ char s[64]; ((int *)s)[i] = 0`, has the alignment of that type. Clang, which sees the
// array, takes what the array has, and stores four bytes. Arrays of structs are left alone, as these may be packed.
#include "compile/plugin.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

const uint64_t most = 16; // bytes: of the widest access

bool raise(AllocaInst *variable, uint64_t bytes)
{
    if (bytes > most || variable->getAlign().value() >= bytes)
        return false;
    variable->setAlignment(Align(bytes));
    return true;
}

// What the access or one side of a copy says of the variable that it names, if it names one.
bool raise_named(const Value *pointer, MaybeAlign says)
{
    auto *variable = pointer ? dyn_cast<AllocaInst>(getUnderlyingObject(pointer)) : nullptr;
    return variable && says && raise(const_cast<AllocaInst *>(variable), says->value());
}

// A variable that is an array of numbers is named.
bool is_array_of_numbers(const Value *pointer)
{
    const Value *object = getUnderlyingObject(pointer);
    Type *type = nullptr;
    if (auto *local = dyn_cast<AllocaInst>(object))
        type = local->getAllocatedType();
    else if (auto *global = dyn_cast<GlobalVariable>(object))
        type = global->getValueType();
    if (!type || !type->isArrayTy())
        return false;
    while (type->isArrayTy())
        type = type->getArrayElementType();
    return type->isIntegerTy() || type->isFloatingPointTy();
}

// Both sides of a copy are of one type, whose alignment the side that is no such array tells.
bool align_copy(MemTransferInst &copy)
{
    Align to = copy.getDestAlign().valueOrOne(), from = copy.getSourceAlign().valueOrOne();
    if (to < from && from.value() <= most && is_array_of_numbers(copy.getDest()) && !is_array_of_numbers(copy.getSource()))
        copy.setDestAlignment(from);
    else if (from < to && to.value() <= most && is_array_of_numbers(copy.getSource()) && !is_array_of_numbers(copy.getDest()))
        copy.setSourceAlignment(to);
    else
        return false;
    return true;
}

} // namespace

bool heddle::align_types(Function &f)
{
    const DataLayout &layout = f.getDataLayout();
    bool changed = false;
    for (Instruction &i : instructions(f)) {
        if (auto *copy = dyn_cast<MemTransferInst>(&i))
            changed |= align_copy(*copy);
        const Value *pointer = getLoadStorePointerOperand(&i);
        Align natural = pointer ? layout.getABITypeAlign(getLoadStoreType(&i)) : Align();
        if (!pointer || getLoadStoreAlignment(&i) >= natural || natural.value() > most || !is_array_of_numbers(pointer))
            continue;
        if (auto *load = dyn_cast<LoadInst>(&i))
            load->setAlignment(natural);
        else
            cast<StoreInst>(i).setAlignment(natural);
        changed = true;
    }
    return changed;
}

bool heddle::align_arrays(Function &f)
{
    const DataLayout &layout = f.getDataLayout();
    bool changed = false;
    for (Instruction &i : instructions(f)) {
        auto *variable = dyn_cast<AllocaInst>(&i);
        if (!variable || !variable->getAllocatedType()->isArrayTy())
            continue;
        uint64_t bytes = layout.getTypeAllocSize(variable->getAllocatedType()).getFixedValue(), divides = bytes & -bytes;
        changed |= divides && raise(variable, divides < most ? divides : most);
    }
    return changed;
}

bool heddle::align_accessed(Function &f)
{
    bool changed = false;
    for (Instruction &i : instructions(f)) {
        if (const Value *pointer = getLoadStorePointerOperand(&i))
            changed |= raise_named(pointer, getLoadStoreAlignment(&i));
        if (auto *copy = dyn_cast<MemTransferInst>(&i)) {
            changed |= raise_named(copy->getDest(), copy->getDestAlign());
            changed |= raise_named(copy->getSource(), copy->getSourceAlign());
        }
    }
    return changed;
}

bool heddle::align_shared(Module &m)
{
    bool changed = false;
    for (GlobalVariable &variable : m.globals()) {
        auto *array = dyn_cast<ArrayType>(variable.getValueType());
        if (variable.getAddressSpace() != 3 || !variable.isDeclaration() || !array || array->getNumElements())
            continue;
        changed |= variable.getAlign().valueOrOne().value() < most;
        variable.setAlignment(std::max(variable.getAlign().valueOrOne(), Align(most)));
    }
    return changed;
}
