# heddle check: programs with a bug each (tests/check, examples/bugs), and some without.
file(GLOB bugs CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/check/*.cu ${CMAKE_SOURCE_DIR}/examples/bugs/*.cu)
foreach(path ${bugs})
  get_filename_component(name ${path} NAME_WE)
  get_filename_component(folder ${path} DIRECTORY)
  add_test(NAME check.${name} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/check/bugs.py $<TARGET_FILE:heddle_cli> ${folder} ${name})
  set_tests_properties(check.${name} PROPERTIES LABELS check TIMEOUT 200 SKIP_RETURN_CODE 77
                       ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache)
endforeach()

# What an H200's compute-sanitizer printed of programs with a bug, and ours of the same.
file(GLOB bugs CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/check/h200/*.cu)
foreach(path ${bugs})
  get_filename_component(name ${path} NAME_WE)
  add_test(NAME check.h200.${name} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/check/h200.py
           ${CMAKE_BINARY_DIR}/cuda/bin/compute-sanitizer ${CMAKE_CURRENT_SOURCE_DIR}/check/h200 ${name})
  set_tests_properties(check.h200.${name} PROPERTIES LABELS check TIMEOUT 200
                       ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache)
endforeach()

# Planted bugs (tests/check/mutants): those that are found today are found, and the programs without them are clean.
foreach(part RANGE 1 8)
  add_test(NAME check.mutants_${part} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/check/mutants.py $<TARGET_FILE:heddle_cli>
           --marked --part ${part}/8)
  set_tests_properties(check.mutants_${part} PROPERTIES LABELS check TIMEOUT 400 ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache)
endforeach()

# What continuous integration is told: expectations, what is worse than before, and the workflows of examples/ci.
foreach(case expectations workflows)
  add_test(NAME ci.${case} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/ci/${case}.py $<TARGET_FILE:heddle_cli> ${CMAKE_SOURCE_DIR})
  set_tests_properties(ci.${case} PROPERTIES TIMEOUT 300 ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache
                       PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED)
endforeach()

# Flags, files, programs that end badly, and a limit of registers (whose traffic waits for the tables to have spills).
foreach(case kernels unwatched_writes exit_status limits files sarif suppressions names killed races flood limited limited_traffic)
  add_test(NAME check.interface.${case} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/check/interface.py $<TARGET_FILE:heddle_cli>
           ${CMAKE_BINARY_DIR}/cuda/bin/compute-sanitizer ${CMAKE_CURRENT_SOURCE_DIR}/check/interface ${case})
  set_tests_properties(check.interface.${case} PROPERTIES LABELS check TIMEOUT 200
                       ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache)
endforeach()
