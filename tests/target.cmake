# target/: rewriting against the assembler's counts, against itself on random kernels, and the tables.
foreach(test target_rewrite target_meaning target_tables)
  unit_test(${test})
  target_compile_definitions(unit_${test} PRIVATE TESTS="${CMAKE_CURRENT_SOURCE_DIR}")
endforeach()

# The counts themselves, where there is an assembler to ask.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME tools.sass_static COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/sass_static_test.py
           ${CMAKE_SOURCE_DIR})
  set_tests_properties(tools.sass_static PROPERTIES SKIP_RETURN_CODE 77)
endif()
