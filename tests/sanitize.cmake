# The subset that ./test.sh runs in the build with sanitizers (ctest -L sanitize): every unit test, and the programs
# named here. Included last: it labels what is there.
set(sanitize_programs ptx.files ptx.bad ptx.corpus runtime.library)

get_property(all DIRECTORY PROPERTY TESTS)
foreach(test ${all})
  if(test MATCHES "^unit\\." OR test IN_LIST sanitize_programs)
    set_property(TEST ${test} APPEND PROPERTY LABELS sanitize)
  endif()
endforeach()
