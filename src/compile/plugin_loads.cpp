// Neighbouring loads with gaps. When the first element of an aligned group of four is loaded and one more behind a gap
// (p[i].x and p[i].z of a float4, or three of its four), nvcc loads all four; clang joins only what is complete. Groups
// whose first element is not loaded are left to clang, as nvcc leaves them.
// Measured with nvcc 13.0.88, 2026-11-21; the test compile.as_nvcc holds the cases.
#include "compile/plugin.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

enum { GROUP = 4 }; // elements

struct Element {
    LoadInst *load;
    Value *base;
    int64_t at; // bytes from the base
    uint64_t size;
};

bool is_candidate(const LoadInst &load, const DataLayout &layout)
{
    Type *type = load.getType();
    if (!load.isSimple() || (!type->isIntegerTy() && !type->isFloatingPointTy()))
        return false;
    uint64_t bits = layout.getTypeSizeInBits(type).getFixedValue();
    const Value *object = getUnderlyingObject(load.getPointerOperand());
    auto *argument = dyn_cast<Argument>(object);
    return (bits == 8 || bits == 16 || bits == 32) && !isa<AllocaInst>(object) && !(argument && argument->hasByValAttr());
}

SmallVector<Element, 16> elements_of(BasicBlock &block)
{
    SmallVector<Element, 16> elements;
    const DataLayout &layout = block.getModule()->getDataLayout();
    for (Instruction &i : block) {
        auto *load = dyn_cast<LoadInst>(&i);
        if (!load || !is_candidate(*load, layout))
            continue;
        APInt at(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
        Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, at, true);
        elements.push_back({load, base, at.getSExtValue(), layout.getTypeStoreSize(load->getType()).getFixedValue()});
    }
    return elements;
}

// True when nothing from `place` to the load changes what it reads.
bool may_move_up(LoadInst *load, Instruction *place, AAResults &aa)
{
    MemoryLocation what = MemoryLocation::get(load);
    for (Instruction *i = place; i != load; i = i->getNextNode())
        if (i->mayWriteToMemory() && isModSet(aa.getModRefInfo(i, what)))
            return false;
    return true;
}

void load_together(ArrayRef<Element> group, const Element &first, Instruction *place)
{
    IRBuilder<> b(place);
    Type *type = group[0].load->getType();
    for (const Element &e : group)
        if (e.load->getType() != type)
            type = b.getIntNTy(unsigned(8 * e.size));
    Value *from = b.CreateConstGEP1_64(b.getInt8Ty(), first.base, uint64_t(first.at));
    LoadInst *all = b.CreateAlignedLoad(FixedVectorType::get(type, GROUP), from, Align(GROUP * first.size));
    for (const Element &e : group) {
        Value *v = b.CreateExtractElement(all, uint64_t(e.at - first.at) / e.size);
        e.load->replaceAllUsesWith(b.CreateBitCast(v, e.load->getType()));
    }
    for (const Element &e : group)
        e.load->eraseFromParent();
}

// The group that begins with `first`, if it has a gap and can be loaded at once.
bool fill(const Element &first, SmallVectorImpl<Element> &elements, AAResults &aa)
{
    SmallVector<Element, GROUP> group;
    unsigned present = 0;
    if (first.load->getAlign().value() < GROUP * first.size)
        return false;
    for (const Element &e : elements) {
        int64_t from = e.at - first.at;
        if (e.base == first.base && e.size == first.size && from >= 0 && from < int64_t(GROUP * e.size) && from % int64_t(e.size) == 0) {
            group.push_back(e);
            present |= 1u << (uint64_t(from) / e.size);
        }
    }
    if (present == 1 || present == 3 || present == 15) // alone, or without a gap that matters
        return false;
    Instruction *place = group[0].load;
    for (const Element &e : group)
        if (!may_move_up(e.load, place, aa))
            return false;
    load_together(group, first, place);
    erase_if(elements, [&](const Element &e) { return any_of(group, [&](const Element &g) { return g.load == e.load; }); });
    return true;
}

} // namespace

bool heddle::fill_gaps(Function &f, AAResults &aa)
{
    bool changed = false;
    for (BasicBlock &block : f) {
        SmallVector<Element, 16> elements = elements_of(block);
        for (size_t i = 0; i < elements.size();) {
            Element first = elements[i];
            if (fill(first, elements, aa)) {
                changed = true;
                i = 0;
            } else
                i++;
        }
    }
    return changed;
}
