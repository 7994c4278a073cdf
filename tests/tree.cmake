# Rules of the source tree, and the tests of the scripts that check them.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME tree.includes COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/check_includes.py)
add_test(NAME tree.files COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/check_tree.py)
add_test(NAME tools.suites COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/suites_test.py)
add_test(NAME tools.coverage COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/coverage_test.py $<TARGET_FILE:heddle_cli>)
set_tests_properties(tools.coverage PROPERTIES TIMEOUT 300)
add_test(NAME tools.front_end COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/front_end_test.py)
add_test(NAME tree.scripts COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/check_tree_test.py)
