# What ./test.sh runs in the build with sanitizers (ctest -L sanitize). Included last: it labels what is there.
#
# Every unit test and corpus; the tests named here, of the PTX parser and of the library as it is linked; and these CUDA programs
# through the whole of Heddle, profiled, which exist as tests in that build only. matmul_tiled of examples/ stands for
# the matrix multiplications of truth/, which take ten times as long. Of the programs of truth/ a source tree draws one third
# (tests/drawn.py).
set(sanitize_tests ptx.files ptx.bad runtime.library)
set(sanitize_programs examples/matmul_tiled tests/truth/access_order tests/truth/aos_soa tests/truth/async_copy
    tests/truth/atomics tests/truth/copy_offset tests/truth/copy_stride tests/truth/divergence tests/truth/load_width
    tests/truth/reduction tests/truth/shared_stride tests/truth/transpose tests/truth/vector_ops tests/programs/graphs
    tests/programs/driver tests/programs/driver_graphs)
# What was freed is kept from use until 32 MiB more were; with the sanitizer's 256 MiB pages and caches cost as much as the tests.
set(sanitize_options ASAN_OPTIONS=quarantine_size_mb=32)

set(run_needed heddle heddle-cudart heddle-jit heddle_cli heddle_device_pass) # what CUDA programs need
set(sanitize_needed ${run_needed} runtime_library)
get_property(all DIRECTORY PROPERTY TESTS)
foreach(test ${all})
  if(test MATCHES "^(unit|corpus)\\." OR test IN_LIST sanitize_tests)
    set_property(TEST ${test} APPEND PROPERTY LABELS sanitize)
    if(HEDDLE_SANITIZE)
      set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ${sanitize_options})
    endif()
    string(REPLACE "corpus." "replay_" target ${test})
    string(REPLACE "." "_" target ${target})
    if(TARGET ${target})
      list(APPEND sanitize_needed ${target})
    endif()
  endif()
endforeach()

if(HEDDLE_SANITIZE)
  add_custom_target(sanitize DEPENDS ${sanitize_needed})
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan_library
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(third 1)
  foreach(program ${sanitize_programs})
    get_filename_component(name ${program} NAME)
    set(drawn "")
    if(program MATCHES "^tests/truth/")
      set(drawn python3 ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py ${third} 3)
      math(EXPR third "${third} % 3 + 1")
    endif()
    add_test(NAME sanitize.${name}
             COMMAND ${drawn} sh ${CMAKE_CURRENT_SOURCE_DIR}/sanitize/program.sh ${CMAKE_SOURCE_DIR}/${program}.cu)
    set_tests_properties(sanitize.${name} PROPERTIES LABELS sanitize TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT
      "HEDDLE=$<TARGET_FILE:heddle_cli>;ASAN_LIBRARY=${asan_library};${sanitize_options}")
  endforeach()
endif()

# And in the build with the thread sanitizer (ctest -L threads): unit tests of what several threads use, and CUDA programs of
# streams and of many host threads. Interpreted where nothing is said: machine code itself is not looked at. Not unit.space, whose
# addresses are those of the other builds.
if(HEDDLE_TSAN)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libtsan.so OUTPUT_VARIABLE tsan_library
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(needed ${run_needed})
  foreach(test ${all})
    if(test MATCHES "^unit\\.(runtime_.*|base_store|base_team|check_written)$")
      set_property(TEST ${test} APPEND PROPERTY LABELS threads)
      string(REPLACE "unit." "unit_" target ${test})
      list(APPEND needed ${target})
    endif()
  endforeach()
  add_custom_target(threads DEPENDS ${needed})
  foreach(case "run tests/programs/streams" "run tests/programs/host_threads 3" "run tests/programs/host_memory"
          "run tests/programs/managed" "run tests/programs/progress 5" "run examples/staged_streams" "run examples/stream_order"
          "run examples/stream_ordered_alloc" "jit tests/programs/streams" "jit tests/programs/host_threads 3"
          "profile examples/vector_add" "profile tests/programs/host_threads --metrics inst_executed"
          "profile tests/programs/model_threads --device h200"
          "check examples/vector_add --tool all" "check tests/programs/host_threads --tool all --report-api-errors no")
    separate_arguments(case)
    list(POP_FRONT case command program)
    get_filename_component(name ${program} NAME)
    set(executor interp)
    set(name ${command}_${name})
    if(command STREQUAL jit)
      set(executor jit)
      set(command run)
    endif()
    add_test(NAME threads.${name}
             COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/sanitize/threads.sh ${command} ${CMAKE_SOURCE_DIR}/${program}.cu ${case})
    set_tests_properties(threads.${name} PROPERTIES LABELS threads TIMEOUT 300 ENVIRONMENT
      "HEDDLE=$<TARGET_FILE:heddle_cli>;HEDDLE_EXEC=${executor};HEDDLE_THREADS=2;TSAN_LIBRARY=${tsan_library};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
  endforeach()
endif()
