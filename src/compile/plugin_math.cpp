// Calls of the math library (__nv_expf ...), which nvcc inlines and our compile step leaves to the executor.
//
// Clang takes every function of device code that it does not see for one that lanes must reach together (convergent), so the
// optimiser computes exp(-1/t) again behind each branch and in each round of a loop. nvcc merges and hoists them. It does not do so with
// sinf, cosf and tanf, and their kin, whose reduction of large arguments has an array in local memory: these stay as they are.
//
// Assembly that is not volatile and names no memory is neither merged between blocks nor selected by nvcc, but its back end moves it
// out of loops, also from behind a branch there.
//
// Of constants nvcc knows the results of those functions that LLVM knows, by the C library and rounded to float afterwards; a result that
// raises an exception of floating-point arithmetic is left to the GPU. So it is with sqrtf, __expf and __logf, which are instructions.
// Measured with nvcc 13.0.88: each function twice, behind a branch, in a loop, and of constants; the test compile.math_calls.
#include "compile/plugin.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

#include <cfenv>
#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// Functions whose calls nvcc neither merges nor hoists: local memory, or loops.
constexpr const char *APART[] = {"sinf", "cosf", "tanf", "j0f", "j1f", "y0f", "y1f", "jnf", "ynf", "jn", "yn", "tgammaf", "sincos_sinf", "sincos_cosf"};

// Functions whose result nvcc chooses between two numbers, one of them a constant (the logarithm of 0). It multiplies both by another
// constant and chooses between the products, if nothing else reads the result, so no sum is fused with that product. Of 92 functions, as
// 1.5 * f(x) + y, through nvcc 13.0.88, 2026-11-28.
constexpr const char *CHOSEN[] = {"fdim", "fdimf", "hypotf", "logf", "log10f", "log2f", "pow", "rhypotf", "y0", "y0f", "y1f"};

enum { MOST_LEFT = 5 };  // instructions that LLVM leaves in a block when it moves the rest of it before a branch
enum { LOOPS = 1000 };   // no loop around it is unrolled
enum { SQRT_OF_64 = 4 }; // as many as a division

// Instructions that nvcc counts of a function when it unrolls a loop around it. Measured with nvcc 13.0.88 as those that a loop of
// unknown length has room for beside it; above 86 the lengths of their PTX.
constexpr struct {
    const char *name;
    unsigned size;
} SIZES[] = {
    {"acosf", 29}, {"acoshf", 49}, {"asinf", 26}, {"asinhf", 47}, {"atanf", 21}, {"atanhf", 42}, {"atan2f", 40}, {"cbrtf", 16},
    {"coshf", 18}, {"cospif", 28}, {"cyl_bessel_i0f", 60}, {"cyl_bessel_i1f", 62}, {"erff", 25}, {"erfcf", 53}, {"erfcinvf", 40},
    {"erfcxf", 63}, {"erfinvf", 28}, {"expf", 12}, {"exp10f", 12}, {"exp2f", 1}, {"expm1f", 29}, {"hypotf", 24}, {"lgammaf", 214},
    {"logf", 29}, {"log10f", 30}, {"log1pf", 33}, {"log2f", 31}, {"logbf", 17}, {"norm3df", 27}, {"normcdff", 71}, {"normcdfinvf", 42},
    {"pow_basef", 31}, {"pow_exponentf", 40}, {"pow_restf", 16}, {"powif", 79}, {"rcbrtf", 19}, {"rhypotf", 20}, {"rnorm3df", 26},
    {"sinhf", 27}, {"sinpif", 27}, {"sincospi_sinf", 27}, {"sincospi_cosf", 10}, {"tanhf", 17},
    {"acos", 81}, {"acosh", 95}, {"asin", 62}, {"asinh", 97}, {"atan", 35}, {"atanh", 87}, {"atan2", 51}, {"cbrt", 53}, {"cosh", 40},
    {"cyl_bessel_i0", 91}, {"cyl_bessel_i1", 93}, {"erf", 55}, {"erfc", 94}, {"erfcinv", 195}, {"erfcx", 104}, {"erfinv", 114}, {"exp", 44},
    {"exp10", 49}, {"exp2", 48}, {"expm1", 47}, {"hypot", 34}, {"lgamma", 104}, {"log", 66}, {"log10", 68}, {"log1p", 87}, {"log2", 68},
    {"logb", 25}, {"norm3d", 35}, {"normcdf", 119}, {"normcdfinv", 199}, {"pow", 74}, {"powi", 75}, {"rcbrt", 55}, {"rhypot", 40},
    {"rnorm3d", 32}, {"sinh", 61}, {"sincos_sin", 35}, {"sincos_cos", 17}, {"tan", 50}, {"tanh", 55}, {"tgamma", 348},
    {"quarter", 13}, {"quarter_pi", 11}, {"sin_by", 17}, {"cos_by", 17}, {"sinpi_by", 17}, {"cospi_by", 18}, // and three loads
    {"fmod", LOOPS}, {"fmodf", LOOPS}, {"remainder", LOOPS}, {"remainderf", LOOPS},
};

constexpr struct {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} KNOWN[] = {
    {"acos", std::acos, nullptr},   {"asin", std::asin, nullptr},   {"atan", std::atan, nullptr}, {"cos", std::cos, nullptr},
    {"cosh", std::cosh, nullptr},   {"exp", std::exp, nullptr},     {"exp2", std::exp2, nullptr}, {"log", std::log, nullptr},
    {"log10", std::log10, nullptr}, {"sin", std::sin, nullptr},     {"sinh", std::sinh, nullptr}, {"tan", std::tan, nullptr},
    {"tanh", std::tanh, nullptr},   {"atan2", nullptr, std::atan2}, {"fmod", nullptr, std::fmod}, {"pow", nullptr, std::pow},
};

// Instructions that nvcc folds, too. With -ftz=true it does so for sqrt.approx alone.
constexpr struct {
    Intrinsic::ID id;
    double (*result)(double);
} KNOWN_INSTRUCTIONS[] = {
    {Intrinsic::nvvm_sqrt_rn_f, std::sqrt},        {Intrinsic::nvvm_sqrt_approx_f, std::sqrt},
    {Intrinsic::nvvm_sqrt_approx_ftz_f, std::sqrt}, {Intrinsic::nvvm_ex2_approx_f, std::exp2},
    {Intrinsic::nvvm_lg2_approx_f, std::log2},
};

// "expf" of "__nv_expf"; nothing of other functions.
StringRef name_of(const Function &f)
{
    StringRef name = f.getName();
    return f.isDeclaration() && name.consume_front("__nv_") ? name : "";
}

double value_of(const ConstantFP &c)
{
    return c.getType()->isFloatTy() ? c.getValueAPF().convertToFloat() : c.getValueAPF().convertToDouble();
}

Constant *folded_instruction(const CallInst &call)
{
    auto *x = call.arg_size() == 1 ? dyn_cast<ConstantFP>(call.getArgOperand(0)) : nullptr;
    if (!x || !x->getValueAPF().isFinite())
        return nullptr;
    for (auto &k : KNOWN_INSTRUCTIONS) {
        if (call.getIntrinsicID() != k.id)
            continue;
        std::feclearexcept(FE_ALL_EXCEPT);
        double r = k.result(value_of(*x));
        return std::fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT) ? nullptr : ConstantFP::get(call.getType(), r);
    }
    return nullptr;
}

// What a part of pow hands on (libm.h).
const Value *whole(const Value *v)
{
    auto *call = dyn_cast<CallInst>(v);
    const Function *f = call ? call->getCalledFunction() : nullptr;
    return f && (name_of(*f) == "pow_basef" || name_of(*f) == "pow_exponentf") ? call->getArgOperand(0) : v;
}

// The result of a call, null where nvcc does not know it either.
Constant *folded(const CallInst &call, StringRef name)
{
    Type *type = call.getType();
    if (type->isFloatTy() && !name.consume_back("f"))
        return nullptr;
    name.consume_front("sincos_");
    bool one = name.consume_back("_by") || call.arg_size() == 1;
    name.consume_back("_rest");
    const ConstantFP *x[2] = {};
    for (unsigned i = 0; i < (one ? 1 : 2); i++)
        if (!(x[i] = dyn_cast<ConstantFP>(whole(call.getArgOperand(i)))))
            return nullptr;
    for (auto &k : KNOWN) {
        if (name != k.name || one != (k.one != nullptr))
            continue;
        std::feclearexcept(FE_ALL_EXCEPT);
        double r = k.two ? k.two(value_of(*x[0]), value_of(*x[1])) : k.one(value_of(*x[0]));
        return std::fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT) ? nullptr : ConstantFP::get(type, r);
    }
    return nullptr;
}

// powf(2, x) is exp2f(x); of doubles nvcc leaves it.
bool make_exp2(CallInst &call)
{
    auto *base = name_of(*call.getCalledFunction()) == "pow_restf" ? dyn_cast<ConstantFP>(whole(call.getArgOperand(0))) : nullptr;
    if (!base || !base->isExactlyValue(2.0))
        return false;
    Type *type = call.getType();
    FunctionCallee exp2 = call.getModule()->getOrInsertFunction("__nv_exp2f", FunctionType::get(type, {type}, false));
    cast<Function>(exp2.getCallee())->setAttributes(call.getCalledFunction()->getAttributes());
    call.replaceAllUsesWith(IRBuilder<>(&call).CreateCall(exp2, {const_cast<Value *>(whole(call.getArgOperand(1)))}));
    call.eraseFromParent();
    return true;
}

bool is_pure_assembly(const Instruction &i)
{
    auto *call = dyn_cast<CallInst>(&i);
    auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    return code && !code->hasSideEffects() && call->doesNotAccessMemory();
}

Instruction *same_in(BasicBlock &b, const Instruction &wanted)
{
    for (Instruction &i : b)
        if (i.isIdenticalTo(&wanted))
            return &i;
    return nullptr;
}

} // namespace

bool heddle::has_loop(const CallBase &call)
{
    const Function *f = call.getCalledFunction();
    return f && is_contained(APART, name_of(*f));
}

unsigned heddle::inlined_size(const Instruction &i)
{
    auto *call = dyn_cast<CallBase>(&i);
    const Function *f = call ? call->getCalledFunction() : nullptr;
    if (f && f->getIntrinsicID() == Intrinsic::sqrt && i.getType()->isDoubleTy())
        return SQRT_OF_64;
    StringRef name = f ? name_of(*f) : "";
    if (name == "pow_restf" && isa<Constant>(whole(call->getArgOperand(1))))
        return 1;
    for (auto &known : SIZES)
        if (name == known.name)
            return known.size;
    return 0;
}

bool heddle::free_math_calls(Module &m)
{
    bool changed = false;
    for (Function &f : m) {
        StringRef name = name_of(f);
        if (name.empty() || !f.doesNotAccessMemory() || is_contained(APART, name))
            continue;
        f.setNotConvergent();
        for (User *user : f.users())
            if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == &f)
                call->setNotConvergent();
        changed = true;
    }
    return changed;
}

bool heddle::hoist_assembly(Function &f, LoopInfo &loops, DominatorTree &dominators)
{
    bool changed = any_of(instructions(f), is_pure_assembly);
    if (changed)
        for (Loop *l : loops) // and what is in it
            simplifyLoop(l, &dominators, &loops, nullptr, nullptr, nullptr, false);
    for (BasicBlock *b : ReversePostOrderTraversal<Function *>(&f))
        for (Instruction &i : make_early_inc_range(*b)) {
            Loop *from = nullptr;
            if (is_pure_assembly(i))
                for (Loop *l = loops.getLoopFor(b); l && l->hasLoopInvariantOperands(&i) && l->isLoopSimplifyForm(); l = l->getParentLoop())
                    from = l;
            if (!from)
                continue;
            BasicBlock *before = from->getLoopPreheader();
            if (Instruction *same = same_in(*before, i)) {
                i.replaceAllUsesWith(same);
                i.eraseFromParent();
            } else
                i.moveBefore(before->getTerminator());
            changed = true;
        }
    return changed;
}

void heddle::lengthen_blocks(Function &f, Hidden &hidden)
{
    FunctionType *type = FunctionType::get(Type::getVoidTy(f.getContext()), false);
    for (BasicBlock &b : f) {
        bool is_long = any_of(b, [](const Instruction &i) {
            auto *call = dyn_cast<CallBase>(&i);
            return inlined_size(i) > MOST_LEFT || (call && has_loop(*call));
        });
        for (int n = 0; is_long && n <= MOST_LEFT; n++)
            hidden.push_back(CallInst::Create(type, InlineAsm::get(type, "", "", true), "", b.getTerminator()->getIterator()));
    }
}

void heddle::shorten_blocks(Hidden &hidden)
{
    for (WeakVH &v : hidden)
        if (auto *i = dyn_cast_or_null<Instruction>(v))
            i->eraseFromParent();
    hidden.clear();
}

bool heddle::multiply_chosen(Function &f)
{
    bool changed = false;
    for (Instruction &i : make_early_inc_range(instructions(f))) {
        Value *result;
        const APFloat *number;
        if (!match(&i, m_c_FMul(m_OneUse(m_Value(result)), m_APFloat(number))) || number->isExactlyValue(-2))
            continue; // x - 2 * y is x - (y + y) in any case
        auto *call = dyn_cast<CallInst>(result);
        if (!call || !call->getCalledFunction() || !is_contained(CHOSEN, name_of(*call->getCalledFunction())))
            continue;
        bool flush = f.getDenormalModeF32Raw().Output == DenormalMode::PreserveSign;
        Intrinsic::ID id = i.getType()->isDoubleTy() ? Intrinsic::nvvm_mul_rn_d : flush ? Intrinsic::nvvm_mul_rn_ftz_f : Intrinsic::nvvm_mul_rn_f;
        IRBuilder<> b(&i);
        i.replaceAllUsesWith(number->isExactlyValue(2) ? b.CreateFAdd(result, result)
                                                       : b.CreateIntrinsic(id, {}, {i.getOperand(0), i.getOperand(1)}));
        i.eraseFromParent();
        changed = true;
    }
    return changed;
}

bool heddle::fold_math_calls(Function &f)
{
    bool changed = false;
    for (Instruction &i : make_early_inc_range(instructions(f))) {
        auto *call = dyn_cast<CallInst>(&i);
        const Function *callee = call ? call->getCalledFunction() : nullptr;
        if (!callee || !call->getType()->isFloatingPointTy())
            continue;
        Constant *c = callee->isIntrinsic() ? folded_instruction(*call) : folded(*call, name_of(*callee));
        if (c) {
            call->replaceAllUsesWith(c);
            call->eraseFromParent();
            changed = true;
        } else {
            changed |= make_exp2(*call);
        }
    }
    return changed;
}
