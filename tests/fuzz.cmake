# Fuzzing (tools/fuzz.sh), and each corpus replayed in the ordinary and the sanitizer build.
foreach(target ptx device result findings suppressions options)
  add_executable(replay_${target} fuzz/fuzz_${target}.c fuzz/fuzz.c fuzz/replay.c)
  target_link_libraries(replay_${target} PRIVATE engine)
  add_test(NAME corpus.${target} COMMAND replay_${target} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${target})
  if(HEDDLE_FUZZ)
    add_executable(fuzz_${target} EXCLUDE_FROM_ALL fuzz/fuzz_${target}.c fuzz/fuzz.c)
    target_link_libraries(fuzz_${target} PRIVATE engine)
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
  endif()
endforeach()
target_link_libraries(replay_options PRIVATE compile)
if(HEDDLE_FUZZ)
  target_link_libraries(fuzz_options PRIVATE compile)
  foreach(target device result findings) # of JSON
    target_sources(fuzz_${target} PRIVATE fuzz/fuzz_json.c)
  endforeach()
endif()

# The parser under the memory sanitizer, which wants all code to be its own: so these rooms alone, over all PTX there is.
if(HEDDLE_MSAN)
  file(GLOB parser CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/base/*.c ${CMAKE_SOURCE_DIR}/src/ptx/*.c)
  add_executable(msan_ptx fuzz/fuzz_ptx.c fuzz/fuzz.c fuzz/replay.c ${parser})
  target_compile_options(msan_ptx PRIVATE -fsanitize=memory -fsanitize-memory-track-origins -fno-omit-frame-pointer)
  target_link_options(msan_ptx PRIVATE -fsanitize=memory)
  set(ptx ${CMAKE_CURRENT_SOURCE_DIR}/ptx)
  add_test(NAME msan.ptx COMMAND msan_ptx ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/ptx ${CMAKE_CURRENT_SOURCE_DIR}/truth/ptx ${ptx}/target
           ${ptx}/bad)
endif()
