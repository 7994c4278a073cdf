// Copies of structs. Clang makes them llvm.memcpy, nvcc loads and stores members, as wide as alignment allows.
//
// `T t = p[i]` (one side is a local variable). Left alone, clang loads only the members that are used, each where it is
// used, and keeps a struct that is changed and stored again (t.x += 1; p[i] = t) half in local memory. nvcc loads the
// whole at the copy. So before the optimiser the copy is split into members: those of equal size that fill an aligned
// piece of up to 16 bytes are one opaque load (llvm.nvvm.ldu, which nothing of the optimiser takes apart), the others
// plain loads; every member is stored to the variable, which the optimiser then keeps in registers. Behind the optimiser
// an opaque load is a vector load, or a scalar one if only one element of it is used. An opaque load is known by its second
// argument: metadata is lost where the optimiser makes one of two.
//
// Copies from memory to memory that are left behind the optimiser: 16-byte accesses for 16-aligned structs below 64
// bytes, 8-byte ones below 128, and from there as wide as the alignment, more than 16 of them in a loop. Clang makes
// 8-byte accesses, and from 72 bytes on a loop over bytes.
// Measured with nvcc 13.0.88, 2026-11-21; the test compile.as_nvcc holds the cases.
#include "compile/plugin.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

enum { WIDEST = 16, VECTOR = 4 }; // bytes, elements of one access
enum { MOST_SPLIT = 128, MOST_MEMBERS = 64 };
// The second argument of llvm.nvvm.ldu is an alignment; an opaque load has this bit there, and below it the bytes from the
// beginning of the struct.
const uint64_t PIECE = 1u << 30;

// One scalar of a struct.
struct Member {
    uint64_t at, size; // bytes
    Type *type;
    MDNode *tbaa; // null: unknown, or padding
};

// The scalar that a tbaa access tag stands for; null: not known. Names are clang's (CodeGenTBAA).
Type *scalar_of(const MDNode *tag, LLVMContext &c)
{
    auto *access = tag->getNumOperands() >= 3 ? dyn_cast<MDNode>(tag->getOperand(1)) : nullptr;
    auto *name = access && access->getNumOperands() ? dyn_cast<MDString>(access->getOperand(0)) : nullptr;
    StringRef s = name ? name->getString() : "";
    if (s == "float")
        return Type::getFloatTy(c);
    if (s == "double")
        return Type::getDoubleTy(c);
    if (s == "any pointer")
        return PointerType::get(c, 0);
    if (s == "omnipotent char" || s == "bool")
        return Type::getInt8Ty(c);
    if (s == "short")
        return Type::getInt16Ty(c);
    if (s == "int")
        return Type::getInt32Ty(c);
    if (s == "long" || s == "long long")
        return Type::getInt64Ty(c);
    return nullptr;
}

// Integers of `size` bytes or less from `at` on: padding.
void pad(SmallVectorImpl<Member> &members, uint64_t at, uint64_t end, uint64_t size, LLVMContext &c)
{
    while (at < end) {
        uint64_t n = size;
        while (at % n || at + n > end)
            n /= 2;
        members.push_back({at, n, IntegerType::get(c, unsigned(8 * n)), nullptr});
        at += n;
    }
}

// The copied members in order, without gaps, from !tbaa.struct; empty if that does not say.
SmallVector<Member, 16> members_of(const MemCpyInst &copy, uint64_t bytes)
{
    SmallVector<Member, 16> members;
    LLVMContext &c = copy.getContext();
    const DataLayout &layout = copy.getModule()->getDataLayout();
    MDNode *fields = copy.getMetadata(LLVMContext::MD_tbaa_struct);
    if (!fields)
        return {};
    uint64_t end = 0, last = 1;
    for (unsigned i = 0; i + 2 < fields->getNumOperands(); i += 3) {
        uint64_t at = mdconst::extract<ConstantInt>(fields->getOperand(i))->getZExtValue();
        uint64_t length = mdconst::extract<ConstantInt>(fields->getOperand(i + 1))->getZExtValue();
        auto *tag = dyn_cast<MDNode>(fields->getOperand(i + 2));
        Type *type = tag ? scalar_of(tag, c) : nullptr;
        uint64_t size = type ? layout.getTypeStoreSize(type).getFixedValue() : 0;
        if (!size || at < end || length % size || at % size || at + length > bytes)
            return {};
        pad(members, end, at, 4, c);
        for (uint64_t k = 0; k < length; k += size)
            members.push_back({at + k, size, type, tag});
        end = at + length;
        last = size;
    }
    pad(members, end, bytes, last < 4 ? last : 4, c);
    return members;
}

bool is_local(const Value *pointer)
{
    return isa<AllocaInst>(getUnderlyingObject(pointer));
}

// The whole of what such a copy reads is in memory that a load must be made of: whichever way the pointer came.
bool is_loaded(const Value *pointer)
{
    SmallVector<const Value *, 4> objects;
    getUnderlyingObjects(pointer, objects);
    return all_of(objects, [](const Value *object) {
        if (auto *argument = dyn_cast<Argument>(object))
            return !argument->hasByValAttr();
        if (auto *global = dyn_cast<GlobalVariable>(object))
            return !(global->isConstant() && global->hasDefinitiveInitializer());
        return !isa<AllocaInst>(object);
    });
}

// How many members from `first` on one access of an aligned piece takes.
size_t piece(ArrayRef<Member> members, size_t first, uint64_t align)
{
    const Member &m = members[first];
    uint64_t bytes = std::min<uint64_t>(align, WIDEST);
    if (m.at % bytes || bytes <= m.size || m.type->isPointerTy())
        return 1;
    size_t n = bytes / m.size;
    for (size_t i = first; i < first + n; i++)
        if (i >= members.size() || members[i].size != m.size || members[i].type->isPointerTy())
            return 1;
    return n;
}

// An opaque load of the members of one piece, a vector element each.
Value *opaque_load(IRBuilder<> &b, Value *from, ArrayRef<Member> members)
{
    uint64_t size = members[0].size;
    bool floating = members[0].type->isFloatingPointTy(), same = members[0].tbaa;
    for (const Member &m : members) {
        floating &= m.type == members[0].type;
        same &= m.tbaa == members[0].tbaa;
    }
    Type *element = floating ? members[0].type : b.getIntNTy(unsigned(8 * size));
    Function *load = Intrinsic::getDeclaration(
        b.GetInsertBlock()->getModule(), floating ? Intrinsic::nvvm_ldu_global_f : Intrinsic::nvvm_ldu_global_i,
        {FixedVectorType::get(element, unsigned(members.size())), from->getType()});
    CallInst *call = b.CreateCall(load, {from, b.getInt32(unsigned(PIECE | members[0].at))});
    if (same)
        call->setMetadata(LLVMContext::MD_tbaa, members[0].tbaa);
    return call;
}

void split(MemCpyInst &copy, ArrayRef<Member> members)
{
    IRBuilder<> b(&copy);
    uint64_t from_align = copy.getSourceAlign().valueOrOne().value(), to_align = copy.getDestAlign().valueOrOne().value();
    bool whole = is_loaded(copy.getSource());
    auto at = [&](Value *p, uint64_t offset) {
        return offset ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), p, offset) : p;
    };
    auto store = [&](Value *v, const Member &m) {
        StoreInst *s = b.CreateAlignedStore(v, at(copy.getRawDest(), m.at), commonAlignment(Align(to_align), m.at));
        if (m.tbaa)
            s->setMetadata(LLVMContext::MD_tbaa, m.tbaa);
    };
    SmallVector<std::pair<Value *, Member>, 16> values;
    for (size_t i = 0, n; i < members.size(); i += n) {
        const Member &m = members[i];
        n = whole ? piece(members, i, from_align) : 1;
        if (n > 1) {
            Value *vector = opaque_load(b, at(copy.getRawSource(), m.at), members.slice(i, n));
            for (size_t k = 0; k < n; k++) {
                Value *v = b.CreateExtractElement(vector, k);
                values.push_back({b.CreateBitCast(v, members[i + k].type), members[i + k]});
            }
            continue;
        }
        LoadInst *l = b.CreateAlignedLoad(m.type, at(copy.getRawSource(), m.at), commonAlignment(Align(from_align), m.at));
        if (m.tbaa)
            l->setMetadata(LLVMContext::MD_tbaa, m.tbaa);
        values.push_back({l, m});
    }
    for (auto &[value, member] : values)
        store(value, member);
    copy.eraseFromParent();
}

// The fixed length of a copy that may be changed, or 0.
uint64_t fixed_length(const MemCpyInst &copy)
{
    auto *length = dyn_cast<ConstantInt>(copy.getLength());
    return length && !copy.isVolatile() ? length->getZExtValue() : 0;
}

SmallVector<MemCpyInst *, 8> copies_of(Function &f)
{
    SmallVector<MemCpyInst *, 8> copies;
    for (BasicBlock &block : f)
        for (Instruction &i : block)
            if (auto *copy = dyn_cast<MemCpyInst>(&i))
                copies.push_back(copy);
    return copies;
}

// ---- memory to memory ----

// Bytes of one access of nvcc's copy; 0: as clang does it.
uint64_t access_bytes(uint64_t bytes, uint64_t align)
{
    if (align < 4 || (bytes < 64 && align < WIDEST))
        return 0;
    uint64_t widest = bytes < 128 && bytes >= 64 ? 8 : WIDEST;
    return std::min(align, widest);
}

Type *access_type(IRBuilder<> &b, uint64_t bytes)
{
    return bytes == WIDEST ? (Type *)FixedVectorType::get(b.getInt32Ty(), 4) : b.getIntNTy(unsigned(8 * bytes));
}

enum { MOST_IN_LINE = 16 };

void expand_in_line(MemCpyInst &copy, uint64_t count, uint64_t size)
{
    IRBuilder<> b(&copy);
    SmallVector<Value *, MOST_IN_LINE> values;
    auto at = [&](Value *p, uint64_t i) { return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), p, i * size); };
    for (uint64_t i = 0; i < count; i++)
        values.push_back(b.CreateAlignedLoad(access_type(b, size), at(copy.getRawSource(), i), Align(size)));
    for (uint64_t i = 0; i < count; i++)
        b.CreateAlignedStore(values[i], at(copy.getRawDest(), i), Align(size));
    copy.eraseFromParent();
}

void expand_loop(MemCpyInst &copy, uint64_t count, uint64_t size)
{
    BasicBlock *before = copy.getParent(), *after = SplitBlock(before, &copy);
    BasicBlock *loop = BasicBlock::Create(copy.getContext(), "copy", before->getParent(), after);
    before->getTerminator()->setSuccessor(0, loop);
    IRBuilder<> b(loop);
    b.SetCurrentDebugLocation(copy.getDebugLoc());
    PHINode *i = b.CreatePHI(b.getInt64Ty(), 2);
    Type *type = access_type(b, size);
    Value *value = b.CreateAlignedLoad(type, b.CreateInBoundsGEP(type, copy.getRawSource(), i), Align(size));
    b.CreateAlignedStore(value, b.CreateInBoundsGEP(type, copy.getRawDest(), i), Align(size));
    Value *next = b.CreateAdd(i, b.getInt64(1));
    b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(count)), loop, after);
    i->addIncoming(b.getInt64(0), before);
    i->addIncoming(next, loop);
    copy.eraseFromParent();
}

// ---- opaque loads ----

// An opaque load behind the optimiser.
struct Piece {
    CallInst *load;
    Value *base;
    int64_t start;          // of the struct, bytes from the base
    uint64_t members, size; // of the piece; bytes of one
    uint64_t used;          // bit i: member i; ALL: the vector as such
};
const uint64_t ALL = ~UINT64_C(0);

uint64_t members_used(const CallInst &load)
{
    uint64_t used = 0;
    for (const User *user : load.users()) {
        auto *extract = dyn_cast<ExtractElementInst>(user);
        auto *index = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
        if (!index)
            return ALL;
        used |= UINT64_C(1) << index->getZExtValue();
    }
    return used;
}

// __ldu() of a program has an alignment for a second argument. What is no constant was made of two opaque loads.
bool is_opaque(const IntrinsicInst &load)
{
    if (load.getIntrinsicID() != Intrinsic::nvvm_ldu_global_i && load.getIntrinsicID() != Intrinsic::nvvm_ldu_global_f)
        return false;
    auto *argument = dyn_cast<ConstantInt>(load.getArgOperand(1));
    return !argument || (argument->getZExtValue() & PIECE);
}

Piece piece_of(CallInst *load)
{
    const DataLayout &layout = load->getModule()->getDataLayout();
    Value *from = load->getArgOperand(0);
    APInt at(layout.getIndexTypeSizeInBits(from->getType()), 0);
    Value *base = from->stripAndAccumulateConstantOffsets(layout, at, true);
    auto *argument = dyn_cast<ConstantInt>(load->getArgOperand(1));
    int64_t in = argument ? int64_t(argument->getZExtValue() & ~PIECE) : 0;
    auto *vector = cast<FixedVectorType>(load->getType());
    return {load, base, at.getSExtValue() - in, vector->getNumElements(), vector->getScalarSizeInBits() / 8,
            members_used(*load)};
}

// True when nothing but one member of the whole struct is used: then nvcc, too, loads no more.
bool is_alone(const Piece &piece, ArrayRef<Piece> pieces)
{
    unsigned used = 0;
    for (const Piece &p : pieces)
        if (p.load->getParent() == piece.load->getParent() && p.base == piece.base && p.start == piece.start)
            used += unsigned(popcount(p.used));
    return used == 1;
}

// As many elements as there are members if an access may have them, else wider ones that hold several.
void join(const Piece &piece, bool alone)
{
    IRBuilder<> b(piece.load);
    Value *from = piece.load->getArgOperand(0);
    Type *member = piece.load->getType()->getScalarType();
    uint64_t only = alone ? uint64_t(countr_zero(piece.used)) * piece.size : 0;
    unsigned n = unsigned(std::min<uint64_t>(piece.members, VECTOR)), in_one = unsigned(piece.members) / n;
    unsigned bits = unsigned(8 * piece.size);
    Type *vector = FixedVectorType::get(in_one == 1 ? member : b.getIntNTy(bits * in_one), n);
    if (piece.used == ALL) { // the optimiser has made something of it that is no single member
        piece.load->replaceAllUsesWith(b.CreateAlignedLoad(piece.load->getType(), from, Align(piece.members * piece.size)));
        piece.load->eraseFromParent();
        return;
    }
    LoadInst *l = b.CreateAlignedLoad(alone ? member : vector, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), from, only),
                                      commonAlignment(Align(piece.members * piece.size), only));
    l->setMetadata(LLVMContext::MD_tbaa, piece.load->getMetadata(LLVMContext::MD_tbaa));
    while (!piece.load->use_empty()) {
        auto *extract = cast<ExtractElementInst>(piece.load->user_back());
        uint64_t i = cast<ConstantInt>(extract->getIndexOperand())->getZExtValue();
        Value *v = alone ? l : b.CreateExtractElement(l, i / in_one);
        if (!alone && in_one > 1)
            v = b.CreateTrunc(b.CreateLShr(v, i % in_one * bits), member);
        extract->replaceAllUsesWith(v);
        extract->eraseFromParent();
    }
    piece.load->eraseFromParent();
}

} // namespace

bool heddle::split_copies(Function &f)
{
    bool changed = false;
    for (MemCpyInst *copy : copies_of(f)) {
        uint64_t bytes = fixed_length(*copy);
        if (!bytes || bytes > MOST_SPLIT || !is_local(copy->getDest()) || is_local(copy->getSource()))
            continue;
        SmallVector<Member, 16> members = members_of(*copy, bytes);
        if (members.empty() || members.size() > MOST_MEMBERS)
            continue;
        split(*copy, members);
        changed = true;
    }
    return changed;
}

bool heddle::join_pieces(Function &f)
{
    SmallVector<Piece, 16> pieces;
    for (BasicBlock &block : f)
        for (Instruction &i : block) {
            auto *call = dyn_cast<IntrinsicInst>(&i);
            if (call && is_opaque(*call))
                pieces.push_back(piece_of(call));
        }
    SmallVector<bool, 16> alone;
    for (const Piece &piece : pieces)
        alone.push_back(is_alone(piece, pieces));
    for (size_t i = 0; i < pieces.size(); i++)
        join(pieces[i], alone[i]);
    return !pieces.empty();
}

bool heddle::expand_copies(Function &f)
{
    bool changed = false;
    for (MemCpyInst *copy : copies_of(f)) {
        uint64_t bytes = fixed_length(*copy);
        uint64_t align = std::min(copy->getDestAlign().valueOrOne(), copy->getSourceAlign().valueOrOne()).value();
        uint64_t size = access_bytes(bytes, align);
        if (!bytes || !size || bytes % size)
            continue;
        if (bytes / size <= MOST_IN_LINE)
            expand_in_line(*copy, bytes / size, size);
        else
            expand_loop(*copy, bytes / size, size);
        changed = true;
    }
    return changed;
}
