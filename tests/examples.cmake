# The examples, run and profiled: each must pass its own check, and its report must show the figures its head promises.
# One test an example, from tests/examples.tsv; examples.list finds those that are missing there.
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/examples.tsv lines REGEX "^[a-z0-9_]+\t")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/examples.tsv)
list(TRANSFORM lines REPLACE "\t.*" "" OUTPUT_VARIABLE programs)
list(REMOVE_DUPLICATES programs)
foreach(program --list ${programs})
  string(REPLACE "--" "" name ${program})
  add_test(NAME examples.${name} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/examples/figures.py
           $<TARGET_FILE:heddle_cli> ${CMAKE_SOURCE_DIR} ${program})
  set_tests_properties(examples.${name} PROPERTIES LABELS examples TIMEOUT 120
                       ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache)
endforeach()

# The curve of hits against the size of a persisting window.
add_test(NAME examples.persisting_curve COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/examples/persisting.py $<TARGET_FILE:heddle_cli> ${CMAKE_SOURCE_DIR})
set_tests_properties(examples.persisting_curve PROPERTIES LABELS examples TIMEOUT 300 ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache)

# Which of two operations takes more instructions; what registers a tile takes at least.
foreach(case costs registers)
  add_test(NAME examples.${case}_on_devices COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/examples/${case}.py $<TARGET_FILE:heddle_cli> ${CMAKE_SOURCE_DIR})
  set_tests_properties(examples.${case}_on_devices PROPERTIES LABELS examples TIMEOUT 300 ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache)
endforeach()

# A device's figures found again by counting, and what a real GPU showed beside its description. A source tree draws two of the six
# devices (tests/drawn.py).
set(parts 1 2 3 1 2 3)
foreach(device g80 c2050 k40 v100 a100 h200 --stored)
  set(drawn "")
  if(NOT device STREQUAL "--stored")
    list(POP_FRONT parts part)
    set(drawn python3 ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py ${part} 3)
  endif()
  string(REPLACE "--" "" name ${device})
  add_test(NAME microbench.${name} COMMAND ${drawn} python3 ${CMAKE_CURRENT_SOURCE_DIR}/examples/microbench.py
           $<TARGET_FILE:heddle_cli> ${CMAKE_SOURCE_DIR} ${device})
  set_tests_properties(microbench.${name} PROPERTIES LABELS examples TIMEOUT 600 SKIP_RETURN_CODE 77
                       ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache)
endforeach()
add_test(NAME microbench.no_time COMMAND heddle_cli run --device c2050 ${CMAKE_SOURCE_DIR}/examples/microbench/measure.cu --describe never.json)
set_tests_properties(microbench.no_time PROPERTIES LABELS examples TIMEOUT 600
                     PASS_REGULAR_EXPRESSION "no time model: .*nothing was measured, 'never.json' is not written" FAIL_REGULAR_EXPRESSION "found "
                     ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache)

# What ./demo.sh runs.
foreach(case demo)
  add_test(NAME examples.${case} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/examples/${case}.sh)
  set_tests_properties(examples.${case} PROPERTIES LABELS examples TIMEOUT 120 ENVIRONMENT
    "HEDDLE=$<TARGET_FILE:heddle_cli>;EXAMPLES=${CMAKE_SOURCE_DIR}/examples")
endforeach()
