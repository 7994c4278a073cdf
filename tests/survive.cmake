# What happens when something outside goes wrong: files of the cache that are damaged, commands that are killed. Each prints its
# seed; for longer campaigns: tests/survive/kill.py --kills N, crowd.py --runs N.
set(options_crowd --runs 100)
set(options_kill --kills 11)
foreach(case damage crowd kill)
  add_test(NAME survive.${case} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/survive/${case}.py $<TARGET_FILE:heddle_cli> ${options_${case}})
  set_tests_properties(survive.${case} PROPERTIES TIMEOUT 400)
endforeach()
