// Launches in device code. Where kernels launch kernels, kernels come here as ordinary functions that are marked
// (include/heddle/launches_in_kernels.h), and a launch as a call of __heddle_configure and the call of a kernel. The first becomes
// stores to a record in local memory, the second stores of the arguments behind them, as the kernel's parameters lie, and a call of
// the executor's __heddle_launch_kernel (src/interp/services.def). Then the marked functions become kernels.
//
// The record: grid and block as 3 times 32 bits each, 64 bits of shared memory, 64 of the stream; from byte 48 on the arguments.
#include "compile/plugin.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

constexpr uint64_t ARGUMENTS = 48;
constexpr const char *MARK = "heddle.kernel";

bool is_mark(const Value *text)
{
    auto *global = dyn_cast<GlobalVariable>(text->stripPointerCasts());
    auto *data = global && global->hasInitializer() ? dyn_cast<ConstantDataArray>(global->getInitializer()) : nullptr;
    return data && data->isCString() && data->getAsCString() == MARK;
}

// Takes the marks out of the module's annotations.
SmallVector<Function *, 16> marked_functions(Module &m)
{
    SmallVector<Function *, 16> kernels;
    SmallVector<Constant *, 16> others;
    GlobalVariable *all = m.getGlobalVariable("llvm.global.annotations");
    auto *list = all ? dyn_cast<ConstantArray>(all->getInitializer()) : nullptr;
    if (!list)
        return kernels;
    for (Value *entry : list->operands()) {
        auto *row = cast<ConstantStruct>(entry);
        auto *f = dyn_cast<Function>(row->getOperand(0)->stripPointerCasts());
        if (f && is_mark(row->getOperand(1)))
            kernels.push_back(f);
        else
            others.push_back(row);
    }
    if (kernels.empty())
        return kernels;
    all->eraseFromParent();
    if (!others.empty()) {
        auto *array = ConstantArray::get(ArrayType::get(others[0]->getType(), others.size()), others);
        (new GlobalVariable(m, array->getType(), false, GlobalValue::AppendingLinkage, array, "llvm.global.annotations"))
            ->setSection("llvm.metadata");
    }
    return kernels;
}

struct Argument_place {
    uint64_t at, bytes;
    Type *type; // of an aggregate that is passed as a pointer to a copy; else null
};

// Where each argument lies in the record, as in the kernel's parameter block; the end of the last one.
uint64_t place_arguments(const CallBase &call, SmallVectorImpl<Argument_place> &places)
{
    const DataLayout &dl = call.getModule()->getDataLayout();
    uint64_t at = 0;
    for (unsigned i = 0; i < call.arg_size(); i++) {
        Type *aggregate = call.isByValArgument(i) ? call.getParamByValType(i) : nullptr;
        Type *type = aggregate ? aggregate : call.getArgOperand(i)->getType();
        Align align = aggregate ? call.getParamAlign(i).value_or(dl.getABITypeAlign(type)) : dl.getABITypeAlign(type);
        uint64_t bytes = aggregate ? dl.getTypeAllocSize(type) : dl.getTypeStoreSize(type);
        at = alignTo(at, align);
        places.push_back({at, bytes, aggregate});
        at += bytes;
    }
    return at;
}

// The launches of one function, and its record.
class Launches {
    Function &f;
    const DenseSet<Function *> &kernels;
    AllocaInst *record = nullptr;

    Value *byte(IRBuilder<> &b, uint64_t at) { return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), record, at); }

    // __heddle_configure(grid, block, shared, stream); the first two by reference.
    void configure(CallInst &call)
    {
        IRBuilder<> b(&call);
        for (unsigned i = 0; i < 2; i++)
            b.CreateMemCpy(byte(b, i * 12), Align(4), call.getArgOperand(i), Align(4), 12);
        b.CreateAlignedStore(call.getArgOperand(2), byte(b, 24), Align(8));
        b.CreateAlignedStore(call.getArgOperand(3), byte(b, 32), Align(8));
        call.eraseFromParent();
    }

    void launch(CallInst &call)
    {
        SmallVector<Argument_place, 16> places;
        uint64_t bytes = place_arguments(call, places);
        IRBuilder<> b(&call);
        for (unsigned i = 0; i < places.size(); i++) {
            Value *value = call.getArgOperand(i), *to = byte(b, ARGUMENTS + places[i].at);
            if (places[i].type)
                b.CreateMemCpy(to, Align(1), value, Align(1), places[i].bytes);
            else
                b.CreateAlignedStore(value->getType()->isIntegerTy(1) ? b.CreateZExt(value, b.getInt8Ty()) : value, to, Align(1));
        }
        auto *type = FunctionType::get(b.getInt32Ty(), {b.getInt64Ty(), b.getInt64Ty(), b.getInt32Ty()}, false);
        b.CreateCall(f.getParent()->getOrInsertFunction("__heddle_launch_kernel", type),
                     {b.CreatePtrToInt(call.getCalledOperand(), b.getInt64Ty()), b.CreatePtrToInt(record, b.getInt64Ty()), b.getInt32(bytes)});
        call.eraseFromParent();
    }

public:
    Launches(Function &function, const DenseSet<Function *> &known) : f(function), kernels(known) {}

    void make(ArrayRef<CallInst *> configurations)
    {
        SmallVector<CallInst *, 16> launches;
        uint64_t most = 0;
        for (BasicBlock &block : f)
            for (Instruction &i : block) {
                auto *call = dyn_cast<CallInst>(&i);
                if (!call || !call->getCalledFunction() || !kernels.contains(call->getCalledFunction()))
                    continue;
                SmallVector<Argument_place, 16> places;
                most = std::max(most, place_arguments(*call, places));
                launches.push_back(call);
            }
        IRBuilder<> b(&*f.getEntryBlock().getFirstInsertionPt());
        record = b.CreateAlloca(ArrayType::get(b.getInt8Ty(), ARGUMENTS + most), nullptr, "launch");
        record->setAlignment(Align(16));
        for (CallInst *call : configurations)
            configure(*call);
        for (CallInst *call : launches)
            launch(*call);
    }
};

void make_kernel(Function &f)
{
    Module &m = *f.getParent();
    LLVMContext &c = m.getContext();
    f.setCallingConv(CallingConv::PTX_Kernel);
    if (f.hasLinkOnceLinkage())
        f.setLinkage(GlobalValue::WeakODRLinkage);
    f.setComdat(nullptr);
    Metadata *row[] = {ValueAsMetadata::get(&f), MDString::get(c, "kernel"), ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), 1))};
    m.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(MDNode::get(c, row));
}

} // namespace

bool heddle::make_launches(Module &m)
{
    auto marked = marked_functions(m);
    Function *configure = m.getFunction("__heddle_configure");
    MapVector<Function *, SmallVector<CallInst *, 8>> configurations;
    if (marked.empty())
        return false;
    DenseSet<Function *> kernels(marked.begin(), marked.end());
    if (configure)
        for (User *u : configure->users())
            if (auto *call = dyn_cast<CallInst>(u))
                configurations[call->getFunction()].push_back(call);
    for (auto &[f, calls] : configurations)
        Launches(*f, kernels).make(calls);
    for (Function *f : marked)
        make_kernel(*f);
    if (configure && configure->use_empty())
        configure->eraseFromParent();
    return true;
}
