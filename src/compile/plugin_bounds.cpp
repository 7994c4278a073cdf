// Limits of registers that a kernel names: include/host_defines.h annotates it (clang 19 has no such attribute), here that becomes what
// its back end prints as .maxnreg.
#include "compile/plugin.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace {

// The number that an annotation has behind its text, or 0.
uint64_t number_of(const Constant &entry)
{
    auto *arguments = entry.getNumOperands() > 4 ? dyn_cast<GlobalVariable>(entry.getOperand(4)->stripPointerCasts()) : nullptr;
    auto *all = arguments && arguments->hasInitializer() ? dyn_cast<ConstantAggregate>(arguments->getInitializer()) : nullptr;
    auto *first = all && all->getNumOperands() ? dyn_cast<ConstantInt>(all->getOperand(0)) : nullptr;
    return first ? first->getZExtValue() : 0;
}

// The same function as another object. LLVM remembers a function's notes from when it is asked for one first, which it was before us.
Function *renewed(Function &f)
{
    auto *n = Function::Create(f.getFunctionType(), f.getLinkage(), f.getAddressSpace());
    f.getParent()->getFunctionList().insert(f.getIterator(), n);
    n->copyAttributesFrom(&f);
    n->copyMetadata(&f, 0);
    n->setComdat(f.getComdat());
    n->splice(n->begin(), &f);
    for (unsigned i = 0; i < f.arg_size(); i++) {
        f.getArg(i)->replaceAllUsesWith(n->getArg(i));
        n->getArg(i)->takeName(f.getArg(i));
    }
    n->takeName(&f);
    f.replaceAllUsesWith(n);
    f.eraseFromParent();
    return n;
}

} // namespace

bool heddle::limit_registers(Module &m)
{
    LLVMContext &c = m.getContext();
    std::vector<std::pair<Function *, uint64_t>> limits;
    auto *all = m.getNamedGlobal("llvm.global.annotations");
    auto *list = all && all->hasInitializer() ? dyn_cast<ConstantArray>(all->getInitializer()) : nullptr;
    for (unsigned i = 0; list && i < list->getNumOperands(); i++) {
        auto *entry = cast<Constant>(list->getOperand(i));
        auto *kernel = dyn_cast<Function>(entry->getOperand(0)->stripPointerCasts());
        if (kernel && !kernel->isDeclaration() && annotation_text(*entry->getOperand(1)) == "heddle registers" && number_of(*entry))
            limits.emplace_back(kernel, number_of(*entry));
    }
    for (auto [kernel, number] : limits) {
        Metadata *what[] = {ValueAsMetadata::get(renewed(*kernel)), MDString::get(c, "maxnreg"),
                            ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), number))};
        m.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(MDNode::get(c, what));
    }
    return !limits.empty();
}
