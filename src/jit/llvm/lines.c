/* Which instruction of the kernel a piece of LLVM's text is from, for those who look at it (jit/show.h).
 *
 * Only when text is wanted: LLVM's locations then have the site + 1 as their line, in a made-up file. They change nothing
 * of the code. */
#include "jit/llvm/emitter.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

void lines_open(struct emit *e)
{
    const char *file = e->k->name;
    LLVMMetadataRef unit, type, name;
    if (e->job->form == JIT_OBJECT)
        return;
    LLVMDIBuilderRef b = LLVMCreateDIBuilder(e->module);
    name = LLVMDIBuilderCreateFile(b, file, strlen(file), "", 0);
    unit = LLVMDIBuilderCreateCompileUnit(b, LLVMDWARFSourceLanguageC, name, "", 0, 0, "", 0, 0, "", 0,
                                          LLVMDWARFEmissionLineTablesOnly, 0, 0, 0, "", 0, "", 0);
    (void)unit;
    type = LLVMDIBuilderCreateSubroutineType(b, name, NULL, 0, LLVMDIFlagZero);
    e->scope = LLVMDIBuilderCreateFunction(b, name, "jit_code", 8, "", 0, name, 1, type, 0, 1, 1, LLVMDIFlagZero, 0);
    LLVMSetSubprogram(e->fn, e->scope);
    LLVMDIBuilderFinalize(b);
    LLVMDisposeDIBuilder(b);
    LLVMAddModuleFlag(e->module, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18,
                      LLVMValueAsMetadata(LLVMConstInt(e->i32, LLVMDebugMetadataVersion(), 0)));
}

void lines_at(struct emit *e, int32_t site)
{
    if (!e->scope)
        return;
    LLVMMetadataRef line = LLVMDIBuilderCreateDebugLocation(e->cx, (unsigned)site + 1, 0, e->scope, NULL);
    LLVMSetCurrentDebugLocation2(e->b, line);
}
