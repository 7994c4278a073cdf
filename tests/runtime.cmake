# Tests of the runtime library run it over a mock of the engine, with the rest of the engine's objects as an archive, so
# that the mock's functions take the place of engine.c's.
add_library(engine_archive STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:engine>)
function(runtime_test name)
  add_executable(unit_${name} unit/${name}.c unit/mock_engine.c $<TARGET_OBJECTS:runtime> $<TARGET_OBJECTS:driver>)
  target_include_directories(unit_${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(unit_${name} PRIVATE engine_archive PkgConfig::CMOCKA
                        $<TARGET_PROPERTY:engine,INTERFACE_LINK_LIBRARIES>)
  add_test(NAME unit.${name} COMMAND unit_${name})
  set_tests_properties(unit.${name} PROPERTIES TIMEOUT 60)
endfunction()

runtime_test(runtime_error)
runtime_test(runtime_memory)
runtime_test(runtime_stream)
runtime_test(runtime_module)
runtime_test(runtime_execution)
runtime_test(runtime_fault)
runtime_test(runtime_device)
runtime_test(runtime_pools)
runtime_test(runtime_arrays)
runtime_test(runtime_missing)
runtime_test(runtime_calls)
runtime_test(driver_missing)

# The page of what is there, and whether it is true.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME docs.support COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/support.py ${CMAKE_SOURCE_DIR}
         ${CMAKE_BINARY_DIR})

# Programs that use the library as it is linked, with the real engine.
add_executable(runtime_library program/runtime_library.c)
target_include_directories(runtime_library PRIVATE ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(runtime_library PRIVATE heddle-cudart heddle PkgConfig::CMOCKA)
add_test(NAME runtime.library COMMAND runtime_library ${CMAKE_CURRENT_SOURCE_DIR}/program/kernels.ptx)
set_tests_properties(runtime.library PROPERTIES TIMEOUT 120)
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_TSAN) # whose runtime library comes with the executable
  foreach(executor interp jit)
    add_test(NAME runtime.dlopen_${executor} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/program/load.py $<TARGET_FILE:heddle>
             ${CMAKE_CURRENT_SOURCE_DIR}/program/kernels.ptx)
    set_tests_properties(runtime.dlopen_${executor} PROPERTIES TIMEOUT 60 ENVIRONMENT "HEDDLE_EXEC=${executor}" PASS_REGULAR_EXPRESSION ": 0 of 1000 are wrong")
  endforeach()
endif()
# The driver interface under CUDA's library names.
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_TSAN) # whose runtime library comes with the executable
  add_test(NAME driver.link COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/program/driver_link.sh ${CMAKE_BINARY_DIR})
  add_test(NAME driver.truth COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/truth/libraries/driver.py $<TARGET_FILE:heddle_cli>
           ${CMAKE_CURRENT_SOURCE_DIR}/truth/libraries)
  set_tests_properties(driver.truth PROPERTIES TIMEOUT 300 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
  add_test(NAME driver.tools COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/program/driver_tools.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
  set_tests_properties(driver.tools PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "all see it" ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
  set_tests_properties(driver.link PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "linked in" ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endif()
add_subdirectory(${CMAKE_SOURCE_DIR}/examples/embed ${CMAKE_BINARY_DIR}/examples/embed)
