# target/: rewriting against the assembler's counts, against itself on random kernels, and the tables. interp/: where turns end.
foreach(test target_rewrite target_meaning target_tables target_lower target_code target_earlier target_fit target_banks target_pace interp_turn ir_text ir_ssa)
  unit_test(${test})
  target_compile_definitions(unit_${test} PRIVATE TESTS="${CMAKE_CURRENT_SOURCE_DIR}")
endforeach()

# The counts themselves, where there is an assembler to ask.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME tools.sass_static COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/sass_static_test.py
           ${CMAKE_SOURCE_DIR})
  add_test(NAME tools.machine_code COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/machine_code_test.py
           ${CMAKE_SOURCE_DIR})
  set_tests_properties(tools.sass_static tools.machine_code PROPERTIES SKIP_RETURN_CODE 77)
  add_test(NAME tools.operation_code COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/operation_code_test.py
           ${CMAKE_SOURCE_DIR} $<TARGET_FILE:heddle_cli>)
  add_test(NAME tools.stall_counts COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/stall_counts.py)
  add_test(NAME tools.kernel_code COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/kernel_code_test.py
           ${CMAKE_SOURCE_DIR} $<TARGET_FILE:heddle_cli>)
endif()

# Counts of an H200, rule by rule: the fast programs of truth/rules (all of them: tools/accuracy_rules.py), of one of
# the two kinds of device code, as the source tree draws (tests/drawn.py).
if(Python3_FOUND)
  add_test(NAME accuracy.rules COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py 1 2 ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_rules.py
           $<TARGET_FILE:heddle_cli> --code nvcc --only branches,matrix_access,integer_math,math_float,math_double,matmul_double,shared_atomics,uniform_sources)
  add_test(NAME accuracy.rules_own COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py 2 2 ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_rules.py
           $<TARGET_FILE:heddle_cli> --code own --only branches,matrix_access,shared_access,constant_access,half_math,math_float,math_double,uniform_sources)
  add_test(NAME accuracy.branches COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/truth/branch_counts.py $<TARGET_FILE:heddle_cli>)
  set_tests_properties(accuracy.rules accuracy.rules_own PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
  set_tests_properties(accuracy.branches PROPERTIES TIMEOUT 600)
  add_test(NAME accuracy.spills COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_spills.py $<TARGET_FILE:heddle_cli>)
  set_tests_properties(accuracy.spills PROPERTIES TIMEOUT 600)
  add_test(NAME tools.accuracy_spills COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/accuracy_spills_test.py)
  # Kernels of one function each (all parts, and the page: tools/accuracy_functions.py).
  add_test(NAME accuracy.functions COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_functions.py
           $<TARGET_FILE:heddle_cli> --only float,intrinsics)
  set_tests_properties(accuracy.functions PROPERTIES TIMEOUT 300)
  add_test(NAME tools.accuracy_time COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/accuracy_time_test.py)
  add_test(NAME tools.sweep COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/sweep_test.py $<TARGET_FILE:heddle_cli>)
  add_test(NAME tools.accuracy_public COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/accuracy_public_test.py)
endif()
