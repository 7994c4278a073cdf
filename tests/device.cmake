# Device functions as programs use them: tests/device/*.cu through `heddle run`, each with its CPU reference.
foreach(case services idle lines fp8)
  add_test(NAME device.${case} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/device/${case}.sh)
  set_tests_properties(device.${case} PROPERTIES TIMEOUT 300 ENVIRONMENT
    "HEDDLE=$<TARGET_FILE:heddle_cli>;SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/device")
endforeach()

# Programs that check themselves: they print PASSED.
foreach(program occupancy_header cuda_std integers predicates atomics warps math_names pointers gathers loops sparse ways structs unset wide_loads folding contraction meetings complex variables half_names half_math more_names prelude hints cuda_atomic cuda_barrier groups barriers matrices tensor tensor_sums wmma several curand_use probes waits host_floats turns)
  add_test(NAME device.${program} COMMAND $<TARGET_FILE:heddle_cli> run ${CMAKE_CURRENT_SOURCE_DIR}/device/${program}.cu)
  set_tests_properties(device.${program} PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION PASSED
                       FAIL_REGULAR_EXPRESSION FAILED)
endforeach()

# Sums of tensor cores, each generation's rule, and every bit of an H200's, on each level of the host.
foreach(device t4 a100 rtx4090)
  add_test(NAME device.tensor_sums_${device} COMMAND $<TARGET_FILE:heddle_cli> run --device ${device} ${CMAKE_CURRENT_SOURCE_DIR}/device/tensor_sums.cu)
  set_tests_properties(device.tensor_sums_${device} PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED)
endforeach()
add_test(NAME device.printf_cost COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/truth/machine/print.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(device.printf_cost PROPERTIES TIMEOUT 300)
add_test(NAME matrices.ops COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/truth/matrices/ops.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(matrices.ops PROPERTIES TIMEOUT 300)
foreach(level v2 v3 v4)
  add_test(NAME matrices.sums_${level} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/truth/matrices/compare.py $<TARGET_FILE:heddle_cli> 40)
  set_tests_properties(matrices.sums_${level} PROPERTIES TIMEOUT 300 ENVIRONMENT HEDDLE_ISA=x86-64-${level})
endforeach()

# Every conversion and scalar function, of constants and at run time. As machine code a sample, since the kernels are long.
set(constants python3 ${CMAKE_CURRENT_SOURCE_DIR}/device/constants.py $<TARGET_FILE:heddle_cli>)
add_test(NAME device.constants COMMAND ${constants} --executor interp)
add_test(NAME device.constants_ftz COMMAND ${constants} --executor interp --ftz --seed 2 --sample 300)
add_test(NAME device.constants_old COMMAND ${constants} --executor interp --arch sm_75 --seed 3 --sample 300)
add_test(NAME device.constants_jit COMMAND ${constants} --executor jit --seed 4 --sample 40)
foreach(test constants constants_ftz constants_old constants_jit)
  set_tests_properties(device.${test} PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED)
endforeach()

# What others measured on other GPUs, three of the five for each source tree, measured with what their descriptions say (tests/truth/published), and the page of it.
add_test(NAME device.published COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_gpus.py $<TARGET_FILE:heddle_cli> --check ${CMAKE_SOURCE_DIR}/docs/reference/accuracy-gpus.md --draw 2)
set_tests_properties(device.published PROPERTIES TIMEOUT 900 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                     ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# What each described GPU answers about itself.
add_test(NAME device.attributes COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/device/attributes.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(device.attributes PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED)

# Barriers and pipelines order what threads do in shared memory: no race is told of.
add_test(NAME device.cuda_barrier_races COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scratch.sh sh -c "$<TARGET_FILE:heddle_cli> build ${CMAKE_CURRENT_SOURCE_DIR}/device/cuda_barrier.cu -o cuda_barrier_races && $<TARGET_FILE:heddle_cli> check --tool racecheck ./cuda_barrier_races")
set_tests_properties(device.cuda_barrier_races PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "RACECHECK SUMMARY: 0 hazards")

# Accuracy of the math functions, against MPFR, and the same bits from SLEEF's scalar and vector forms.
pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr)
add_executable(unit_interp_math unit/interp_math.c)
target_link_libraries(unit_interp_math PRIVATE engine PkgConfig::MPFR)
add_test(NAME unit.interp_math COMMAND unit_interp_math)
unit_test(interp_sleef)
