# Unit tests of device, counters, memory, report.
unit_test(device)
unit_test(device_occupancy)
unit_test(memory)
unit_test(memory_strides)
unit_test(caches)
unit_test(memory_l2_kept)
# The blocks that are resident at first, on the multiprocessors that an H200 gave them to.
add_test(NAME truth.first_blocks COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/truth/first_blocks.py $<TARGET_FILE:heddle_cli>
         ${CMAKE_CURRENT_SOURCE_DIR}/truth/caches)
set_tests_properties(truth.first_blocks PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "18 launches, 8468 blocks, 0 launches differ")
# Stores that fill a sector in several steps: which of them reach L2 as one. Of the launches of 4224 blocks a source tree draws a third.
add_test(NAME truth.stores COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/truth/stores.py $<TARGET_FILE:heddle_cli>
         ${CMAKE_CURRENT_SOURCE_DIR}/truth/caches --draw 3)
set_tests_properties(truth.stores PROPERTIES TIMEOUT 600)
# What SMs of a GPC read at the same time comes through its port once, and becomes one request more often while that port is busy.
add_test(NAME truth.together COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/truth/together.py $<TARGET_FILE:heddle_cli>
         ${CMAKE_CURRENT_SOURCE_DIR}/truth/caches)
set_tests_properties(truth.together PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "0 of 5 are too far away")
# Fences of the device: what they wait for, and that L1 forgets.
add_test(NAME truth.fences COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/truth/fences.py $<TARGET_FILE:heddle_cli>
         ${CMAKE_CURRENT_SOURCE_DIR}/truth/caches)
set_tests_properties(truth.fences PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "\n0 are too far away")
# A full queue before the unit: old warps go first, so few are active, and the others wait to issue.
add_test(NAME truth.full_queue COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/truth/full_queue.py $<TARGET_FILE:heddle_cli>
         ${CMAKE_CURRENT_SOURCE_DIR}/truth)
set_tests_properties(truth.full_queue PROPERTIES TIMEOUT 600 PASS_REGULAR_EXPRESSION "0 of 3 are too far away")
# Loads that an assembler moves up over stores go before these wait, so the stores meet: 786,432 sectors are written, each by three
# stores (an H200 counts 1,011,224 requests of sectors at L2, here it is 998,736); apart they would be 2,359,296.
add_test(NAME truth.early_loads COMMAND heddle_cli profile --device h200 --csv --page raw --print-units base
         --metrics lts__t_sectors_srcunit_tex_op_write.sum ${CMAKE_CURRENT_SOURCE_DIR}/truth/aos_soa.cu aos,update)
set_tests_properties(truth.early_loads PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "\"(9[5-9]|10[0-9])[0-9][0-9][0-9][0-9]\"")
# Modelled caches and time on 1, 2, 3 and 8 host threads: pages of all figures and of lines, equal to the letter. For the programs that
# take long the source tree draws two of the three larger numbers.
foreach(program programs/model_threads truth/bfs truth/spmv truth/histogram)
  get_filename_component(name ${program} NAME)
  set(drawn "")
  if(program MATCHES "^truth")
    set(drawn --draw 2)
  endif()
  add_test(NAME threads_alike.${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/memory/threads.py $<TARGET_FILE:heddle_cli>
           ${drawn} ${CMAKE_CURRENT_SOURCE_DIR}/${program}.cu)
  set_tests_properties(threads_alike.${name} PROPERTIES TIMEOUT 900 PASS_REGULAR_EXPRESSION "source page: [0-9]+ rows\n0 differ")
endforeach()
# Local accesses that machine code makes, by both executors.
unit_test(clock_turn)
unit_test(clock_issue)
unit_test(clock_unit)
unit_test(clock_copies)
unit_test(clock_fence)
unit_test(memory_booked)
unit_test(clock_sm)
unit_test(memory_rates)
unit_test(clock_spills)
add_test(NAME unit.clock_spills_interp COMMAND unit_clock_spills)
set_tests_properties(unit.clock_spills_interp PROPERTIES ENVIRONMENT HEDDLE_EXEC=interp)
set_tests_properties(unit.clock_spills PROPERTIES ENVIRONMENT HEDDLE_EXEC=jit)
unit_test(dram)
unit_test(rules)
unit_test(metrics)
unit_test(result)
unit_test(report)
unit_test(time_text)
unit_test(roofline)
unit_test(compare)
# The figures of courses end to end. The examples' 256 x 256 also store their result: 512 operations for 2,052 and 132 bytes a
# thread, 0.2495 and 3.879 a byte instead of 0.25 and 4.
foreach(case "a100@0\\.250 +1,555 +12\\.5 +388 +2\\.0%.* 3\\.88 +1,555 +12\\.5 +6,032 +30\\.9%"
        "g80@0\\.250 +86\\.4 +4\\.00 +21\\.6 +6\\.2%.* 3\\.88 +86\\.4 +4\\.00 +335 +97\\.0%")
  string(REGEX MATCH "^([a-z0-9]+)@(.*)$" found "${case}")
  add_test(NAME roofline.${CMAKE_MATCH_1} COMMAND heddle_cli profile --device ${CMAKE_MATCH_1}
           --section SpeedOfLight_HierarchicalSingleRooflineChart ${CMAKE_SOURCE_DIR}/examples/matmul_tiled.cu)
  set_tests_properties(roofline.${CMAKE_MATCH_1} PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION
                       "without caches +134,479,872 +${CMAKE_MATCH_2}")
endforeach()
target_link_libraries(unit_roofline PRIVATE m)
add_test(NAME cli.profile COMMAND ${CMAKE_SOURCE_DIR}/tests/profile_cli.sh $<TARGET_FILE:heddle_cli>)

# `heddle devices`: the list, one in full, two beside each other; its table of figures is the documentation's.
add_test(NAME cli.devices COMMAND heddle_cli devices)
set_tests_properties(cli.devices PROPERTIES PASS_REGULAR_EXPRESSION
  "v100 +Tesla V100-SXM2-16GB +7\\.0 +80 +5120 +1530 +15\\.8 +898\\.0 +15667\\.2 +7833\\.6")
add_test(NAME cli.devices_one COMMAND heddle_cli devices --sources t4)
set_tests_properties(cli.devices_one PROPERTIES PASS_REGULAR_EXPRESSION
  "gpcs +unknown .*l2_slices +32 +assumed.*assumed: four a 32-bit memory controller.*dram_bandwidth_ecc +256\\.1 GB/s")
add_test(NAME cli.devices_two COMMAND heddle_cli devices --compare v100 a100)
set_tests_properties(cli.devices_two PROPERTIES PASS_REGULAR_EXPRESSION
  "multiprocessors +80 +108 .*dram_bandwidth +898\\.0 +1555\\.2 GB/s +1\\.73" FAIL_REGULAR_EXPRESSION "warp_size")
add_test(NAME cli.devices_json COMMAND sh -c "$<TARGET_FILE:heddle_cli> devices --json g80 | ${Python3_EXECUTABLE} -c \"
import json, sys
d = json.load(sys.stdin)
assert d['figures']['max_threads_per_block'] == {'value': 512, 'unit': 'thread', 'source': d['figures']['cc_major']['source']}, d
assert d['figures']['l2_ways']['value'] is None and d['figures']['dram_t_rp_ps']['assumed']
assert d['follows']['l2_bandwidth']['value'] == 0 and d['follows']['lsu']['value'] is None and round(d['follows']['fp32']['value'], 6) == 345.6
\"")
# Every description against what data sheets print, and where each of its figures is from.
add_test(NAME device.headlines COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/device/headlines.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(device.headlines PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED)
# Constants of the model of caches and time are figures of descriptions.
add_test(NAME device.model_constants COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/device/model_constants.py)
# What an H200's tables of time say is what its description says.
add_test(NAME device.time_figures COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/truth/time/figures.py --compare
  ${CMAKE_SOURCE_DIR}/devices/h200.json)
add_test(NAME docs.device_figures COMMAND sh -c "$<TARGET_FILE:heddle_cli> devices --figures | cmp - ${CMAKE_SOURCE_DIR}/docs/reference/device-figures.md")

# What a program is told of a device is its description, from the oldest on.
foreach(case "g80@a block: 512 threads, 512 x 512 x 64, 8192 registers, 16384 bytes.*wide at 900000 kHz: 86 GB/s"
        "a100@108 multiprocessors of 2048 threads"
        "v100@80 multiprocessors of 2048 threads.*98304 opted in.*wide at 877000 kHz: 898 GB/s; 6291456 bytes of L2")
  string(REGEX MATCH "^([a-z0-9]+)@(.*)$" found "${case}")
  add_test(NAME device.query_${CMAKE_MATCH_1} COMMAND heddle_cli run --device ${CMAKE_MATCH_1} ${CMAKE_SOURCE_DIR}/examples/device_query.cu)
  set_tests_properties(device.query_${CMAKE_MATCH_1} PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "${CMAKE_MATCH_2}.*PASSED")
endforeach()

# What a miss brings by generation: a float of each 128 bytes is a transaction of 32 bytes (1.x), a line of 128 (2.x), a sector
# of 32 (3.x), two sectors (7.0 on); 16,384 of them. Side by side 65,536 bytes, and from the second float on: 32 bytes a lane
# (1.0), 7 sectors a warp (1.3), one line more (2.x), one sector more (3.x).
foreach(case "g80 524288 65536 524288" "gt200 524288 65536 114688" "fermi-c2050 2097152 65536 65664" "k40 524288 65536 65568"
        "v100 1048576 65536 65600" "a100 1048576 65536 65600" "h200 1048576 65536 65600")
  string(REPLACE " " ";" case ${case})
  list(POP_FRONT case device far near shifted)
  add_test(NAME profile.far_apart_${device} COMMAND heddle_cli profile --device ${device} --csv --page raw --metrics dram__bytes_read.sum
           ${CMAKE_CURRENT_SOURCE_DIR}/programs/far_apart.cu)
  set_tests_properties(profile.far_apart_${device} PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION
    "\"0\",[^\n]*,\"${far}\"\n\"1\",[^\n]*,\"${near}\"\n\"2\",[^\n]*,\"${shifted}\"\n")
endforeach()

# Clang 19 makes no code for the newest GPUs and the oldest: the report says which they run.
foreach(case "b200@NVIDIA B200; device code for sm_90, the newest that clang 19 makes" "rtx5090@RTX 5090; device code for sm_90, the newest"
        "k80@Tesla K80; device code for sm_50, the oldest that clang 19 makes" "orin@Orin; device code for sm_87; instr")
  string(REGEX MATCH "^([a-z0-9]+)@(.*)$" found "${case}")
  add_test(NAME profile.code_of_${CMAKE_MATCH_1} COMMAND heddle_cli profile --device ${CMAKE_MATCH_1}
           --section LaunchStats ${CMAKE_CURRENT_SOURCE_DIR}/programs/far_apart.cu)
  set_tests_properties(profile.code_of_${CMAKE_MATCH_1} PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "${CMAKE_MATCH_2}")
endforeach()

# Loops that the assembler unrolls: instructions by hand, the same in all executors.
add_test(NAME profile.trips COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/profile/trips.py $<TARGET_FILE:heddle_cli>)
# And the ways of a function of the math library.
add_test(NAME profile.ways COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/profile/ways.py $<TARGET_FILE:heddle_cli>)
# And the long ways of quotients and roots, beside an H200.
add_test(NAME profile.long_ways COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/profile/long_ways.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(profile.trips profile.ways profile.long_ways PROPERTIES TIMEOUT 300)

# Banks of 8 bytes, in either executor: one of the two ways looks at addresses modulo 256 (src/memory/rules.h).
foreach(executor interp jit)
  add_test(NAME profile.banks_${executor} COMMAND heddle_cli profile --device k40 --csv --page raw --metrics shared_load_transactions
           ${CMAKE_CURRENT_SOURCE_DIR}/programs/banks.cu)
  set_tests_properties(profile.banks_${executor} PROPERTIES TIMEOUT 300 ENVIRONMENT HEDDLE_EXEC=${executor} PASS_REGULAR_EXPRESSION
    "94, banks 2.*\"0\",.*,\"1\"\n\"1\",.*,\"2\"\n\"2\",.*,\"1\"\n\"3\",.*,\"2\"\n")
endforeach()
