# What cpack needs to find out which libraries' packages ours depends on: without these it makes a package that depends on none.
if(CPACK_GENERATOR MATCHES DEB)
  foreach(tool dpkg-shlibdeps file)
    find_program(found_${tool} ${tool})
    if(NOT found_${tool})
      message(FATAL_ERROR "'${tool}' is not there: the Debian package needs it (Debian's packages dpkg-dev and file)")
    endif()
  endforeach()
endif()
