// A pass of ours inside clang's device compilation, loaded with -fpass-plugin: what clang's back end would lose, and
// where its code would make other memory accesses than nvcc's. In a host compilation it looks after managed variables only.
//
// Copies of structs are split before the optimiser, which would load a part of them here and a part there, short
// branches become selects before it moves anything, and conversions to integers are hidden from it. Loops are unrolled where
// its vectoriser begins. Two of its passes do not see what they would change other than nvcc's do. Everything else runs last in the optimiser, so that nothing undoes it. plugin.h lists the changes. C++ because LLVM's pass interface is.
#include "compile/plugin.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <memory>

using namespace llvm;

namespace {

cl::opt<bool> ir_ftz("heddle-ir-ftz", cl::desc("functions flush denormals"), cl::Hidden);
cl::opt<bool> device_alone("heddle-device-alone", cl::desc("no host code comes with this device code"), cl::Hidden);

template <typename Change> PreservedAnalyses for_each_function(Module &m, Change change)
{
    bool changed = false;
    for (Function &f : m)
        if (!f.isDeclaration())
            changed |= change(f);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

bool is_device(const Module &m)
{
    return Triple(m.getTargetTriple()).isNVPTX();
}

struct ManagedPass : PassInfoMixin<ManagedPass> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
    {
        bool changed = is_device(m) ? heddle::mark_managed(m) : heddle::keep_managed(m);
        if (is_device(m))
            changed |= heddle::limit_registers(m);
        if (is_device(m) && device_alone)
            changed |= heddle::keep_statics(m);
        return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

struct NamesPass : PassInfoMixin<NamesPass> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
    {
        return is_device(m) && heddle::name_as_llvm(m, ir_ftz) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

struct SharedPass : PassInfoMixin<SharedPass> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
    {
        return is_device(m) && heddle::align_shared(m) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

struct LaunchesPass : PassInfoMixin<LaunchesPass> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
    {
        return is_device(m) && heddle::make_launches(m) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

struct MathPass : PassInfoMixin<MathPass> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
    {
        return is_device(m) && heddle::free_math_calls(m) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
};

struct FoldPass : PassInfoMixin<FoldPass> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &)
    {
        if (!is_device(*f.getParent()))
            return PreservedAnalyses::all();
        bool changed = heddle::fold_math_calls(f);
        changed |= heddle::free_divisions(f, true);
        if (heddle::join_blocks(f))
            return PreservedAnalyses::none();
        if (!changed)
            return PreservedAnalyses::all();
        PreservedAnalyses kept;
        kept.preserveSet<CFGAnalyses>();
        return kept;
    }
};

// One change to each function of device code; `required`: also where nothing is optimised.
template <bool (*change)(Function &), bool required> struct FunctionsPass : PassInfoMixin<FunctionsPass<change, required>> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
    {
        return is_device(m) ? for_each_function(m, change) : PreservedAnalyses::all();
    }
    static bool isRequired() { return required; }
};

// The optimiser is not to conclude from what it takes for undefined behaviour.
using UnsetPass = FunctionsPass<heddle::allow_unset, true>;
using TypesPass = FunctionsPass<heddle::align_types, true>;
using LocalsPass = FunctionsPass<heddle::align_arrays, true>;
using GridConstantsPass = FunctionsPass<heddle::name_grid_constants, true>;
using ParametersPass = FunctionsPass<heddle::copy_parameters, false>;
using FieldsPass = FunctionsPass<heddle::tell_fields, false>;
using AtomicsPass = FunctionsPass<heddle::relax_atomics, false>;
using AccessedPass = FunctionsPass<heddle::align_accessed, true>;
// Clang itself and its back end fold as well.
using ConversionsPass = FunctionsPass<heddle::fence_conversions, true>;
using FirstPass = FunctionsPass<heddle::split_copies, false>;
using ReferencesPass = FunctionsPass<heddle::hide_references, false>;
using UnsignedPass = FunctionsPass<heddle::mark_unsigned, false>;
using EndsPass = FunctionsPass<heddle::tell_ends, false>;
using EarlyPass = FunctionsPass<heddle::select_short_ways, false>;
using ChosenPass = FunctionsPass<heddle::mark_chosen, false>;
using DivisionsPass = FunctionsPass<heddle::fence_divisions, false>;

struct UnrollPass : PassInfoMixin<UnrollPass> {
    PreservedAnalyses run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &analyses, LPMUpdater &)
    {
        if (is_device(*loop.getHeader()->getModule()))
            heddle::ask_for_unrolling(loop, analyses);
        return PreservedAnalyses::all();
    }
};

// Once more where branches have become shorter, inlined and without what loops do not change.
struct WaysPass : PassInfoMixin<WaysPass> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &)
    {
        heddle::allow_promotion(true);
        return is_device(*f.getParent()) && heddle::select_short_ways(f) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
};

struct LoopsPass : PassInfoMixin<LoopsPass> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &analyses)
    {
        bool changed = is_device(*f.getParent()) && heddle::unroll_loops(f, analyses);
        return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
};

// Stores that become one only now leave ways that may be selects.
struct StoresPass : PassInfoMixin<StoresPass> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &analyses)
    {
        if (!is_device(*f.getParent()) || !heddle::join_ways(f))
            return PreservedAnalyses::all();
        analyses.invalidate(f, PreservedAnalyses::none());
        SimplifyCFGPass().run(f, analyses);
        return PreservedAnalyses::none();
    }
};

// What is known of the alignment of shared memory is known of the accesses, as generic pointers hide it from clang's back end.
struct AlignmentsPass : PassInfoMixin<AlignmentsPass> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &analyses)
    {
        if (!is_device(*f.getParent()))
            return PreservedAnalyses::all();
        FunctionPassManager passes;
        passes.addPass(InferAddressSpacesPass());
        passes.addPass(InferAlignmentPass());
        return passes.run(f, analyses);
    }
};

// The back end's passes, which come behind ours, take these from here on. It would move sums before a branch and others behind it.
void set_back_end()
{
    auto &options = cl::getRegisteredOptions();
    if (cl::Option *cost = options.lookup("spec-exec-max-speculation-cost"))
        static_cast<cl::opt<unsigned> *>(cost)->setValue(0);
    if (cl::Option *redundancies = options.lookup("enable-pre"))
        static_cast<cl::opt<bool> *>(redundancies)->setValue(false);
}

struct LastPass : PassInfoMixin<LastPass> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &analyses)
    {
        if (!is_device(m))
            return PreservedAnalyses::all();
        set_back_end();
        bool named = heddle::name_kinds(m);
        if (heddle::read_warp_size(m) || named)
            analyses.invalidate(m, PreservedAnalyses::none());
        auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(m).getManager();
        return for_each_function(m, [&](Function &f) {
            bool changed = heddle::end_by_sums(f, functions);
            changed |= heddle::name_references(f);
            changed |= heddle::leave_to_assembler(f);
            changed |= heddle::restore_zeros(f);
            changed |= heddle::make_conversions(f);
            changed |= heddle::free_divisions(f, false);
            changed |= heddle::join_pieces(f);
            changed |= heddle::complete_parameters(f);
            changed |= heddle::copy_written_parameters(f);
            changed |= heddle::expand_copies(f);
            changed |= heddle::choose_results(f);
            changed |= heddle::share_differences(f);
            changed |= heddle::keep_negations(f);
            changed |= heddle::multiply_chosen(f);
            changed |= heddle::widen_divisions(f);
            changed |= heddle::restore_masks(f);
            changed |= heddle::name_spaces(f);
            changed |= heddle::align_accessed(f);
            if (changed)
                functions.invalidate(f, PreservedAnalyses::none());
            changed |= heddle::close_loops(f, functions.getResult<DominatorTreeAnalysis>(f));
            changed |= heddle::hoist_assembly(f, functions.getResult<LoopAnalysis>(f), functions.getResult<DominatorTreeAnalysis>(f));
            AAResults &aa = functions.getResult<AAManager>(f);
            changed |= heddle::fill_gaps(f, aa);
            changed |= heddle::join_stores(f, aa);
            changed |= heddle::name_chains(f);
            heddle::Hidden held;
            heddle::hold_sums(f, held);
            heddle::hide_loaded(f, held);
            return changed || !held.empty();
        });
    }
    static bool isRequired() { return true; }
};

// Around a pass of LLVM's own, which may have no place before it to add one of ours.
void hide_from(PassInstrumentationCallbacks &calls, StringRef pass, void (*hide)(Function &, heddle::Hidden &), void (*show)(heddle::Hidden &))
{
    auto hidden = std::make_shared<heddle::Hidden>();
    calls.registerBeforeNonSkippedPassCallback([=](StringRef name, Any ir) {
        auto *f = name == pass ? any_cast<const Function *>(&ir) : nullptr;
        if (f && is_device(*(*f)->getParent()))
            hide(const_cast<Function &>(**f), *hidden);
    });
    calls.registerAfterPassCallback([=](StringRef name, const Any &, const PreservedAnalyses &) {
        if (name == pass)
            show(*hidden);
    });
}

void call_before(PassInstrumentationCallbacks &calls, StringRef pass, void (*change)(Function &))
{
    calls.registerBeforeNonSkippedPassCallback([=](StringRef name, Any ir) {
        auto *f = name == pass ? any_cast<const Function *>(&ir) : nullptr;
        if (f && is_device(*(*f)->getParent()))
            change(const_cast<Function &>(**f));
    });
}

void call_after(PassInstrumentationCallbacks &calls, StringRef pass, void (*change)(Function &))
{
    calls.registerAfterPassCallback([=](StringRef name, const Any &ir, const PreservedAnalyses &) {
        auto *f = name == pass ? any_cast<const Function *>(&ir) : nullptr;
        if (f && is_device(*(*f)->getParent()))
            change(const_cast<Function &>(**f));
    });
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "heddle", "1", [](PassBuilder &b) {
                if (PassInstrumentationCallbacks *calls = b.getPassInstrumentationCallbacks()) {
                    hide_from(*calls, "SpeculativeExecutionPass", heddle::lengthen_blocks, heddle::shorten_blocks);
                    hide_from(*calls, "ReassociatePass", heddle::hide_negatives, heddle::show_negatives);
                    hide_from(*calls, "InstCombinePass", heddle::hide_casts, heddle::show_operands);
                    hide_from(*calls, "InstCombinePass", heddle::hide_bits, heddle::show_bits);
                    hide_from(*calls, "InstCombinePass", heddle::hold_sums, heddle::release_sums);
                    hide_from(*calls, "InstCombinePass", heddle::hide_ways, heddle::show_ways);
                    hide_from(*calls, "GVNPass", heddle::hide_loaded, heddle::show_operands);
                    call_after(*calls, "GVNPass", heddle::keep_in_loops);
                    call_before(*calls, "EarlyCSEPass", heddle::mark_zeros);
                }
                b.registerPipelineStartEPCallback([](ModulePassManager &m, OptimizationLevel level) {
                    m.addPass(NamesPass());
                    m.addPass(LaunchesPass());
                    m.addPass(ManagedPass());
                    m.addPass(SharedPass());
                    m.addPass(UnsetPass());
                    m.addPass(TypesPass());
                    m.addPass(GridConstantsPass());
                    m.addPass(LocalsPass());
                    m.addPass(AccessedPass());
                    m.addPass(ConversionsPass());
                    if (level != OptimizationLevel::O0) {
                        m.addPass(MathPass());
                        m.addPass(FieldsPass());
                        m.addPass(AtomicsPass());
                        m.addPass(ParametersPass());
                        m.addPass(UnsignedPass());
                        m.addPass(FirstPass());
                        m.addPass(ReferencesPass());
                    }
                });
                b.registerPipelineEarlySimplificationEPCallback([](ModulePassManager &m, OptimizationLevel level) {
                    if (level != OptimizationLevel::O0) {
                        m.addPass(EndsPass());
                        m.addPass(EarlyPass());
                        m.addPass(ChosenPass());
                        m.addPass(DivisionsPass());
                    }
                });
                b.registerPeepholeEPCallback([](FunctionPassManager &f, OptimizationLevel) { f.addPass(FoldPass()); });
                b.registerLateLoopOptimizationsEPCallback([](LoopPassManager &l, OptimizationLevel) { l.addPass(UnrollPass()); });
                b.registerScalarOptimizerLateEPCallback([](FunctionPassManager &f, OptimizationLevel) { f.addPass(WaysPass()); });
                b.registerVectorizerStartEPCallback([](FunctionPassManager &f, OptimizationLevel) { f.addPass(LoopsPass()); });
                b.registerOptimizerLastEPCallback([](ModulePassManager &m, OptimizationLevel level) {
                    if (level != OptimizationLevel::O0) {
                        m.addPass(createModuleToFunctionPassAdaptor(StoresPass()));
                        m.addPass(createModuleToFunctionPassAdaptor(AlignmentsPass()));
                    }
                    m.addPass(LastPass());
                });
            }};
}
