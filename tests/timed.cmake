# Device time (docs/device-time.md): the model itself is unit.runtime_timeline.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME timed.streams COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/timed/streams.py $<TARGET_FILE:heddle_cli>)
add_test(NAME timed.streams_h200 COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/timed/streams_h200.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(timed.streams timed.streams_h200 PROPERTIES TIMEOUT 300 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
foreach(executor interp jit)
  add_test(NAME timed.meet_${executor} COMMAND heddle_cli run --timed ${CMAKE_CURRENT_SOURCE_DIR}/timed/meet.cu)
  set_tests_properties(timed.meet_${executor} PROPERTIES TIMEOUT 100 PASS_REGULAR_EXPRESSION "\nPASSED\n"
                       ENVIRONMENT "HEDDLE_DEVICE=h200;HEDDLE_EXEC=${executor};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
  add_test(NAME timed.clocks_${executor} COMMAND heddle_cli run --timed ${CMAKE_CURRENT_SOURCE_DIR}/timed/clocks.cu)
  set_tests_properties(timed.clocks_${executor} PROPERTIES TIMEOUT 100 PASS_REGULAR_EXPRESSION "\nPASSED\n"
                       ENVIRONMENT "HEDDLE_EXEC=${executor};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
  add_test(NAME timed.clock_reads_${executor} COMMAND heddle_cli run --timed ${CMAKE_CURRENT_SOURCE_DIR}/timed/clock_reads.cu)
  set_tests_properties(timed.clock_reads_${executor} PROPERTIES TIMEOUT 100 PASS_REGULAR_EXPRESSION "\nPASSED\n"
                       ENVIRONMENT "HEDDLE_DEVICE=h200;HEDDLE_EXEC=${executor};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
add_test(NAME timed.timeline COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/timed/timeline.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(timed.timeline PROPERTIES TIMEOUT 100 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
add_test(NAME timed.copies COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/timed/copies.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(timed.copies PROPERTIES TIMEOUT 200 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
add_test(NAME timed.beside COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/timed/beside.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(timed.beside PROPERTIES TIMEOUT 200 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
add_test(NAME timed.share COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/timed/share.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(timed.share PROPERTIES TIMEOUT 600 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
add_test(NAME timed.blocks COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/timed/blocks.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(timed.blocks PROPERTIES TIMEOUT 200 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# The texture unit beside an H200's.
add_test(NAME timed.textures COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/timed/textures.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(timed.textures PROPERTIES TIMEOUT 200 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# Examples whose lesson is one of time: they check it themselves.
foreach(example timers transfers overlap)
  add_test(NAME timed.example_${example} COMMAND heddle_cli run --timed ${CMAKE_SOURCE_DIR}/examples/${example}.cu times)
  set_tests_properties(timed.example_${example} PROPERTIES TIMEOUT 100 PASS_REGULAR_EXPRESSION "us.*\nPASSED\n" FAIL_REGULAR_EXPRESSION "WRONG;FAILED"
                       ENVIRONMENT "HEDDLE_DEVICE=h200;HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
add_test(NAME timed.zero_copy COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/timed/zero_copy.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(timed.zero_copy PROPERTIES TIMEOUT 100 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
# What takes time, by launches that differ in nothing else.
add_test(NAME timed.taken COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/timed/taken.py $<TARGET_FILE:heddle_cli> ${CMAKE_CURRENT_SOURCE_DIR}/timed/taken.cu)
set_tests_properties(timed.taken PROPERTIES TIMEOUT 200 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
# Caches that stay warm from launch to launch (docs/caches.md).
add_test(NAME timed.warm COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/timed/warm.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(timed.warm PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "\nPASSED\n" FAIL_REGULAR_EXPRESSION "Error"
                     ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
# Event times of single warm launches beside an H200's: two quick programs (10.2 %). The others: docs/device-time.md.
add_test(NAME timed.events COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_events.py $<TARGET_FILE:heddle_cli> --most 13 vector_ops struct_size)
set_tests_properties(timed.events PROPERTIES TIMEOUT 200 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
