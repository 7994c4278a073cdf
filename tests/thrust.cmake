# Thrust and CUB as Debian has them, each against the C++ library. Skipped where they are not installed.
foreach(program algorithms cub)
  add_test(NAME thrust.${program} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/thrust/run.sh ${program})
  set_tests_properties(thrust.${program} PROPERTIES TIMEOUT 400 SKIP_RETURN_CODE 77 FAIL_REGULAR_EXPRESSION FAILED ENVIRONMENT
    "HEDDLE=$<TARGET_FILE:heddle_cli>;HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
