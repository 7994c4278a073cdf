// Managed variables: include/host_defines.h annotates them, here the annotation becomes what PTX and the host's linker
// understand. The variables stay where they are: the runtime places the device's one where the host's one lies.
#include "compile/plugin.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace {

// Calls `change` for each variable with an annotation that begins with `prefix`.
template <typename Change> bool for_each_annotated(Module &m, StringRef prefix, Change change)
{
    bool changed = false;
    auto *all = m.getNamedGlobal("llvm.global.annotations");
    auto *list = all && all->hasInitializer() ? dyn_cast<ConstantArray>(all->getInitializer()) : nullptr;
    for (unsigned i = 0; list && i < list->getNumOperands(); i++) {
        auto *entry = cast<Constant>(list->getOperand(i));
        auto *variable = dyn_cast<GlobalVariable>(entry->getOperand(0)->stripPointerCasts());
        if (variable && heddle::annotation_text(*entry->getOperand(1)).starts_with(prefix))
            changed |= change(*variable);
    }
    return changed;
}

// Mangled names of what a file keeps to itself: static (an L before the length), or in an unnamed namespace.
bool is_internal(StringRef name)
{
    if (name.contains("_GLOBAL__N_"))
        return true;
    if (!name.consume_front("_Z"))
        return false;
    name.consume_front("N");
    for (;;) {
        unsigned length = 0;
        if (name.starts_with("L"))
            return true;
        if (name.consumeInteger(10, length) || length > name.size())
            return false;
        name = name.drop_front(length);
    }
}

} // namespace

StringRef heddle::annotation_text(const Value &operand)
{
    auto *text = dyn_cast<GlobalVariable>(operand.stripPointerCasts());
    auto *bytes = text && text->hasInitializer() ? dyn_cast<ConstantDataSequential>(text->getInitializer()) : nullptr;
    return bytes && bytes->isCString() ? bytes->getAsCString() : StringRef();
}

bool heddle::mark_managed(Module &m)
{
    LLVMContext &c = m.getContext();
    return for_each_annotated(m, "heddle managed", [&](GlobalVariable &v) {
        Metadata *what[] = {ValueAsMetadata::get(&v), MDString::get(c, "managed"),
                            ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), 1))};
        m.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(MDNode::get(c, what));
        v.setExternallyInitialized(true); // the host may have changed it
        return true;
    });
}

bool heddle::keep_managed(Module &m)
{
    bool changed = for_each_annotated(m, "heddle managed", [](GlobalVariable &v) {
        if (v.hasInitializer())
            v.setInitializer(Constant::getNullValue(v.getValueType()));
        v.setExternallyInitialized(true); // by the runtime, before the file's own constructors
        return true;
    });
    changed |= for_each_annotated(m, "heddle managed, of all files", [](GlobalVariable &v) {
        if (v.hasLocalLinkage() && !is_internal(v.getName()))
            v.setLinkage(GlobalValue::ExternalLinkage);
        return true;
    });
    return changed;
}
