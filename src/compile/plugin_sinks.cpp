// Sums and products that are read behind a branch only. LLVM's InstCombine computes them there, with the loads that they read, in
// fewer lanes, and its back end (machine sinking) does so with what is left. nvcc does so
//  - not with a sum that is fused with a product: r = x * y + z; if (t < n) out[t] = r;
//  - not where more values would be needed behind the branch than without it: v += __shfl_down_sync(m, v, 1); if (t == 0) out[b] = v;
//    What others read behind it as well costs nothing, loads from one address at constant distances one value; unless what is behind the
//    branch stores to shared memory and the values are no sums themselves.
// A quotient or a sum behind the branch that reads such a sum is one value. LLVM may have moved it before the branch by then.
// So what stays has another reader where it is, an assembly of nothing: while InstCombine runs, and for the back end.
//
// Measured with nvcc 13.0.88, 2026-11-27; the test compile.as_nvcc holds the cases.
#include "compile/plugin.h"

#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

// A product that the sum will be fused with: all its readers are sums.
bool is_product(const Value *v, const BasicBlock *b)
{
    auto *i = dyn_cast<Instruction>(v);
    return i && i->getOpcode() == Instruction::FMul && i->getParent() == b && all_of(i->users(), [](const User *user) {
        auto *reader = cast<Instruction>(user);
        return reader->getOpcode() == Instruction::FAdd || reader->getOpcode() == Instruction::FSub;
    });
}

// Somebody but `i` reads the value behind it.
bool is_read_behind(const Instruction &v, const Instruction &i)
{
    return any_of(v.users(), [&](const User *user) {
        auto *reader = cast<Instruction>(user);
        return reader != &i && (reader->getParent() != i.getParent() || isa<PHINode>(reader) || i.comesBefore(reader));
    });
}

bool is_sum(const Instruction &i)
{
    switch (i.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
        return true;
    case Instruction::Call:
        return isa<IntrinsicInst>(i) && (cast<IntrinsicInst>(i).getIntrinsicID() == Intrinsic::maxnum || cast<IntrinsicInst>(i).getIntrinsicID() == Intrinsic::minnum);
    default:
        return false;
    }
}

// The values that would be needed behind the branch for this operand alone.
void add_needed(const Value *operand, const Instruction &i, SmallPtrSetImpl<const Value *> &needed)
{
    auto *v = dyn_cast<Instruction>(operand);
    if (!v || is_read_behind(*v, i))
        return;
    if ((is_sum(*v) || isa<CastInst>(v)) && v->hasOneUse() && v->getParent() == i.getParent()) {
        SmallPtrSet<const Value *, 4> parts;
        for (const Use &part : v->operands())
            if (!isa<Function>(part))
                add_needed(part, i, parts);
        if (parts.size() > 1 && is_sum(*v) && any_of(parts, [](const Value *part) { return is_sum(*cast<Instruction>(part)); }))
            needed.insert(v); // a sum of sums stays itself
        else
            needed.insert(parts.begin(), parts.end());
        return;
    }
    auto *load = dyn_cast<LoadInst>(v);
    if (!load || !load->hasOneUse()) {
        needed.insert(v);
        return;
    }
    APInt offset(64, 0);
    const Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(i.getModule()->getDataLayout(), offset, true);
    if (isa<Instruction>(base))
        needed.insert(base);
}

bool stores_to_shared(const BasicBlock &b)
{
    return any_of(b, [](const Instruction &i) {
        auto *store = dyn_cast<StoreInst>(&i);
        auto *variable = store ? dyn_cast<GlobalVariable>(getUnderlyingObject(store->getPointerOperand())) : nullptr;
        return variable && variable->getAddressSpace() == 3;
    });
}

// LLVM has moved such a reader before the branch, and will move it back: a quotient, a sum of a sum.
bool goes_along(const Instruction &reader, const Instruction &read)
{
    return reader.hasOneUse() && reader.getParent() == read.getParent() &&
           (reader.getOpcode() == Instruction::FDiv || (is_sum(reader) && (read.getOpcode() != Instruction::FMul || reader.getOpcode() == Instruction::FMul)));
}

const BasicBlock *read_in(const Use &u)
{
    auto *reader = cast<Instruction>(u.getUser());
    if (auto *phi = dyn_cast<PHINode>(reader))
        return phi->getIncomingBlock(u);
    return goes_along(*reader, *cast<Instruction>(u.get())) ? read_in(*reader->use_begin()) : reader->getParent();
}

// The block that all its readers are in or behind, if lanes may go past it.
const BasicBlock *behind_branch(const Instruction &i, const DominatorTree &dt, const PostDominatorTree &pdt)
{
    BasicBlock *behind = nullptr;
    for (const Use &u : i.uses()) {
        auto *b = const_cast<BasicBlock *>(read_in(u));
        behind = behind ? dt.findNearestCommonDominator(behind, b) : b;
    }
    return behind && behind != i.getParent() && !pdt.dominates(behind, i.getParent()) ? behind : nullptr;
}

bool stays(const Instruction &i, const BasicBlock &behind)
{
    bool product = i.getOpcode() == Instruction::FMul;
    SmallPtrSet<const Value *, 4> needed;
    for (const Use &operand : i.operands()) {
        if (!product && is_product(operand, i.getParent()))
            return true;
        add_needed(operand, i, needed);
    }
    bool of_sums = any_of(needed, [](const Value *v) { return is_sum(*cast<Instruction>(v)); });
    return needed.size() > 1 && (of_sums || !stores_to_shared(behind));
}

} // namespace

void heddle::hold_sums(Function &f, Hidden &hidden)
{
    SmallVector<Instruction *, 8> read_elsewhere;
    for (Instruction &i : instructions(f))
        if ((i.getType()->isFloatTy() || i.getType()->isDoubleTy()) && is_sum(i) && none_of(i.uses(), [&](const Use &u) { return read_in(u) == i.getParent(); }))
            read_elsewhere.push_back(&i);
    if (read_elsewhere.empty())
        return;
    DominatorTree dt(f);
    PostDominatorTree pdt(f);
    erase_if(read_elsewhere, [&](const Instruction *i) {
        const BasicBlock *behind = behind_branch(*i, dt, pdt);
        return !behind || !stays(*i, *behind);
    });
    for (Instruction *i : read_elsewhere) {
        IRBuilder<> b(i->getNextNode());
        FunctionType *type = FunctionType::get(b.getVoidTy(), {i->getType()}, false);
        CallInst *reader = b.CreateCall(type, InlineAsm::get(type, "", i->getType()->isDoubleTy() ? "d" : "f", true), {i});
        reader->setDoesNotAccessMemory();
        reader->setDoesNotThrow();
        hidden.emplace_back(reader);
    }
}

void heddle::release_sums(Hidden &hidden)
{
    for (const WeakVH &value : hidden)
        if (auto *reader = dyn_cast_or_null<CallInst>(value))
            reader->eraseFromParent();
    hidden.clear();
}
