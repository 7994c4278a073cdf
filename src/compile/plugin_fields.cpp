// Members of structs. nvcc takes it that a member of a struct is not another member of a struct of that type, wherever the two structs
// lie: `a[i].x = b[i].x + 1; a[i].y = b[i].y + 1;` of float2 is one load and one store, and a value of b[i].x is known still after
// a store to a[i].y. It tells members by the way from the outermost struct that the expression names: that must be of one type and the ways
// equally long, and at their ends are different members of one struct. A member of an array or union is told from nothing.
// Of accesses by other types nvcc concludes nothing, hence -enable-tbaa=false.
//
// LLVM knows this of scoped lists: each member has a scope of its own, and is no alias of the others'. Scopes are named by
// strings, so that those of two functions are the same where one is inlined. First, since the optimiser makes bytes of the ways.
// Measured with nvcc 13.0.88, 2026-11-27; the test compile.as_nvcc holds cases.
#include "compile/plugin.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

enum { MOST_FIELDS = 64 }; // scopes of a list

struct Field {
    StructType *outer, *of; // null: no member
    unsigned levels;        // members and elements on the way
    unsigned index;
};

bool is_union(Type *type)
{
    auto *fields = dyn_cast<StructType>(type);
    return fields && fields->hasName() && fields->getName().starts_with("union.");
}

// The member that an address is of.
Field field_of(const Value *pointer)
{
    Field field = {};
    auto *last = dyn_cast<GEPOperator>(pointer);
    auto *index = last && last->getNumIndices() > 1 ? dyn_cast<ConstantInt>(last->getOperand(last->getNumOperands() - 1)) : nullptr;
    if (!index || !last->getSourceElementType()->isStructTy())
        return {};
    SmallVector<Value *, 4> way(last->idx_begin(), last->idx_end() - 1);
    field.of = dyn_cast_or_null<StructType>(GetElementPtrInst::getIndexedType(last->getSourceElementType(), way));
    if (!field.of || field.of->getNumElements() > MOST_FIELDS)
        return {};
    field.index = unsigned(index->getZExtValue());
    if (field.of->getElementType(field.index)->isStructTy())
        return {};
    for (auto *step = last; step; step = dyn_cast<GEPOperator>(step->getPointerOperand())) {
        Type *type = step->getSourceElementType();
        if (is_union(type))
            return {};
        field.levels += step->getNumIndices() - 1;
        field.outer = dyn_cast<StructType>(type);
    }
    return field.outer && field.of->hasName() && field.outer->hasName() ? field : Field();
}

MDNode *scope(const Field &field, unsigned index, MDNode *domain, MDBuilder &b)
{
    std::string name = (field.outer->getName() + "/" + Twine(field.levels) + "/" + field.of->getName() + "/" + Twine(index)).str();
    return b.createAliasScope(name, domain);
}

bool mark(Instruction &i, const Value *pointer)
{
    Field field = pointer ? field_of(pointer) : Field();
    if (!field.of)
        return false;
    LLVMContext &c = i.getContext();
    MDBuilder b(c);
    MDNode *domain = b.createAliasScopeDomain("heddle members");
    SmallVector<Metadata *, 16> others;
    for (unsigned k = 0; k < field.of->getNumElements(); k++)
        if (k != field.index)
            others.push_back(scope(field, k, domain, b));
    auto add = [&](unsigned kind, MDNode *list) { i.setMetadata(kind, MDNode::concatenate(i.getMetadata(kind), list)); };
    add(LLVMContext::MD_alias_scope, MDNode::get(c, scope(field, field.index, domain, b)));
    if (!others.empty())
        add(LLVMContext::MD_noalias, MDNode::get(c, others));
    return true;
}

} // namespace

bool heddle::tell_fields(Function &f)
{
    bool changed = false;
    for (Instruction &i : instructions(f)) {
        auto *exchange = dyn_cast<AtomicCmpXchgInst>(&i);
        auto *atomic = dyn_cast<AtomicRMWInst>(&i);
        changed |= mark(i, exchange ? exchange->getPointerOperand() : atomic ? atomic->getPointerOperand() : getLoadStorePointerOperand(&i));
    }
    return changed;
}
