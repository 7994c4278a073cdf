// A pass of ours inside clang's device compilation, loaded with -fpass-plugin: what clang's back end would lose.
//
// 1. Inlining. Clang 19 prints no chain of calls in PTX's .loc. Each location inside an inlined call gets a file whose
//    name says the chain, "f.cu @[ f.cu:8:18 @[ f.cu:13:10 ] ]", which ptx/locations.c takes apart again.
// 2. Copies of whole structs, with -mllvm -heddle-whole-copies. Clang keeps a 16-byte, 16-aligned struct copy as
//    llvm.memcpy, and its back end prints two 8-byte accesses; nvcc makes one 16-byte access (27 of 398 measured
//    launches, up to 1.8 times slower on an H200; 2026-11-20). Such copies become <4 x i32> loads and stores, all
//    loads first.
// The pass runs last in the optimiser, so nothing else changes. C++ because LLVM's pass interface is.
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace {

cl::opt<bool> whole_copies("heddle-whole-copies", cl::desc("copy whole 16-byte structs by one access, as nvcc does"));

enum { MOVE = 16, MAX_COPY = 64 }; // bytes of one access; larger copies are loops in nvcc too

// The size of a copy that becomes vector accesses, or 0.
uint64_t whole_copy(const MemCpyInst &copy)
{
    auto *length = dyn_cast<ConstantInt>(copy.getLength());
    if (!length || copy.isVolatile())
        return 0;
    uint64_t bytes = length->getZExtValue();
    bool aligned = copy.getDestAlign().valueOrOne() >= Align(MOVE) && copy.getSourceAlign().valueOrOne() >= Align(MOVE);
    return aligned && bytes && bytes % MOVE == 0 && bytes <= MAX_COPY ? bytes : 0;
}

void move_by_vectors(MemCpyInst &copy, uint64_t bytes)
{
    IRBuilder<> b(&copy);
    Type *v4 = FixedVectorType::get(b.getInt32Ty(), 4);
    SmallVector<Value *, MAX_COPY / MOVE> values;
    for (uint64_t at = 0; at < bytes; at += MOVE)
        values.push_back(b.CreateAlignedLoad(v4, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), copy.getRawSource(), at), Align(MOVE)));
    for (uint64_t at = 0; at < bytes; at += MOVE)
        b.CreateAlignedStore(values[at / MOVE], b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), copy.getRawDest(), at), Align(MOVE));
    copy.eraseFromParent();
}

bool join_copies(Function &f)
{
    SmallVector<MemCpyInst *, 8> copies;
    for (BasicBlock &block : f)
        for (Instruction &i : block)
            if (auto *copy = dyn_cast<MemCpyInst>(&i); copy && whole_copy(*copy))
                copies.push_back(copy);
    for (MemCpyInst *copy : copies)
        move_by_vectors(*copy, whole_copy(*copy));
    return !copies.empty();
}

// " @[ f.cu:8:18 @[ f.cu:13:10 ] ]"
std::string chain(const DILocation *call)
{
    std::string open, close;
    for (; call; call = call->getInlinedAt()) {
        open += (" @[ " + call->getFilename() + ":" + Twine(call->getLine()) + ":" + Twine(call->getColumn())).str();
        close += " ]";
    }
    return open + close;
}

bool name_chains(Function &f)
{
    DISubprogram *in = f.getSubprogram();
    bool changed = false;
    for (BasicBlock &block : f)
        for (Instruction &i : block) {
            const DILocation *at = i.getDebugLoc();
            if (!in || !at || !at->getInlinedAt())
                continue;
            LLVMContext &c = f.getContext();
            DIFile *file = DIFile::get(c, (at->getFilename() + chain(at->getInlinedAt())).str(), at->getDirectory());
            auto *scope = DILexicalBlockFile::get(c, in, file, 0);
            i.setDebugLoc(DILocation::get(c, at->getLine(), at->getColumn(), scope));
            changed = true;
        }
    return changed;
}

struct HeddleDevicePass : PassInfoMixin<HeddleDevicePass> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
    {
        bool changed = false;
        for (Function &f : m)
            if (!f.isDeclaration()) {
                changed |= whole_copies && join_copies(f);
                changed |= name_chains(f);
            }
        return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "heddle", "1", [](PassBuilder &b) {
                b.registerOptimizerLastEPCallback(
                    [](ModulePassManager &m, OptimizationLevel) { m.addPass(HeddleDevicePass()); });
            }};
}
