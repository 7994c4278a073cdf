# An H200's counts (tests/truth) beside ours. What takes long has the label `truth`, which ./test.sh leaves out:
# ctest --test-dir build -L truth.
set(quick_1 aat_tile cache_ops image_ops matmul_coarse matrix_rowcol radix_pass stencil3d texture2d)
set(quick_2 aos_soa floyd load_width matmul_tiled merge_path scan struct_size vector_ops)
foreach(half 1 2) # the source tree draws one (tests/drawn.py)
  string(REPLACE ";" "," quick "${quick_${half}}")
  add_test(NAME truth.exact_${half} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py ${half} 2
           ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy.py $<TARGET_FILE:heddle_cli> --code own --only ${quick})
  set_tests_properties(truth.exact_${half} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
endforeach()
add_test(NAME truth.exact_all COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy.py $<TARGET_FILE:heddle_cli>
         --check ${CMAKE_SOURCE_DIR}/docs/reference/accuracy.md)
add_test(NAME truth.modelled_all COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_caches.py $<TARGET_FILE:heddle_cli>)
add_test(NAME truth.time_all COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_time.py $<TARGET_FILE:heddle_cli>)
add_test(NAME truth.fresh_all COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_time.py $<TARGET_FILE:heddle_cli> --set fresh --code own)
add_test(NAME truth.held_all COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_time.py $<TARGET_FILE:heddle_cli> --set held --code own)
add_test(NAME truth.sealed_all COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_time.py $<TARGET_FILE:heddle_cli> --set sealed --code own)
add_test(NAME truth.blind_all COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_time.py $<TARGET_FILE:heddle_cli> --set blind --code own)
add_test(NAME truth.veiled_all COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_time.py $<TARGET_FILE:heddle_cli> --set veiled --code own)
add_test(NAME truth.rules_all COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_rules.py $<TARGET_FILE:heddle_cli>)
add_test(NAME truth.functions_all COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/accuracy_functions.py $<TARGET_FILE:heddle_cli>
         --check ${CMAKE_SOURCE_DIR}/docs/reference/accuracy-functions.md)
add_test(NAME truth.unseen_all COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/truth/unseen/check.sh $<TARGET_FILE:heddle_cli>)
set_tests_properties(truth.unseen_all PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(truth.exact_all truth.modelled_all truth.time_all truth.fresh_all truth.held_all truth.sealed_all truth.blind_all truth.veiled_all truth.rules_all truth.functions_all truth.unseen_all PROPERTIES LABELS truth TIMEOUT 7200)
foreach(program search softmax)
  add_test(NAME truth.fresh.${program} COMMAND heddle_cli run -std=c++17 ${CMAKE_CURRENT_SOURCE_DIR}/truth/fresh/${program}.cu)
  set_tests_properties(truth.fresh.${program} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
foreach(program align networks smallmat tracer)
  add_test(NAME truth.unseen.${program} COMMAND heddle_cli run -std=c++17 ${CMAKE_CURRENT_SOURCE_DIR}/truth/unseen/${program}.cu)
  set_tests_properties(truth.unseen.${program} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()

# The programs of truth/front_end and of truth/front_end_2 to truth/front_end_4, for their results. Their flags are in programs.tsv.
foreach(set front_end front_end_2 front_end_3 front_end_4)
  file(STRINGS truth/${set}/programs.tsv lines REGEX "^[a-z]+\t")
  list(POP_FRONT lines) # the names of the columns
  foreach(line ${lines})
    string(REPLACE "\t" ";" words "${line}")
    list(POP_FRONT words program)
    separate_arguments(words UNIX_COMMAND "${words}")
    add_test(NAME truth.${set}.${program} COMMAND heddle_cli run -std=c++17 -lineinfo ${words} ${CMAKE_CURRENT_SOURCE_DIR}/truth/${set}/${program}.cu)
    set_tests_properties(truth.${set}.${program} PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                         ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
  endforeach()
endforeach()

# The programs of truth/veiled, for their results: nothing of them is measured yet.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/truth/veiled/*.cu)
foreach(source ${sources})
  get_filename_component(program ${source} NAME_WE)
  add_test(NAME truth.veiled.${program} COMMAND heddle_cli run -std=c++17 ${source})
  set_tests_properties(truth.veiled.${program} PROPERTIES LABELS truth TIMEOUT 120 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
