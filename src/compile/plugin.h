// The changes that our pass makes inside clang (plugin.cpp says when each one runs). Each takes a
// function or the module and says whether it changed it. What they imitate was measured with nvcc 13.0 (docs/compile.md, "As nvcc
// does it").
#ifndef COMPILE_PLUGIN_H
#define COMPILE_PLUGIN_H

#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"

#include <vector>

namespace heddle {

// plugin_copies.cpp. First: `T t = p[i]` loads the whole of a struct, in pieces as wide as its alignment allows.
bool split_copies(llvm::Function &f);
// Last: pieces that more than one element is used of become vector loads, others loads of the element.
bool join_pieces(llvm::Function &f);
// Last: copies from memory to memory become the accesses that nvcc makes of them.
bool expand_copies(llvm::Function &f);

// plugin_conversions.cpp. First, at any level: conversions to integers are out of the optimiser's sight.
bool fence_conversions(llvm::Function &f);
// Last: they are the GPU's instructions.
bool make_conversions(llvm::Function &f);

// plugin_selects.cpp. Early: short branches become selects, as nvcc makes them.
bool select_short_ways(llvm::Function &f);
// Behind it: divisions behind a branch stay there. Last, and after each simplification those by constants: they are divisions again.
bool fence_divisions(llvm::Function &f);
bool free_divisions(llvm::Function &f, bool by_constants);
// Early, and last: a choice between a sum or product and one of its operands stays one.
bool mark_chosen(llvm::Function &f);
bool choose_results(llvm::Function &f);
// Last: of a difference and a negation one is selected by its first operand.
bool share_differences(llvm::Function &f);

// What a pass of LLVM's own is not to see while it runs: hidden before it, shown behind it. What the pass replaced is shown by that, so
// the list does not follow to the replacement, which is somebody's arithmetic.
using Hidden = std::vector<llvm::WeakVH>;
// plugin_negations.cpp. From Reassociate: the signs of constants deep in a term.
void hide_negatives(llvm::Function &f, Hidden &hidden);
void show_negatives(Hidden &hidden);
// Last: the sign of a product that is stored stays behind it.
bool keep_negations(llvm::Function &f);
// plugin_casts.cpp. From InstCombine: that the operands of sums and products are converted integers. Early: which are unsigned.
bool mark_unsigned(llvm::Function &f);
void hide_casts(llvm::Function &f, Hidden &hidden);
// What stands before its first operand goes.
void show_operands(Hidden &hidden);
// plugin_sinks.cpp. The same: sums that stay before a branch. Last, too, without an end.
void hold_sums(llvm::Function &f, Hidden &hidden);
void release_sums(Hidden &hidden);
// plugin_zeros.cpp. Before EarlyCSE: sums that begin with zero. Last: those that were left out are there again.
void mark_zeros(llvm::Function &f);
bool restore_zeros(llvm::Function &f);
// plugin_casts.cpp. The same: masks of the bits of numbers.
void hide_bits(llvm::Function &f, Hidden &hidden);
void show_bits(Hidden &hidden);

// plugin_loads.cpp. Last: p[i].x and p[i].z are loaded together with what lies between and behind.
bool fill_gaps(llvm::Function &f, llvm::AAResults &aa);

// plugin_loops.cpp. Early: loops of which nvcc concludes that they end say so.
bool tell_ends(llvm::Function &f);
// The same file. Behind the simplifications: loops are unrolled as often as nvcc unrolls them.
// Before clang's full unrolling: loops that nvcc unrolls and clang would not, or the other way round, say so.
void ask_for_unrolling(llvm::Loop &loop, llvm::LoopStandardAnalysisResults &analyses);
bool unroll_loops(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);

// plugin_ends.cpp. Marks loops that were unrolled though nobody asked for it.
const char BY_ITSELF[] = "heddle.by.itself";
// Last: those of unknown length end by a sum of the program's counter where nvcc's do, and the assembler may unroll all of them again.
bool end_by_sums(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
bool leave_to_assembler(llvm::Function &f);
// Last: the branch at a loop's end goes back where its condition holds, as nvcc's does. The back end cannot turn it round, and ptxas does not unroll a
// loop that is left by a branch and goes back by another one.
bool close_loops(llvm::Function &f, const llvm::DominatorTree &dt);

// plugin_stores.cpp. From LICM, once loads have been merged: that a store may wait for the end of a loop.
void keep_in_loops(llvm::Function &f);
// From GVN, and last, since the back end has one of its own: that what is stored was loaded. A store that may be to the place of the load
// would leave it as it was, which nvcc does not ask.
void hide_loaded(llvm::Function &f, Hidden &hidden);
void allow_promotion(bool allowed);
// After each simplification from there on: blocks that follow each other are one, in which a store makes others dead.
bool join_blocks(llvm::Function &f);
// From InstCombine, from there on: that both ways of a branch store to the same place. Last: they are one where the ways meet.
void hide_ways(llvm::Function &f, Hidden &hidden);
void show_ways(Hidden &hidden);
bool join_ways(llvm::Function &f);
// Last: a store before a branch and one behind it to the same place are one where the ways meet.
bool join_stores(llvm::Function &f, llvm::AAResults &aa);

// plugin_arithmetic.cpp. Last: divisions in 16 bits only where nvcc has them.
bool widen_divisions(llvm::Function &f);
// Last: (x | 3) is ((x & ~3) | 3) again, beside an (x & ~3).
bool restore_masks(llvm::Function &f);

// plugin_math.cpp. First: calls of the math library may be merged and moved, as nvcc moves what it inlines of them.
bool free_math_calls(llvm::Module &m);
// The call is of a function that has a loop or an array of its own, so that nvcc neither merges it nor unrolls what is around it.
bool has_loop(const llvm::CallBase &call);
// Instructions that nvcc counts of such a call when it unrolls a loop around it; 0: it is one, or no such call.
unsigned inlined_size(const llvm::Instruction &i);
// From SpeculativeExecution: blocks with such calls are as long as what nvcc has inlined, so nothing of them moves before their branch.
void lengthen_blocks(llvm::Function &f, Hidden &hidden);
void shorten_blocks(Hidden &hidden);
// After each simplification: such calls of constants are what nvcc folds them to.
bool fold_math_calls(llvm::Function &f);
// Last: the product of a number and of a result that nvcc chooses between numbers is rounded.
bool multiply_chosen(llvm::Function &f);
// Last: assembly that is not volatile moves out of loops.
bool hoist_assembly(llvm::Function &f, llvm::LoopInfo &loops, llvm::DominatorTree &dominators);

// plugin_atomics.cpp. First: CUDA's atomics order nothing else.
bool relax_atomics(llvm::Function &f);
// The function is a kernel.
bool is_kernel(const llvm::Function &f);
// Last: atomicInc and atomicDec find the space of their address.
bool name_spaces(llvm::Function &f);

// plugin_chains.cpp. Last: locations inside inlined calls say the chain of calls.
bool name_chains(llvm::Function &f);

// plugin_references.cpp. First: references to one of several local variables, which nvcc keeps in memory. Last: they say so.
bool hide_references(llvm::Function &f);
bool name_references(llvm::Function &f);

// plugin_unset.cpp. First, at any level: what is made of local variables may be unset.
bool allow_unset(llvm::Function &f);

// plugin_locals.cpp. First, at any level: local arrays are aligned as nvcc aligns them.
bool align_arrays(llvm::Function &f);
// Before that: accesses of arrays by another type are aligned as that type.
bool align_types(llvm::Function &f);
// First, at any level: shared memory of a length that the launch says is, too.
bool align_shared(llvm::Module &m);
// First and last: a local variable is aligned as the accesses say that name it.
bool align_accessed(llvm::Function &f);

// plugin_warp.cpp. Last: loads of warpSize are reads of WARP_SZ.
bool read_warp_size(llvm::Module &m);
// plugin_fields.cpp. First: members of structs are told from others of the same type.
bool tell_fields(llvm::Function &f);

// plugin_parameters.cpp. First, at any level: parameters that are never copied (__grid_constant__) say so.
bool name_grid_constants(llvm::Function &f);
// First: struct parameters of kernels are copied to local variables, as nvcc copies them.
bool copy_parameters(llvm::Function &f);
// Last: members whose stores the optimiser has removed from such a variable are copied again.
bool complete_parameters(llvm::Function &f);
// Last: long ones that are written are copied, too.
bool copy_written_parameters(llvm::Function &f);

// plugin_launches.cpp. First, at any level: launches in device code become calls of the executor, and marked functions kernels.
bool make_launches(llvm::Module &m);

// plugin_managed.cpp. What an annotation says, of the operand that names its text; nothing if that is no string.
llvm::StringRef annotation_text(const llvm::Value &operand);

// plugin_managed.cpp. First, for the device: variables that are annotated as managed say so in the PTX.
bool mark_managed(llvm::Module &m);
// First, for the host: such a variable has a value that the optimiser does not know, and its name in the object when it is
// one of all files (-rdc=true), as the others' host code asks for it. Clang makes the host's side of device variables
// undefined and internal.
bool keep_managed(llvm::Module &m);

// plugin_bounds.cpp. First: the register limits that kernels are annotated with (__maxnreg__) become those of the back end.
bool limit_registers(llvm::Module &m);

// plugin_nvvm.cpp. First: names that NVVM IR has for what LLVM calls otherwise. With `ftz` functions flush denormals.
bool name_as_llvm(llvm::Module &m, bool ftz);
// Last, when they are constants: kinds of shuffles and votes that NVVM IR has as operands.
bool name_kinds(llvm::Module &m);

// plugin_statics.cpp. First, in device code that is compiled alone: static variables can be looked up.
bool keep_statics(llvm::Module &m);

} // namespace heddle

#endif
