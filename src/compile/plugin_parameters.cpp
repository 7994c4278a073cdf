// Parameters of kernels that are structs. nvcc copies one of up to 128 bytes, member by member, to a local variable where the kernel
// begins. The optimiser mostly dissolves the variable; it stays where lanes index an array of it or its address is used otherwise, and
// the whole copy stays in local memory. Clang reads such a struct where it lies, as nvcc does with longer ones that are only read. A longer
// one that is written becomes a local variable with a copy in the end, which clang's back end would make byte by byte.
// Members that nothing reads are copied as well: LLVM 19 takes their stores away where it knows that no index reaches them.
// A parameter with __grid_constant__ is never copied.
// Measured with nvcc 13.0.88, 2026-11-27 (8 to 4096 bytes); the test compile.as_nvcc holds cases.
#include "compile/plugin.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

enum { MOST_MEMBERWISE = 128 }; // bytes

const char grid_constant[] = "heddle grid constant"; // include/host_defines.h, and then an attribute of the argument

bool is_annotation(const IntrinsicInst &call, StringRef says)
{
    return call.getIntrinsicID() == Intrinsic::var_annotation && heddle::annotation_text(*call.getArgOperand(1)) == says;
}

// Scalars of a variable that a store has set, by their places in bytes; null: none.
using Places = SmallDenseSet<uint64_t, 64>;

struct Copy {
    IRBuilder<> &b;
    const DataLayout &layout;
    Value *from, *to;
    Align align;
    const Places *set;

    void scalar(Type *type, uint64_t at)
    {
        if (set && set->contains(at))
            return;
        auto place = [&](Value *p) { return at ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), p, at) : p; };
        Align there = commonAlignment(align, at);
        b.CreateAlignedStore(b.CreateAlignedLoad(type, place(from), there), place(to), there);
    }

    // The members; bytes that are padding only behind the last one.
    void members(Type *type, uint64_t at)
    {
        if (auto *array = dyn_cast<ArrayType>(type)) {
            uint64_t size = layout.getTypeAllocSize(array->getElementType()).getFixedValue();
            for (uint64_t i = 0; i < array->getNumElements(); i++)
                members(array->getElementType(), at + i * size);
            return;
        }
        auto *fields = dyn_cast<StructType>(type);
        if (!fields)
            return scalar(type, at);
        const StructLayout *where = layout.getStructLayout(fields);
        uint64_t end = 0;
        for (unsigned i = 0; i < fields->getNumElements(); i++) {
            uint64_t begin = where->getElementOffset(i).getFixedValue();
            members(fields->getElementType(i), at + begin);
            end = begin + layout.getTypeAllocSize(fields->getElementType(i)).getFixedValue();
        }
        for (; end < where->getSizeInBytes().getFixedValue(); end++)
            scalar(b.getInt8Ty(), at + end);
    }
};

// A local variable instead of the parameter; where the kernel begins.
AllocaInst *variable_for(Argument &parameter, IRBuilder<> &b)
{
    AllocaInst *variable = b.CreateAlloca(parameter.getParamByValType());
    variable->setAlignment(parameter.getParamAlign().valueOrOne());
    parameter.replaceAllUsesWith(variable);
    return variable;
}

// The object that a constant distance from which the pointer points to, and the distance; {null, 0} if there is none.
std::pair<Value *, uint64_t> place_of(Value *pointer, const DataLayout &layout)
{
    APInt at(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    Value *base = pointer->stripAndAccumulateConstantOffsets(layout, at, true);
    return {base, at.getZExtValue()};
}

// The instruction stores a member of a parameter to where it lies in a variable of its type: both, else nulls.
std::pair<AllocaInst *, Argument *> copied_by(Instruction &i, const DataLayout &layout)
{
    auto *store = dyn_cast<StoreInst>(&i);
    auto *load = store ? dyn_cast<LoadInst>(store->getValueOperand()) : nullptr;
    if (!load)
        return {};
    auto [to, to_at] = place_of(store->getPointerOperand(), layout);
    auto [from, from_at] = place_of(load->getPointerOperand(), layout);
    auto *variable = dyn_cast<AllocaInst>(to);
    auto *parameter = dyn_cast<Argument>(from);
    bool copied = variable && parameter && to_at == from_at && parameter->hasByValAttr() && parameter->getParamByValType() == variable->getAllocatedType();
    return copied ? std::pair(variable, parameter) : std::pair<AllocaInst *, Argument *>();
}

// The only thing done with the pointer is to load from it.
bool is_only_read(const Value *pointer)
{
    SmallPtrSet<const Value *, 16> seen;
    SmallVector<const Value *, 16> todo{pointer};
    while (!todo.empty()) {
        const Value *p = todo.pop_back_val();
        if (!seen.insert(p).second)
            continue;
        for (const Use &use : p->uses()) {
            auto *user = cast<Instruction>(use.getUser());
            auto *copy = dyn_cast<MemTransferInst>(user);
            if (isa<GetElementPtrInst>(user) || isa<CastInst>(user) || isa<SelectInst>(user) || isa<PHINode>(user))
                todo.push_back(user);
            else if (!isa<LoadInst>(user) && !isa<CmpInst>(user) && !(copy && use.getOperandNo() == 1) && !user->isLifetimeStartOrEnd())
                return false;
        }
    }
    return true;
}

bool is_copied(const Argument &parameter)
{
    return parameter.hasByValAttr() && !parameter.use_empty() && !parameter.getParent()->getAttributes().hasParamAttr(parameter.getArgNo(), grid_constant);
}

uint64_t bytes_of(const Argument &parameter)
{
    return parameter.getParent()->getDataLayout().getTypeAllocSize(parameter.getParamByValType()).getFixedValue();
}

} // namespace

bool heddle::name_grid_constants(Function &f)
{
    bool changed = false;
    for (Instruction &i : make_early_inc_range(instructions(f))) {
        auto *call = dyn_cast<IntrinsicInst>(&i);
        if (!call || !is_annotation(*call, grid_constant))
            continue;
        if (auto *parameter = dyn_cast<Argument>(call->getArgOperand(0)->stripPointerCasts()))
            f.addParamAttr(parameter->getArgNo(), Attribute::get(f.getContext(), grid_constant));
        call->eraseFromParent();
        changed = true;
    }
    return changed;
}

bool heddle::copy_parameters(Function &f)
{
    bool changed = false;
    if (!is_kernel(f))
        return false;
    for (Argument &parameter : f.args()) {
        if (!is_copied(parameter) || bytes_of(parameter) > MOST_MEMBERWISE)
            continue;
        IRBuilder<> b(&f.getEntryBlock(), f.getEntryBlock().getFirstInsertionPt());
        AllocaInst *variable = variable_for(parameter, b);
        Copy{b, f.getDataLayout(), &parameter, variable, variable->getAlign(), nullptr}.members(parameter.getParamByValType(), 0);
        changed = true;
    }
    return changed;
}

bool heddle::complete_parameters(Function &f)
{
    bool changed = false;
    const DataLayout &layout = f.getDataLayout();
    SmallMapVector<AllocaInst *, Argument *, 8> variables;
    if (!is_kernel(f))
        return false;
    for (Instruction &i : f.getEntryBlock())
        if (auto [variable, parameter] = copied_by(i, layout); variable)
            variables.insert({variable, parameter});
    for (auto [variable, parameter] : variables) {
        Places set;
        for (Instruction &i : instructions(f))
            if (auto *store = dyn_cast<StoreInst>(&i))
                if (auto [base, at] = place_of(store->getPointerOperand(), layout); base == variable)
                    for (uint64_t k = 0; k < layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue(); k++)
                        set.insert(at + k);
        IRBuilder<> b(variable->getNextNode());
        Copy{b, layout, parameter, variable, variable->getAlign(), &set}.members(variable->getAllocatedType(), 0);
        changed = true;
    }
    return changed;
}

bool heddle::copy_written_parameters(Function &f)
{
    bool changed = false;
    if (!is_kernel(f))
        return false;
    for (Argument &parameter : f.args()) {
        if (!is_copied(parameter) || bytes_of(parameter) <= MOST_MEMBERWISE || is_only_read(&parameter))
            continue;
        IRBuilder<> b(&f.getEntryBlock(), f.getEntryBlock().getFirstInsertionPt());
        AllocaInst *variable = variable_for(parameter, b);
        b.CreateMemCpy(variable, variable->getAlign(), &parameter, variable->getAlign(), bytes_of(parameter));
        changed = true;
    }
    return changed;
}
