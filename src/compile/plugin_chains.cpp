// Inlining. Clang 19 prints no chain of calls in PTX's .loc. Each location inside an inlined call gets a file whose name
// says the chain, "f.cu @[ f.cu:8:18 @[ f.cu:13:10 ] ]", which ptx/locations.c takes apart again.
#include "compile/plugin.h"

#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

// " @[ f.cu:8:18 @[ f.cu:13:10 ] ]"
static std::string chain(const DILocation *call)
{
    std::string open, close;
    for (; call; call = call->getInlinedAt()) {
        open += (" @[ " + call->getFilename() + ":" + Twine(call->getLine()) + ":" + Twine(call->getColumn())).str();
        close += " ]";
    }
    return open + close;
}

bool heddle::name_chains(Function &f)
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
