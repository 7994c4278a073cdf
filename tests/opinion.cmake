# A second opinion on results: random CUDA programs beside g++ (docs/opinion.md). Their seeds are new with each commit's source tree;
# the output says how to repeat a run.
add_test(NAME opinion.selftest COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/opinion/selftest.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(opinion.selftest PROPERTIES TIMEOUT 580 ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
foreach(part 1 2 3) # for more processors: 30 kernels in all
  add_test(NAME opinion.kernels_${part} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/opinion/opinion.py $<TARGET_FILE:heddle_cli>
           --of-tree ${part} --kernels 10 --exec interp,verify,jit-first --turn written,jit)
  set_tests_properties(opinion.kernels_${part} PROPERTIES TIMEOUT 580 SKIP_RETURN_CODE 77
                       ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")
endforeach()
