# Tests of the runtime library run it over a mock of the engine, with the rest of the engine's objects as an archive, so
# that the mock's functions take the place of engine.c's.
add_library(engine_archive STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:engine>)
function(runtime_test name)
  add_executable(unit_${name} unit/${name}.c unit/mock_engine.c $<TARGET_OBJECTS:runtime>)
  target_include_directories(unit_${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(unit_${name} PRIVATE engine_archive PkgConfig::CMOCKA PkgConfig::JANSSON Threads::Threads m)
  add_test(NAME unit.${name} COMMAND unit_${name})
  set_tests_properties(unit.${name} PROPERTIES TIMEOUT 60)
endfunction()

runtime_test(runtime_error)
runtime_test(runtime_memory)
runtime_test(runtime_stream)
