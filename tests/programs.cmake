# Programs of ours: forward progress of lanes, warps and blocks that wait for one another (a hang is a failure), and
# counters that do not depend on chance or on the number of host threads.
set(programs ${CMAKE_CURRENT_SOURCE_DIR}/programs)
add_test(NAME program.tiles COMMAND heddle_cli run ${programs}/tiles.cu)
add_test(NAME program.tiles_interp COMMAND heddle_cli run ${programs}/tiles.cu)
add_test(NAME program.tiles_before_80 COMMAND heddle_cli run -DBEFORE_80 --device t4 ${programs}/tiles.cu)
set_tests_properties(program.tiles program.tiles_interp program.tiles_before_80 PROPERTIES ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache)
set_property(TEST program.tiles_interp APPEND PROPERTY ENVIRONMENT HEDDLE_EXEC=interp)
foreach(threads 1 2)
  add_test(NAME progress.threads_${threads} COMMAND heddle_cli run ${programs}/progress.cu 1000)
  set_tests_properties(progress.threads_${threads} PROPERTIES TIMEOUT 280 PASS_REGULAR_EXPRESSION "PASSED"
                       FAIL_REGULAR_EXPRESSION "FAILED" ENVIRONMENT
                       "HEDDLE_THREADS=${threads};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
add_test(NAME progress.profile COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scratch.sh $<TARGET_FILE:heddle_cli> profile
         --metrics inst_executed --log-file progress.log ${programs}/progress.cu 10)
set_tests_properties(progress.profile PROPERTIES TIMEOUT 280 PASS_REGULAR_EXPRESSION "PASSED"
                     ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
foreach(program ${CMAKE_SOURCE_DIR}/examples/matmul_tiled ${CMAKE_CURRENT_SOURCE_DIR}/truth/reduction)
  get_filename_component(name ${program} NAME)
  add_test(NAME deterministic.${name} COMMAND ${programs}/deterministic.sh $<TARGET_FILE:heddle_cli> ${program}.cu)
  set_tests_properties(deterministic.${name} PROPERTIES TIMEOUT 200)
endforeach()
add_test(NAME deterministic.progress
         COMMAND ${programs}/deterministic.sh $<TARGET_FILE:heddle_cli> ${programs}/progress.cu 5)
set_tests_properties(deterministic.progress PROPERTIES TIMEOUT 200)

# The same output when kernels run as their PTX says (docs/target.md). Left out: what prints times or addresses of the host
# (examples/bandwidth, microbench/measure, bugs/host_pointer). A run of the tests draws an eighth of each group.
foreach(group truth device programs examples)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${group}/*.cu)
  if(group STREQUAL examples)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*.cu)
    list(FILTER sources EXCLUDE REGEX "/bandwidth\\.cu$")
  endif()
  add_test(NAME as_written.${group} COMMAND python3 ${programs}/as_written.py $<TARGET_FILE:heddle_cli> --draw 8 ${sources})
  set_tests_properties(as_written.${group} PROPERTIES TIMEOUT 900 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()

# Data types and memories, against the host's own arithmetic.
foreach(program mapped graphs halves textures interface streams host_threads host_memory managed recursion surfaces references driver kept_locals)
  add_test(NAME program.${program} COMMAND heddle_cli run ${programs}/${program}.cu)
  set_tests_properties(program.${program} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()

add_test(NAME program.debug_frames COMMAND heddle_cli run -G ${programs}/debug_frames.cu)
set_tests_properties(program.debug_frames PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                     ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# What all warps load before their first loop, or at one place behind a barrier, they have before one of them stores, in each
# executor and when launches are counted (src/interp/turn.h).
foreach(program first_loads barrier_loads)
  foreach(executor auto interp jit jit-first)
    add_test(NAME program.${program}_${executor} COMMAND heddle_cli run ${programs}/${program}.cu)
    set_tests_properties(program.${program}_${executor} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                         ENVIRONMENT "HEDDLE_EXEC=${executor};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
  endforeach()
  add_test(NAME profile.${program} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scratch.sh $<TARGET_FILE:heddle_cli> profile
           --metrics inst_executed --log-file ${program}.log ${programs}/${program}.cu)
  set_tests_properties(profile.${program} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()

# Lanes that wait where they may not: member masks, a barrier's number.
foreach(program member_masks no_such_barrier)
  foreach(executor auto interp jit jit-first)
    add_test(NAME program.${program}_${executor} COMMAND heddle_cli run ${programs}/${program}.cu)
    set_tests_properties(program.${program}_${executor} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                         ENVIRONMENT "HEDDLE_EXEC=${executor};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
  endforeach()
endforeach()

# Kernels that wait for those that they launch, on a device that has it and on one that has not.
foreach(executor auto interp jit jit-first)
  add_test(NAME program.parents_${executor} COMMAND heddle_cli run -rdc=true --device a100 ${programs}/launches/parents.cu fault)
  set_tests_properties(program.parents_${executor} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_EXEC=${executor};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
add_test(NAME program.parents_h200 COMMAND heddle_cli run -rdc=true ${programs}/launches/parents.cu)
set_tests_properties(program.parents_h200 PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION "devices before compute capability 9.0 have it .--device a100.")
add_test(NAME check.parents COMMAND heddle_cli check -rdc=true --device a100 --tool all ${programs}/launches/parents.cu)
set_tests_properties(check.parents PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION "ERROR SUMMARY: 0 errors" FAIL_REGULAR_EXPRESSION FAILED)
add_test(NAME profile.parents COMMAND heddle_cli profile -rdc=true --device a100 --launch-count 4 ${programs}/launches/parents.cu)
set_tests_properties(profile.parents PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION "launched by sum.int .*ID 2." FAIL_REGULAR_EXPRESSION FAILED)
set_tests_properties(program.parents_h200 check.parents profile.parents PROPERTIES ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# Where a block's shared memory ends: at a whole unit of what is granted, and for a checker where the program's ends.
foreach(executor auto interp jit jit-first)
  foreach(way dynamic variable none)
    add_test(NAME program.shared_units_${way}_${executor} COMMAND heddle_cli run ${programs}/shared_units.cu ${way})
    set_tests_properties(program.shared_units_${way}_${executor} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                         ENVIRONMENT "HEDDLE_EXEC=${executor};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
  endforeach()
endforeach()
add_test(NAME check.shared_units COMMAND heddle_cli check ${programs}/shared_units.cu)
set_tests_properties(check.shared_units PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION "Invalid __shared__ read of size 4 bytes"
                     ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# Textures over linear memory that ends before they do.
foreach(executor auto interp jit jit-first)
  add_test(NAME program.texture_linear_${executor} COMMAND heddle_cli run ${programs}/texture_linear.cu)
  set_tests_properties(program.texture_linear_${executor} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_EXEC=${executor};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()

# Graphs through the driver interface, with nodes of a second device.
foreach(executor auto interp jit jit-first)
  add_test(NAME program.driver_graphs_${executor} COMMAND heddle_cli run ${programs}/driver_graphs.cu)
  set_tests_properties(program.driver_graphs_${executor} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_EXEC=${executor};HEDDLE_DEVICE=h200,h200;HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
add_test(NAME program.graph_devices COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scratch.sh env HEDDLE_TRACE=trace $<TARGET_FILE:heddle_cli> run ${programs}/graph_devices.cu)
set_tests_properties(program.graph_devices PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                     ENVIRONMENT "HEDDLE_DEVICE=h200,h200;HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
add_test(NAME check.driver_graphs COMMAND heddle_cli check --tool all --report-api-errors no --device h200,h200 ${programs}/driver_graphs.cu)
set_tests_properties(check.driver_graphs PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION "SUMMARY: 0 errors" FAIL_REGULAR_EXPRESSION "FAILED|SUMMARY: [1-9]"
                     ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# Memory and events of another process.
foreach(executor auto interp)
  add_test(NAME program.ipc_${executor} COMMAND heddle_cli run -lcuda ${programs}/ipc.cu)
  set_tests_properties(program.ipc_${executor} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_EXEC=${executor};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
add_test(NAME check.ipc COMMAND heddle_cli check --report-api-errors no -lcuda ${programs}/ipc.cu)
set_tests_properties(check.ipc PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION "SUMMARY: 0 errors" FAIL_REGULAR_EXPRESSION "FAILED|SUMMARY: [1-9]"
                     ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# Two devices that reach each other's memory.
foreach(executor auto interp jit jit-first)
  add_test(NAME program.peers_${executor} COMMAND heddle_cli run ${programs}/peers.cu)
  set_tests_properties(program.peers_${executor} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_EXEC=${executor};HEDDLE_DEVICE=h200,h200;HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
add_test(NAME check.peers COMMAND heddle_cli check --report-api-errors no --device h200,h200 ${programs}/peers.cu clean)
set_tests_properties(check.peers PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION "SUMMARY: 0 errors" FAIL_REGULAR_EXPRESSION FAILED
                     ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
add_test(NAME profile.peers COMMAND heddle_cli profile --device h200,h200 --launch-count 2 --metrics
         derived__peer_sectors_read.sum,derived__peer_sectors_write.sum,dram__bytes_read.sum ${programs}/peers.cu clean)
set_tests_properties(profile.peers PROPERTIES TIMEOUT 120 FAIL_REGULAR_EXPRESSION FAILED
                     PASS_REGULAR_EXPRESSION "read.sum +sector +12,500 .*write.sum +sector +0 .*read.sum +byte +400,000 .*read.sum +sector +12,500 .*write.sum +sector +12,500 "
                     ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# What was never written is zero in each executor.
foreach(executor auto interp jit jit-first)
  add_test(NAME program.unwritten_${executor} COMMAND heddle_cli run ${programs}/unwritten.cu)
  set_tests_properties(program.unwritten_${executor} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_EXEC=${executor};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
add_test(NAME profile.unwritten COMMAND heddle_cli profile --metrics inst_executed --log-file
         ${CMAKE_CURRENT_BINARY_DIR}/unwritten.log ${programs}/unwritten.cu)
set_tests_properties(profile.unwritten PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                     ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# A fault names the same thread in each executor.
foreach(part 0 4 8 12)
  math(EXPR last "${part} + 3")
  add_test(NAME program.who_faults_${part} COMMAND ${programs}/who_faults.sh $<TARGET_FILE:heddle_cli> ${programs}/who_faults.cu ${part} ${last})
  set_tests_properties(program.who_faults_${part} PROPERTIES TIMEOUT 200 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()

# The same when launches are counted and when they are checked, without a finding.
foreach(program host_memory managed recursion surfaces references)
  add_test(NAME profile.${program} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scratch.sh $<TARGET_FILE:heddle_cli> profile
           --metrics inst_executed --log-file ${program}.log ${programs}/${program}.cu)
  # these programs also make calls that must fail
  add_test(NAME checked.${program} COMMAND sh -c "$<TARGET_FILE:heddle_cli> check --tool all --report-api-errors no ${programs}/${program}.cu 2>&1")
  set_tests_properties(profile.${program} PROPERTIES PASS_REGULAR_EXPRESSION PASSED)
  set_tests_properties(checked.${program} PROPERTIES PASS_REGULAR_EXPRESSION "PASSED.*ERROR SUMMARY: 0 errors")
  set_tests_properties(profile.${program} checked.${program} PROPERTIES TIMEOUT 120 FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()

# What has no effect is said where a program is looked at.
add_test(NAME program.no_effect COMMAND ${programs}/no_effect.sh $<TARGET_FILE:heddle_cli> ${programs}/no_effect.cu)
set_tests_properties(program.no_effect PROPERTIES TIMEOUT 120 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# Answers to wrong calls, against an H200's.
add_test(NAME program.errors COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/truth/errors/compare.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(program.errors PROPERTIES TIMEOUT 120 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# Graphs and stream capture, against an H200's answers; and graphs that are profiled and checked.
add_test(NAME program.graph_answers COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/truth/graphs/compare.py $<TARGET_FILE:heddle_cli>)
add_test(NAME profile.graphs COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scratch.sh $<TARGET_FILE:heddle_cli> profile
         --metrics inst_executed --log-file graphs.log ${programs}/graphs.cu)
add_test(NAME checked.graphs COMMAND sh -c "$<TARGET_FILE:heddle_cli> check --tool all --report-api-errors no ${programs}/graphs.cu 2>&1")
set_tests_properties(program.graph_answers PROPERTIES PASS_REGULAR_EXPRESSION "answers are the H200's" FAIL_REGULAR_EXPRESSION "on the H200")
set_tests_properties(profile.graphs PROPERTIES PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED)
set_tests_properties(checked.graphs PROPERTIES PASS_REGULAR_EXPRESSION "PASSED.*ERROR SUMMARY: 0 errors" FAIL_REGULAR_EXPRESSION FAILED)
set_tests_properties(program.graph_answers profile.graphs checked.graphs PROPERTIES TIMEOUT 200
                     ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
set_property(TEST checked.graphs APPEND PROPERTY ENVIRONMENT "ONE_AT_A_TIME=1") # a checked launch cannot wait for another

# Kernels that wait for other streams' kernels, while launches are looked at.
add_test(NAME program.waits COMMAND ${programs}/waits.sh $<TARGET_FILE:heddle_cli> ${programs}/waits.cu)
set_tests_properties(program.waits PROPERTIES TIMEOUT 120 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# Kernels that launch kernels: what a launch may look like, and the device runtime's answers against an H200's.
add_test(NAME program.launches COMMAND ${programs}/launches.sh $<TARGET_FILE:heddle_cli> ${programs}/launches)
add_test(NAME program.launch_answers COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/truth/launches/compare.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(program.launch_answers PROPERTIES PASS_REGULAR_EXPRESSION "answers are the H200's" FAIL_REGULAR_EXPRESSION "on the H200")
set_tests_properties(program.launches program.launch_answers PROPERTIES TIMEOUT 200
                     ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# With one host thread, too, kernels of two streams can wait for each other.
add_test(NAME program.streams_1 COMMAND heddle_cli run ${programs}/streams.cu)
set_tests_properties(program.streams_1 PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                     ENVIRONMENT "HEDDLE_THREADS=1;HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
