/* From a job to an object file: LLVM's context, target, passes (see jit/abi.h). */
#include "jit/llvm/emitter.h"


#include "base/alloc.h"
#include "base/strbuf.h"
#include "jit_build.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) const char heddle_jit_build[] = JIT_BUILD;

/* What LLVM does in each tier. sroa makes SSA of the variables; the rest is what pays for itself at first sight. The first tier's
 * level selects instructions one by one where it can, and gives out registers block by block (docs/notes/performance.md has the times). */
static const struct {
    const char *passes;
    LLVMCodeGenOptLevel level;
} tiers[JIT_TIERS] = {
    [JIT_FIRST] = {"sroa,early-cse,simplifycfg", LLVMCodeGenLevelNone},
    [JIT_FULL] = {"sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg", LLVMCodeGenLevelLess},
};

static void start_llvm(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

static LLVMTargetMachineRef machine(const struct jit_job *job, char *problem, size_t size)
{
    char *why = NULL;
    LLVMTargetRef target;
    const char *triple = "x86_64-unknown-linux-gnu";
    if (LLVMGetTargetFromTriple(triple, &target, &why)) {
        snprintf(problem, size, "%s", why);
        LLVMDisposeMessage(why);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, triple, job->level, strcmp(job->level, "x86-64-v4") ? "" : "-prefer-256-bit",
                                   tiers[job->tier].level, LLVMRelocPIC, LLVMCodeModelDefault);
}

static void attribute(struct emit *e, const char *name, const char *value)
{
    LLVMAddAttributeAtIndex(e->fn, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(e->cx, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

/* Bytes of a function's stack frame: launches may run on threads with a stack of 8 MiB or less. */
#define MOST_FRAME "1048576"

/* LLVM warns of a larger frame once the code is made: then it is not used. */
static void hear(LLVMDiagnosticInfoRef info, void *object)
{
    struct jit_object *o = object;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSWarning && LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    if (strstr(text, "stack frame size"))
        snprintf(o->problem, sizeof o->problem, "its machine code would need a stack frame of more than " MOST_FRAME " bytes");
    else
        fprintf(stderr, "heddle: LLVM: %s\n", text);
    LLVMDisposeMessage(text);
}

static void open_function(struct emit *e)
{
    LLVMTypeRef params[2] = {e->ptr, e->i32};
    e->fn = LLVMAddFunction(e->module, "jit_code", LLVMFunctionType(e->i32, params, 2, false));
    attribute(e, "target-cpu", e->job->level);
    attribute(e, "min-legal-vector-width", e->width * 32 >= 512 ? "512" : "256");
    attribute(e, "prefer-vector-width", e->width * 32 >= 512 ? "512" : "256");
    attribute(e, "warn-stack-size", MOST_FRAME);
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(e->fn, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->cx, nounwind, 0));
}

static void release_object(struct jit_object *o)
{
    alloc_release(o->bytes);
    o->bytes = NULL;
}

static void keep(struct jit_object *o, const char *bytes, size_t size)
{
    o->bytes = alloc_strndup(bytes, size);
    o->size = size;
}

static bool keep_text(struct emit *e, struct jit_object *o)
{
    char *text = LLVMPrintModuleToString(e->module);
    keep(o, text, strlen(text));
    LLVMDisposeMessage(text);
    return true;
}

static LLVMValueRef first_behind_phis(LLVMBasicBlockRef b)
{
    LLVMValueRef i = LLVMGetFirstInstruction(b);
    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/*
 * LLVM's early tail duplication mends SSA for one register after the other, each time over all phis of a block: 33 of 37 s for a
 * sort of 2,121 instructions (docs/jit.md). It leaves alone what is convergent, so each block of a large function begins with an
 * empty assembly text of that kind: at the end it would wait for all loads of its block, and LLVM would look at each of 490 of
 * them anew for each other. Small ones keep it: the stencil of the bench loses a tenth without.
 */
#define LARGE 10000 /* instructions of LLVM's; the bench's largest kernel has 5,644 */
static void keep_blocks_single(struct emit *e)
{
    size_t n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(e->fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            n++;
    if (n < LARGE)
        return;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx), NULL, 0, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, "", 0, true, false, LLVMInlineAsmDialectATT, false);
    unsigned kind = LLVMGetEnumAttributeKindForName("convergent", strlen("convergent"));
    LLVMAttributeRef convergent = LLVMCreateEnumAttribute(e->cx, kind, 0);
    LLVMSetCurrentDebugLocation2(e->b, NULL);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(e->fn); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMPositionBuilderBefore(e->b, first_behind_phis(b));
        LLVMAddCallSiteAttribute(LLVMBuildCall2(e->b, type, nothing, NULL, 0, ""), LLVMAttributeFunctionIndex, convergent);
    }
}

/* Optimises and makes the object; problems are told in o. */
static bool compile(struct emit *e, LLVMTargetMachineRef tm, struct jit_object *o)
{
    char *why = NULL;
    LLVMMemoryBufferRef buffer;
    enum jit_form form = e->job->form;
    if (LLVMVerifyModule(e->module, LLVMReturnStatusAction, &why)) {
        snprintf(o->problem, sizeof o->problem, "%.*s", (int)sizeof o->problem - 1, why);
        LLVMDisposeMessage(why);
        return false;
    }
    LLVMDisposeMessage(why);
    if (form == JIT_EMITTED)
        return keep_text(e, o);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(e->module, tiers[e->job->tier].passes, tm, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        char *text = LLVMGetErrorMessage(error);
        snprintf(o->problem, sizeof o->problem, "%s", text);
        LLVMDisposeErrorMessage(text);
        return false;
    }
    if (e->job->tier == JIT_FULL)
        keep_blocks_single(e);
    if (form == JIT_OPTIMISED)
        return keep_text(e, o);
    LLVMCodeGenFileType type = form == JIT_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile;
    if (LLVMTargetMachineEmitToMemoryBuffer(tm, e->module, type, &why, &buffer)) {
        snprintf(o->problem, sizeof o->problem, "%s", why);
        LLVMDisposeMessage(why);
        return false;
    }
    bool small = !o->problem[0]; /* machine code without a frame that is too large */
    if (small)
        keep(o, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
    return small;
}

__attribute__((visibility("default"))) bool heddle_jit_emit(const struct jit_job *job, struct alloc_state *memory, struct jit_object *o)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    alloc_join(memory);
    pthread_once(&once, start_llvm);
    *o = (struct jit_object){.release = release_object};
    LLVMTargetMachineRef tm = machine(job, o->problem, sizeof o->problem);
    if (!tm)
        return false;

    struct emit e = {.job = job, .k = job->kernel, .s = job->shapes};
    e.width = !strcmp(job->level, "x86-64-v4") ? 16 : !strcmp(job->level, "x86-64-v3") ? 8 : 4;
    e.parts = SHAPE_LANES / e.width;
    e.gathers = e.width == 16; /* AVX2's gather was no faster than loads lane by lane (Zen 3) */
    e.scatters = e.width == 16;
    e.cx = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(e.cx, hear, o);
    e.module = LLVMModuleCreateWithNameInContext(job->kernel->name, e.cx);
    e.b = LLVMCreateBuilderInContext(e.cx);
    LLVMSetTarget(e.module, "x86_64-unknown-linux-gnu");
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(tm);
    LLVMSetModuleDataLayout(e.module, layout);
    e.i1 = LLVMInt1TypeInContext(e.cx);
    e.i8 = LLVMInt8TypeInContext(e.cx);
    e.i16 = LLVMInt16TypeInContext(e.cx);
    e.i32 = LLVMInt32TypeInContext(e.cx);
    e.i64 = LLVMInt64TypeInContext(e.cx);
    e.f32 = LLVMFloatTypeInContext(e.cx);
    e.f64 = LLVMDoubleTypeInContext(e.cx);
    e.ptr = LLVMPointerTypeInContext(e.cx, 0);
    open_function(&e);
    lines_open(&e);
    struct strbuf text;
    strbuf_init(&text);
    e.text = job->form == JIT_WRITTEN ? &text : NULL;
    bool ok = emit_kernel(&e);
    count_settle(&e);
    o->lane_serial = e.nserials;
    if (ok && text.len)
        keep(o, text.s, text.len);
    else if (ok && e.text)
        snprintf(o->problem, sizeof o->problem, "there is no text of it");
    else if (ok)
        ok = compile(&e, tm, o);
    else
        snprintf(o->problem, sizeof o->problem, "%s", e.problem);
    o->internal = e.internal;
    ok = ok && o->bytes;
    strbuf_release(&text);
    LLVMDisposeTargetData(layout);
    LLVMDisposeBuilder(e.b);
    LLVMDisposeModule(e.module);
    LLVMContextDispose(e.cx);
    LLVMDisposeTargetMachine(tm);
    return ok;
}
