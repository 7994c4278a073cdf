# Bad input: a transcript each (bad/NAME.txt), run by bad/check.py; a hang is a failure.
file(GLOB transcripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bad/*.txt)
foreach(transcript ${transcripts})
  get_filename_component(name ${transcript} NAME_WE)
  add_test(NAME bad.${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/bad/check.py
           $<TARGET_FILE_DIR:heddle_cli> ${transcript})
  set_tests_properties(bad.${name} PROPERTIES TIMEOUT 120 ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache)
endforeach()
