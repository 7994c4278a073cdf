# The command line, as a user meets it. Golden outputs lie beside the scripts.
add_test(NAME cli.stages COMMAND ${CMAKE_SOURCE_DIR}/tests/stages/stages.sh $<TARGET_FILE:heddle_cli>)
