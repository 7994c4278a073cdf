# Machine code against the interpreter: random kernels, and programs of ours with everything compiled.
add_executable(jit_random jit/random.c jit/forms.c jit/rewriting.c jit/rows.c)
target_link_libraries(jit_random PRIVATE engine)
add_executable(jit_rows jit/every_row.c jit/rows.c)
target_link_libraries(jit_rows PRIVATE engine)
# The forms are the same on each level. A source tree draws two or three tests of v4, which most machines have, and one or two of v2 or v3.
foreach(level v2 v3 v4)
  set(level_environment "HEDDLE_ISA=x86-64-${level};HEDDLE_DEVICES=${CMAKE_SOURCE_DIR}/devices")
  set(kernels 20)
  set(drawn python3 ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py)
  set(drawn_level ${drawn})
  if(level STREQUAL v4)
    set(kernels 30)
    set(drawn_level "")
    set(one_level 3)
    set(parts 2)
    set(part 1)
  elseif(level STREQUAL v3)
    list(APPEND drawn_level 1 2)
    set(one_level 1)
    set(parts 4)
    set(part 1)
  else()
    list(APPEND drawn_level 2 2)
    set(one_level 2)
    set(parts 4)
    set(part 2)
  endif()
  set(one_of_three python3 ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py ${one_level} 3)
  foreach(first 5001 5051 5101 5151 5201) # five tests, for more processors
    add_test(NAME jit.random_${level}_${first} COMMAND ${drawn} ${part} ${parts} $<TARGET_FILE:jit_random> ${first} ${kernels})
    math(EXPR part "(${part} + ${parts} / 2 - 1) % ${parts} + 1") # the other part of this level
    set_tests_properties(jit.random_${level}_${first} PROPERTIES TIMEOUT 580 SKIP_RETURN_CODE 77 ENVIRONMENT "${level_environment}")
  endforeach()
  set_tests_properties(jit.random_${level}_5001 PROPERTIES ENVIRONMENT "${level_environment};HEDDLE_VERIFY=1") # and forms are looked at
  add_test(NAME jit.random_h200_${level} COMMAND ${one_of_three} $<TARGET_FILE:jit_random> ${CMAKE_CURRENT_SOURCE_DIR}/data/random_h200.tsv)
  set_tests_properties(jit.random_h200_${level} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT "${level_environment}")
  add_test(NAME jit.same_word_${level} COMMAND ${one_of_three} sh ${CMAKE_CURRENT_SOURCE_DIR}/jit/same_word.sh x86-64-${level})
  set_tests_properties(jit.same_word_${level} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 FAIL_REGULAR_EXPRESSION FAILED PASS_REGULAR_EXPRESSION
                       "ALL DONE" ENVIRONMENT "HEDDLE=$<TARGET_FILE:heddle_cli>;TESTS=${CMAKE_CURRENT_SOURCE_DIR}")
  add_test(NAME jit.math_${level} COMMAND ${one_of_three} sh ${CMAKE_CURRENT_SOURCE_DIR}/jit/math.sh x86-64-${level})
  set_tests_properties(jit.math_${level} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT
                       "HEDDLE=$<TARGET_FILE:heddle_cli>;SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/jit;HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
  add_test(NAME jit.rows_${level} COMMAND ${one_of_three} ${drawn} any 2 $<TARGET_FILE:jit_rows>)
  set_tests_properties(jit.rows_${level} PROPERTIES TIMEOUT 580 SKIP_RETURN_CODE 77 ENVIRONMENT "${level_environment}")
endforeach()

# Rewritten kernels against the same as their PTX says, in the interpreter: kernels of all kinds, and those made for rewriting. Then into SSA
# and out of it, with a copy for whatever a phi or a guard joins, as far as it is needed. And kernels that call the math library. Of each
# two halves the source tree draws one.
foreach(case "as_written 20001 1000 target" "rewriting 4294967296 1000 target" "forward 20001 500 forward" "forward_rewriting 4294967296 500 forward"
             "math 8589934592 500 target")
  separate_arguments(case)
  list(POP_FRONT case name first kernels mode)
  foreach(half 1 2)
    add_test(NAME jit.random_${name}_${half} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py ${half} 2 $<TARGET_FILE:jit_random> ${first} ${kernels} ${mode})
    set_tests_properties(jit.random_${name}_${half} PROPERTIES TIMEOUT 580 SKIP_RETURN_CODE 77 ENVIRONMENT "HEDDLE_DEVICES=${CMAKE_SOURCE_DIR}/devices")
    math(EXPR first "${first} + ${kernels}")
  endforeach()
endforeach()
# The block form: random kernels, programs of ours with the list of kernels that have none, and faults in the middle of a block.
add_test(NAME jit.whole_blocks COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/jit/blocks.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(jit.whole_blocks PROPERTIES TIMEOUT 580)
# Found by a longer run: of a vector of words, each the same in all lanes, waiting lanes want one
add_test(NAME jit.random_vector COMMAND jit_random 308007 1)
set_tests_properties(jit.random_vector PROPERTIES TIMEOUT 300 ENVIRONMENT "HEDDLE_DEVICES=${CMAKE_SOURCE_DIR}/devices")
# Some of those as machine code, beside the interpreter, one kind for each source tree: calls of the math library; loads 16 bytes apart, which x86's gathers cannot scale by.
add_test(NAME jit.random_math_code COMMAND ${drawn} 1 2 $<TARGET_FILE:jit_random> 8589934592 20)
add_test(NAME jit.random_rewriting_code COMMAND ${drawn} 2 2 $<TARGET_FILE:jit_random> 4294967296 20)
set_tests_properties(jit.random_rewriting_code jit.random_math_code PROPERTIES TIMEOUT 580 SKIP_RETURN_CODE 77 ENVIRONMENT "HEDDLE_DEVICES=${CMAKE_SOURCE_DIR}/devices")

unit_test(jit_shape)
add_dependencies(unit_jit_shape heddle-jit)
if(HEDDLE_SANITIZE) # of its kernels
  set(unit_under python3 ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py any 16)
else()
  set(unit_under python3 ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py any 2)
endif()
unit_test(jit_forms)
set(unit_under "")
add_dependencies(unit_jit_forms heddle-jit)
target_compile_definitions(unit_jit_forms PRIVATE TESTS="${CMAKE_CURRENT_SOURCE_DIR}")
unit_test(jit_unroll_jam)
unit_test(jit_turns)
add_library(jit_sum OBJECT jit/sum.c)
target_compile_options(jit_sum PRIVATE -O1 -fno-sanitize=all)
unit_test(jit_link)
add_dependencies(unit_jit_link jit_sum)
target_compile_definitions(unit_jit_link PRIVATE "OBJECT=\"$<TARGET_OBJECTS:jit_sum>\"")
add_test(NAME jit.edges COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/jit/edges.sh)
set_tests_properties(jit.edges PROPERTIES TIMEOUT 300 ENVIRONMENT
                     "HEDDLE=$<TARGET_FILE:heddle_cli>;SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/jit")
add_test(NAME jit.rsqrt COMMAND $<TARGET_FILE:heddle_cli> run ${CMAKE_CURRENT_SOURCE_DIR}/jit/rsqrt.cu)
set_tests_properties(jit.rsqrt PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION PASSED ENVIRONMENT "HEDDLE_EXEC=jit")
add_test(NAME jit.rsqrt_v3 COMMAND $<TARGET_FILE:heddle_cli> run ${CMAKE_CURRENT_SOURCE_DIR}/jit/rsqrt.cu)
set_tests_properties(jit.rsqrt_v3 PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION PASSED ENVIRONMENT "HEDDLE_EXEC=jit;HEDDLE_ISA=x86-64-v3")
add_test(NAME jit.least COMMAND $<TARGET_FILE:heddle_cli> run ${CMAKE_CURRENT_SOURCE_DIR}/jit/least.cu)
set_tests_properties(jit.least PROPERTIES TIMEOUT 300 FAIL_REGULAR_EXPRESSION FAILED PASS_REGULAR_EXPRESSION PASSED ENVIRONMENT "HEDDLE_EXEC=jit")
add_test(NAME jit.loops COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/jit/loops.sh)
set_tests_properties(jit.loops PROPERTIES TIMEOUT 300 ENVIRONMENT
                     "HEDDLE=$<TARGET_FILE:heddle_cli>;SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/device")
add_test(NAME jit.interchange COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/jit/interchange.sh)
set_tests_properties(jit.interchange PROPERTIES TIMEOUT 600 FAIL_REGULAR_EXPRESSION FAILED PASS_REGULAR_EXPRESSION "ALL DONE" ENVIRONMENT
                     "HEDDLE=$<TARGET_FILE:heddle_cli>;SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/jit")
foreach(program leaving apart quotients nan least_half)
  add_test(NAME jit.${program} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/jit/levels.sh)
  set_tests_properties(jit.${program} PROPERTIES TIMEOUT 300 FAIL_REGULAR_EXPRESSION FAILED PASS_REGULAR_EXPRESSION "ALL DONE" ENVIRONMENT
                       "HEDDLE=$<TARGET_FILE:heddle_cli>;SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/jit;PROGRAM=${program}")
endforeach()
set_property(TEST jit.nan APPEND PROPERTY ENVIRONMENT "TABLE=${CMAKE_CURRENT_SOURCE_DIR}/data/nan_h200.tsv")
add_test(NAME jit.ends COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/jit/ends.sh)
set_tests_properties(jit.ends PROPERTIES TIMEOUT 300 ENVIRONMENT
                     "HEDDLE=$<TARGET_FILE:heddle_cli>;SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/jit")
add_test(NAME jit.pace COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/jit/pace.sh)
set_tests_properties(jit.pace PROPERTIES TIMEOUT 300 ENVIRONMENT
                     "HEDDLE=$<TARGET_FILE:heddle_cli>;SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/truth")
add_test(NAME jit.blocks COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/jit/blocks.sh)
set_tests_properties(jit.blocks PROPERTIES TIMEOUT 300 ENVIRONMENT
                     "HEDDLE=$<TARGET_FILE:heddle_cli>;SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/device")
add_test(NAME jit.sparse COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/jit/sparse.sh)
set_tests_properties(jit.sparse PROPERTIES TIMEOUT 300 FAIL_REGULAR_EXPRESSION FAILED PASS_REGULAR_EXPRESSION "ALL DONE" ENVIRONMENT
                     "HEDDLE=$<TARGET_FILE:heddle_cli>;SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/device")
add_test(NAME jit.large COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/jit/large.sh)
set_tests_properties(jit.large PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "ALL DONE" ENVIRONMENT
                     "HEDDLE=$<TARGET_FILE:heddle_cli>;SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/jit")
add_test(NAME jit.frames COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/jit/frames.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(jit.frames PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "ALL DONE" FAIL_REGULAR_EXPRESSION FAILED)
# Sets of programs that tell of themselves, once more with every kernel compiled before it runs, from forms that were looked at: every second one, as
# the source tree draws.
set(part 1)
foreach(program turns integers predicates atomics warps math_names pointers gathers loops ways wide_loads folding contraction meetings variables half_names groups barriers cuda_barrier matrices tensor several structs unset)
  add_test(NAME jit.device_${program} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py ${part} 2 $<TARGET_FILE:heddle_cli> run ${CMAKE_CURRENT_SOURCE_DIR}/device/${program}.cu)
  math(EXPR part "3 - ${part}")
  set_tests_properties(jit.device_${program} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_EXEC=jit;HEDDLE_VERIFY=1")
endforeach()
foreach(program textures references surfaces)
  add_test(NAME jit.program_${program} COMMAND $<TARGET_FILE:heddle_cli> run ${CMAKE_CURRENT_SOURCE_DIR}/programs/${program}.cu)
  set_tests_properties(jit.program_${program} PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_EXEC=jit;HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
foreach(program coalescing shared_banks matmul_tiled matmul_coarsened divergence_image struct_alignment async_copy)
  add_test(NAME jit.examples_${program} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/examples/figures.py
           $<TARGET_FILE:heddle_cli> ${CMAKE_SOURCE_DIR} ${program})
  set_tests_properties(jit.examples_${program} PROPERTIES TIMEOUT 120
                       ENVIRONMENT "HEDDLE_EXEC=jit;HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()

add_test(NAME jit.device_wmma COMMAND $<TARGET_FILE:heddle_cli> run ${CMAKE_CURRENT_SOURCE_DIR}/device/wmma.cu sample)
set_tests_properties(jit.device_wmma PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED ENVIRONMENT "HEDDLE_EXEC=jit")

# What is told of compiled kernels.
unit_test(jit_log)
add_test(NAME jit.log COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/jit/log.py $<TARGET_FILE:heddle_cli> x86-64-v2)
set_tests_properties(jit.log PROPERTIES TIMEOUT 120 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
# The kernels of the bench against native C, number by number: a third of them; of the further ones five, the open or the new.
add_test(NAME jit.bench_results COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/jit/bench.sh $<TARGET_FILE:heddle_cli> ${CMAKE_SOURCE_DIR})
add_test(NAME jit.bench_further COMMAND sh -c "open=$(python3 '${CMAKE_CURRENT_SOURCE_DIR}/drawn.py' one '' --open); exec python3 '${CMAKE_SOURCE_DIR}/bench/kernels.py' '$<TARGET_FILE:heddle_cli>' --further $open --check")
set_tests_properties(jit.bench_results jit.bench_further PROPERTIES TIMEOUT 300 ENVIRONMENT "HEDDLE_VERIFY=1;HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
# Kernels that run on: from the interpreter to the first tier to the full one.
add_test(NAME jit.tiers COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/jit/tiers.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(jit.tiers PROPERTIES TIMEOUT 200 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
# Machine code kept between runs.
unit_test(jit_code_cache)
add_test(NAME jit.keep COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/jit/keep.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(jit.keep PROPERTIES TIMEOUT 200)
