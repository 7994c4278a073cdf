# The command line, as a user meets it. Golden outputs lie beside the scripts.
add_test(NAME cli.stages COMMAND ${CMAKE_SOURCE_DIR}/tests/stages/stages.sh $<TARGET_FILE:heddle_cli>)
foreach(case make cmake separate tools)
  add_test(NAME env.${case} COMMAND ${CMAKE_SOURCE_DIR}/tests/env/env.sh $<TARGET_FILE:heddle_cli> ${case})
endforeach()
