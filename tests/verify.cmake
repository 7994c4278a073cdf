# Claims of analyses, checked while programs run (docs/verify.md). The least numbers are about half of what was made and asked
# on 2026-11-23: less would mean that an analysis does not say any more what it relies on.
set(verify python3 ${CMAKE_CURRENT_SOURCE_DIR}/verify/verify.py)
set(heddle $<TARGET_FILE:heddle_cli>)

function(verify_programs name mode least)
  set(words)
  foreach(program ${ARGN})
    list(APPEND words -- ${heddle} ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/${program}.cu)
  endforeach()
  add_test(NAME verify.${name} COMMAND ${verify} ${least} ${words})
  set_tests_properties(verify.${name} PROPERTIES TIMEOUT 580 LABELS verify ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endfunction()

verify_programs(device run "--least;uniform=2800,2800000;--least;shape=1800,2700000;--least;congruent=1900,5000000;--least;step=600,300000;--least;address=170,250"
                device/integers device/atomics device/warps device/pointers device/gathers device/loops device/ways device/variables
                device/groups device/barriers device/cuda_barrier device/matrices device/tensor device/several device/sparse device/half_math device/unset)
verify_programs(programs run "--least;uniform=100,1000" programs/banks programs/host_memory programs/managed programs/recursion
                programs/surfaces programs/textures programs/references programs/streams programs/first_loads)
# Each source tree draws one of three parts (tests/drawn.py).
set(part_1 truth/aos_soa truth/atomics truth/bfs truth/copy_stride truth/divergence truth/vector_ops)
set(part_2 truth/floyd truth/histogram truth/latency_hiding truth/matrix_rowcol truth/merge_path truth/struct_size)
set(part_3 truth/pointer_chase truth/radix_pass truth/reduction truth/same_address truth/scan truth/spmv)
set(quick ${part_1} ${part_2} ${part_3})
set(whole ${verify})
foreach(part 1 2 3)
  set(verify python3 ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py ${part} 3 ${whole})
  verify_programs(truth_${part} run "--least;uniform=100,1000000;--least;shape=100,1000000;--least;congruent=30,300000" ${part_${part}})
  set_tests_properties(verify.truth_${part} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
set(verify ${whole})
file(GLOB others CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/truth/*.cu)
list(TRANSFORM others REPLACE "\\.cu$" "")
list(REMOVE_ITEM others ${quick})
verify_programs(truth_all run "--timeout;7200" ${others}) # the others: up to some minutes each
set_tests_properties(verify.truth_all PROPERTIES TIMEOUT 36000 LABELS truth)
verify_programs(profile profile "--least;early=2,60000" truth/aos_soa)
foreach(first 60001 60501 61001 61501) # two of the four
  math(EXPR part "${first} / 500 % 2 + 1")
  add_test(NAME verify.random_${first} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py ${part} 2 ${verify} --least uniform=5000,400000 --least shape=10000,700000 --least unread=3000,3000
           --least congruent=3000,150000 --least step=2000,50000 --least address=20,200 -- $<TARGET_FILE:jit_random> ${first} 500 interp)
  set_tests_properties(verify.random_${first} PROPERTIES TIMEOUT 580 SKIP_RETURN_CODE 77 LABELS verify ENVIRONMENT "HEDDLE_DEVICES=${CMAKE_SOURCE_DIR}/devices")
endforeach()
