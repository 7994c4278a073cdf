// Static variables of device code that is compiled alone (-ptx, -cubin, NVRTC): who loads it may look them up and write them, so
// they keep the name that the program wrote, as nvcc has it, and no value is known of them.
#include "compile/plugin.h"

#include "llvm/IR/GlobalVariable.h"

using namespace llvm;

namespace {

enum { GLOBAL_VARIABLES = 1, CONSTANT_VARIABLES = 4 }; // address spaces of NVPTX

// "_ZL7counter" is `static int counter` of no namespace: "counter". Others keep their mangled names, as nvcc's have other ones.
StringRef written_name(StringRef mangled)
{
    unsigned length = 0;
    if (!mangled.consume_front("_ZL") || mangled.consumeInteger(10, length) || length != mangled.size())
        return StringRef();
    return mangled;
}

} // namespace

bool heddle::keep_statics(Module &m)
{
    bool changed = false;
    for (GlobalVariable &v : m.globals()) {
        StringRef name = written_name(v.getName());
        bool device = v.getAddressSpace() == GLOBAL_VARIABLES || v.getAddressSpace() == CONSTANT_VARIABLES;
        if (name.starts_with("__heddle_")) // of our headers (libm.h)
            continue;
        if (!device || !v.hasLocalLinkage() || v.isConstant() || name.empty() || m.getNamedValue(name))
            continue;
        v.setName(name.str());
        v.setLinkage(GlobalValue::ExternalLinkage);
        v.setExternallyInitialized(true);
        changed = true;
    }
    return changed;
}
