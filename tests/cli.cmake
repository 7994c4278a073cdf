# The command line, as a user meets it. Golden outputs lie beside the scripts.
add_test(NAME cli.stages COMMAND ${CMAKE_SOURCE_DIR}/tests/stages/stages.sh $<TARGET_FILE:heddle_cli>)
add_test(NAME cli.resources COMMAND ${CMAKE_SOURCE_DIR}/tests/resources/resources.sh $<TARGET_FILE:heddle_cli>)
# With every kernel compiled: the compiler's module has to be found through env's links, too.
add_test(NAME env.jit COMMAND ${CMAKE_SOURCE_DIR}/tests/env/env.sh $<TARGET_FILE:heddle_cli> make)
set_tests_properties(env.jit PROPERTIES ENVIRONMENT "HEDDLE_EXEC=jit")
add_test(NAME cli.each_metric COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/profile/each_metric.py $<TARGET_FILE:heddle_cli>
         ${CMAKE_CURRENT_SOURCE_DIR}/profile/kinds.cu --draw 16 h200,jit h200,interp c2050,auto gtx980,jit)
set_tests_properties(cli.each_metric PROPERTIES TIMEOUT 600)
add_test(NAME cli.progress COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/profile/progress.py $<TARGET_FILE:heddle_cli>
         ${CMAKE_CURRENT_SOURCE_DIR}/profile)
set_tests_properties(cli.progress PROPERTIES TIMEOUT 400)
add_test(NAME cli.compare COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/compare/command.py $<TARGET_FILE:heddle_cli> ${CMAKE_SOURCE_DIR})
set_tests_properties(cli.compare PROPERTIES TIMEOUT 300)
foreach(case make cmake separate tools)
  add_test(NAME env.${case} COMMAND ${CMAKE_SOURCE_DIR}/tests/env/env.sh $<TARGET_FILE:heddle_cli> ${case})
endforeach()
# Command lines as they stand in public scripts, by tool: what comes must have the form that scripts read.
set(lines_nvcc --draw 4)
set(lines_ncu --draw 2)
foreach(tool nvcc ncu nv-nsight-cu-cli nsys nvprof nvidia-smi cuobjdump compute-sanitizer cuda-memcheck)
  add_test(NAME env.lines.${tool} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/env/lines/lines.py $<TARGET_FILE:heddle_cli> ${tool} ${lines_${tool}})
  set_tests_properties(env.lines.${tool} PROPERTIES TIMEOUT 600)
endforeach()
add_test(NAME env.lines.page COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/env/lines/lines.py $<TARGET_FILE:heddle_cli> --page ${CMAKE_SOURCE_DIR}/docs/reference/command-lines.md)
# Commands that cannot write: full disks, files that may not grow, little address space.
add_test(NAME writing.full COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/writing/full.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(writing.full PROPERTIES TIMEOUT 600)
# Single allocations that fail, 6 places of them in a run: each ends in order.
add_test(NAME memory.fail_once COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/memory/fail_once.py $<TARGET_FILE:heddle_cli> --draw 6)
set_tests_properties(memory.fail_once PROPERTIES TIMEOUT 600)
