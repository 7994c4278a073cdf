# `cmake --install` and the Debian package, used as their users do.
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_TSAN AND NOT HEDDLE_MSAN)
  foreach(case install package fresh_root)
    add_test(NAME packaging.${case} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/packaging/${case}.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
    set_tests_properties(packaging.${case} PROPERTIES TIMEOUT 280 SKIP_RETURN_CODE 77 RESOURCE_LOCK installing)
  endforeach()
  # Minutes, root, and a mirror of Debian: ctest -R packaging.fresh_root
  set_tests_properties(packaging.fresh_root PROPERTIES LABELS truth TIMEOUT 1800)
endif()
