# What ./test.sh runs in the build with sanitizers (ctest -L sanitize). Included last: it labels what is there.
#
# Every unit test and corpus; the tests named here, of the PTX parser and of the library as it is linked; and these CUDA programs
# through the whole of Heddle, profiled, which exist as tests in that build only. matmul_tiled of examples/ stands for
# the matrix multiplications of truth/, which take ten times as long.
set(sanitize_tests ptx.files ptx.bad runtime.library)
set(sanitize_programs examples/matmul_tiled tests/truth/access_order tests/truth/aos_soa tests/truth/async_copy
    tests/truth/atomics tests/truth/copy_offset tests/truth/copy_stride tests/truth/divergence tests/truth/load_width
    tests/truth/reduction tests/truth/shared_stride tests/truth/transpose tests/truth/vector_ops)

get_property(all DIRECTORY PROPERTY TESTS)
foreach(test ${all})
  if(test MATCHES "^(unit|corpus)\\." OR test IN_LIST sanitize_tests)
    set_property(TEST ${test} APPEND PROPERTY LABELS sanitize)
  endif()
endforeach()

if(HEDDLE_SANITIZE)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan_library
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  foreach(program ${sanitize_programs})
    get_filename_component(name ${program} NAME)
    add_test(NAME sanitize.${name}
             COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/sanitize/program.sh ${CMAKE_SOURCE_DIR}/${program}.cu)
    set_tests_properties(sanitize.${name} PROPERTIES LABELS sanitize TIMEOUT 300 ENVIRONMENT
      "HEDDLE=$<TARGET_FILE:heddle_cli>;ASAN_LIBRARY=${asan_library}")
  endforeach()
endif()
