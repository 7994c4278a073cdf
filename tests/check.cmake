# heddle check: programs with a bug each (tests/check), and some without.
file(GLOB bugs CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/check/*.cu)
foreach(path ${bugs})
  get_filename_component(name ${path} NAME_WE)
  add_test(NAME check.${name} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/check/bugs.py $<TARGET_FILE:heddle_cli>
           ${CMAKE_CURRENT_SOURCE_DIR}/check ${name})
  set_tests_properties(check.${name} PROPERTIES LABELS check TIMEOUT 200
                       ENVIRONMENT HEDDLE_CACHE=${CMAKE_BINARY_DIR}/check-cache)
endforeach()
