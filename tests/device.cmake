# Device functions as programs use them: tests/device/*.cu through `heddle run`, each with its CPU reference.
foreach(case services)
  add_test(NAME device.${case} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/device/${case}.sh)
  set_tests_properties(device.${case} PROPERTIES TIMEOUT 300 ENVIRONMENT
    "HEDDLE=$<TARGET_FILE:heddle_cli>;SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/device")
endforeach()
