# The examples, run and profiled: each must pass its own check, and its report must show the figures its head promises.
foreach(case matmul_tiled readme)
  add_test(NAME examples.${case} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/examples/${case}.sh)
  set_tests_properties(examples.${case} PROPERTIES TIMEOUT 120 ENVIRONMENT
    "HEDDLE=$<TARGET_FILE:heddle_cli>;EXAMPLES=${CMAKE_SOURCE_DIR}/examples;README=${CMAKE_SOURCE_DIR}/README.md")
endforeach()
