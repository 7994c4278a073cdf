# The front end: units without clang, then whole compilations. The latter link against a stand-in for libheddle-cudart that
# prints what host code asks of it (compile/recorder.c), so they test the front end alone.
unit_test(compile_options)
unit_test(compile_messages)
unit_test(compile_launches)
unit_test(libraries)
target_link_libraries(unit_libraries PRIVATE compile)
target_link_libraries(unit_compile_options PRIVATE compile)
target_link_libraries(unit_compile_messages PRIVATE compile)
target_link_libraries(unit_compile_launches PRIVATE compile)

set(front ${CMAKE_CURRENT_BINARY_DIR}/front)
file(MAKE_DIRECTORY ${front}/lib ${front}/cuda)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/include ${front}/cuda/include SYMBOLIC)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/api ${front}/include SYMBOLIC)
add_library(recorder SHARED compile/recorder.c)
target_include_directories(recorder PRIVATE ${CMAKE_SOURCE_DIR}/include)
set_target_properties(recorder PROPERTIES OUTPUT_NAME heddle-cudart C_VISIBILITY_PRESET default
                      LIBRARY_OUTPUT_DIRECTORY ${front}/lib)

# The plugin and the engine lie beside the library, as in an installation.
add_custom_command(TARGET recorder POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:heddle_device_pass> ${front}/lib/heddle_device_pass.so
  COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_LINKER_FILE:heddle> ${front}/lib/libheddle.so
  COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:nvToolsExt> ${front}/lib/libnvToolsExt.so
  COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:nvToolsExt> ${front}/lib/libnvToolsExt.so.1)
add_dependencies(recorder heddle_device_pass heddle nvToolsExt)

foreach(case device_code reference programs messages cache headers front_end locals)
  add_test(NAME compile.${case} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/compile/${case}.sh)
  set_tests_properties(compile.${case} PROPERTIES ENVIRONMENT
    "HEDDLE=$<TARGET_FILE:heddle_cli>;HEDDLE_ROOT=${front};SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/compile;HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()

# What a program has without an include: the names are nvcc's, as a table says; where nvcc is, the table is nvcc's.
add_test(NAME compile.prelude COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/compile/prelude.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(compile.prelude PROPERTIES ENVIRONMENT "HEDDLE_ROOT=${front};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
add_test(NAME compile.prelude_table COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/compile/prelude.py --nvcc nvcc)
set_tests_properties(compile.prelude_table PROPERTIES SKIP_RETURN_CODE 77)

# Calls of the math library are merged, hoisted and folded as nvcc does it.
add_test(NAME compile.math_calls COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/compile/math_calls.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(compile.math_calls PROPERTIES ENVIRONMENT "HEDDLE_ROOT=${front};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# Its loops end as nvcc's do, as a table says: ptxas unrolls by it.
add_test(NAME compile.closing COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/compile/closing.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(compile.closing PROPERTIES ENVIRONMENT "HEDDLE_ROOT=${front};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# Its memory accesses are nvcc's, as a table says; where nvcc is, the table is what nvcc makes.
add_test(NAME compile.as_nvcc COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/compile/as_nvcc.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(compile.as_nvcc PROPERTIES ENVIRONMENT "HEDDLE_ROOT=${front};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
add_test(NAME compile.as_nvcc_table
         COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/compile/as_nvcc.py --nvcc nvcc)
set_tests_properties(compile.as_nvcc_table PROPERTIES SKIP_RETURN_CODE 77)
