# Unit tests of device, counters, memory, report.
unit_test(device)
unit_test(memory)
unit_test(metrics)
unit_test(result)
unit_test(report)
add_test(NAME cli.profile COMMAND ${CMAKE_SOURCE_DIR}/tests/profile_cli.sh $<TARGET_FILE:heddle_cli>)
