# `heddle occupancy`, and whether it, the runtime library and the report give one answer.
add_test(NAME cli.occupancy COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/occupancy/command.py $<TARGET_FILE:heddle_cli>)
foreach(device g80 c2050 k40 p100 t4 a100 h200)
  add_test(NAME occupancy.${device} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scratch.sh ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/occupancy/agree.py
           $<TARGET_FILE:heddle_cli> ${device})
  set_tests_properties(occupancy.${device} PROPERTIES TIMEOUT 300)
endforeach()
set_tests_properties(cli.occupancy PROPERTIES TIMEOUT 300)
