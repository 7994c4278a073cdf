// Conversions from floating point to integers. LLVM has no answer for a value out of the integer's range, nor for NaN: it
// folds such a constant to nothing (poison), and takes (unsigned)(double)i for i. A GPU has one (PTX ISA, cvt: the nearest
// integer there is), and nvcc folds no such conversion, whatever its operand: it always makes the instruction, to 8 and 16
// bits that to 32, cut (measured with nvcc 13.0.88).
//
// So first each conversion's operand goes behind a fence that the optimiser does not look through (llvm.nvvm.move.*; of
// llvm.arithmetic.fence it knows that NaN stays NaN, and folds). Last the fence is gone, and the conversion is the
// intrinsic function of the instruction, since what runs behind would fold the plain one. Clang's own folding is kept away
// by -fno-strict-float-cast-overflow (clang.c), which makes a C cast llvm.fpto*i.sat; of a literal in range that is folded
// here, as nvcc's front end does.
#include "compile/plugin.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace {

// The instruction from a type to a type: [to unsigned][to 64 bits][from double].
const Intrinsic::ID to_integer[2][2][2] = {
    {{Intrinsic::nvvm_f2i_rz, Intrinsic::nvvm_d2i_rz}, {Intrinsic::nvvm_f2ll_rz, Intrinsic::nvvm_d2ll_rz}},
    {{Intrinsic::nvvm_f2ui_rz, Intrinsic::nvvm_d2ui_rz}, {Intrinsic::nvvm_f2ull_rz, Intrinsic::nvvm_d2ull_rz}},
};
const Intrinsic::ID to_integer_ftz[2][2] = {
    {Intrinsic::nvvm_f2i_rz_ftz, Intrinsic::nvvm_f2ll_rz_ftz},
    {Intrinsic::nvvm_f2ui_rz_ftz, Intrinsic::nvvm_f2ull_rz_ftz},
};

struct Conversion {
    Instruction *at = nullptr;
    bool is_unsigned = false;
};

bool is_one_of(Intrinsic::ID id, bool is_unsigned)
{
    for (const auto &wide : to_integer[is_unsigned])
        for (Intrinsic::ID each : wide)
            if (id == each)
                return true;
    return false;
}

// A conversion in any form that has no answer out of range, or one that would be another program's than the GPU's.
Conversion conversion_of(Instruction &i)
{
    if (isa<FPToSIInst>(i) || isa<FPToUIInst>(i))
        return {&i, isa<FPToUIInst>(i)};
    auto *call = dyn_cast<IntrinsicInst>(&i);
    if (!call)
        return {};
    Intrinsic::ID id = call->getIntrinsicID();
    bool is_unsigned = id == Intrinsic::fptoui_sat || is_one_of(id, true);
    return is_unsigned || id == Intrinsic::fptosi_sat || is_one_of(id, false) ? Conversion{call, is_unsigned} : Conversion();
}

bool is_fence(const Value *v)
{
    auto *call = dyn_cast<IntrinsicInst>(v);
    return call && (call->getIntrinsicID() == Intrinsic::nvvm_move_float || call->getIntrinsicID() == Intrinsic::nvvm_move_double);
}

Instruction::CastOps cast_of(const Conversion &c)
{
    return c.is_unsigned ? Instruction::FPToUI : Instruction::FPToSI;
}

// Vectors and 128 bits have no instruction: a plain conversion, without a fence.
bool has_instruction(const Instruction &i)
{
    Type *from = i.getOperand(0)->getType(), *to = i.getType();
    return from->isFloatingPointTy() && to->isIntegerTy() && to->getIntegerBitWidth() <= 64;
}

// Of a C cast of a literal in range: its value, else null. At first a constant operand is a literal.
Constant *folded(const Conversion &c)
{
    auto *literal = dyn_cast<ConstantFP>(c.at->getOperand(0));
    bool is_cast = isa<CastInst>(c.at) || !is_one_of(cast<IntrinsicInst>(c.at)->getIntrinsicID(), c.is_unsigned);
    if (!literal || !is_cast || !c.at->getType()->isIntegerTy())
        return nullptr;
    APSInt whole(c.at->getType()->getIntegerBitWidth(), c.is_unsigned);
    bool is_exact;
    bool is_out = literal->getValueAPF().convertToInteger(whole, APFloat::rmTowardZero, &is_exact) & APFloat::opInvalidOp;
    return is_out ? nullptr : ConstantInt::get(c.at->getContext(), whole);
}

void fence(const Conversion &c)
{
    IRBuilder<> b(c.at);
    if (Constant *value = folded(c)) {
        c.at->replaceAllUsesWith(value);
        c.at->eraseFromParent();
        return;
    }
    Value *x = c.at->getOperand(0);
    Type *to = c.at->getType();
    if (has_instruction(*c.at)) {
        if (!x->getType()->isDoubleTy() && !x->getType()->isFloatTy())
            x = b.CreateFPExt(x, b.getFloatTy());
        x = b.CreateIntrinsic(x->getType()->isDoubleTy() ? Intrinsic::nvvm_move_double : Intrinsic::nvvm_move_float, {}, {x});
        to = to->getIntegerBitWidth() > 32 ? b.getInt64Ty() : b.getInt32Ty();
    }
    Value *whole = CastInst::Create(cast_of(c), x, to, "", c.at->getIterator());
    cast<Instruction>(whole)->setDebugLoc(c.at->getDebugLoc());
    c.at->replaceAllUsesWith(to == c.at->getType() ? whole : b.CreateTrunc(whole, c.at->getType()));
    c.at->eraseFromParent();
}

// x is what the fence was for.
void make_instruction(const Conversion &c, Value *x)
{
    IRBuilder<> b(c.at);
    bool wide = c.at->getType()->isIntegerTy(64), from_double = x->getType()->isDoubleTy();
    bool ftz = c.at->getFunction()->getDenormalMode(APFloat::IEEEsingle()).Output == DenormalMode::PreserveSign;
    Intrinsic::ID id = ftz && !from_double ? to_integer_ftz[c.is_unsigned][wide] : to_integer[c.is_unsigned][wide][from_double];
    c.at->replaceAllUsesWith(b.CreateIntrinsic(id, {}, {x}));
    c.at->eraseFromParent();
}

SmallVector<Conversion, 16> conversions(Function &f)
{
    SmallVector<Conversion, 16> found;
    for (Instruction &i : instructions(f))
        if (Conversion c = conversion_of(i); c.at)
            found.push_back(c);
    return found;
}

} // namespace

bool heddle::fence_conversions(Function &f)
{
    SmallVector<Conversion, 16> found = conversions(f);
    for (const Conversion &c : found)
        fence(c);
    return !found.empty();
}

bool heddle::make_conversions(Function &f)
{
    bool changed = false;
    for (const Conversion &c : conversions(f)) {
        Value *x = c.at->getOperand(0);
        if (!is_fence(x))
            continue;
        make_instruction(c, cast<CallInst>(x)->getArgOperand(0));
        if (x->use_empty())
            cast<Instruction>(x)->eraseFromParent();
        changed = true;
    }
    return changed;
}
