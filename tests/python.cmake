# The Python package (python/), by the system's Python where there is one: its packages are Debian's.
find_program(SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT SYSTEM_PYTHON)
  set(SYSTEM_PYTHON ${Python3_EXECUTABLE})
endif()
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_TSAN AND NOT HEDDLE_MSAN) # whose runtime library comes with the executable
  set(part 1) # of each case one executor, and both of them with each source tree
  foreach(executor interp jit)
    foreach(case launch lines results programs magic)
      add_test(NAME python.${case}_${executor} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/drawn.py ${part} 2 ${SYSTEM_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/python/run.py ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR} test_${case})
      math(EXPR part "3 - ${part}")
      set_tests_properties(python.${case}_${executor} PROPERTIES LABELS python TIMEOUT 200 SKIP_RETURN_CODE 77
                           ENVIRONMENT "HEDDLE_EXEC=${executor};HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache;IPYTHONDIR=${CMAKE_BINARY_DIR}/ipython")
    endforeach()
  endforeach()

  # Notebooks print what is stored in them.
  file(GLOB notebooks CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/python/*.ipynb)
  foreach(path ${notebooks})
    get_filename_component(name ${path} NAME_WE)
    add_test(NAME python.notebook.${name} COMMAND ${SYSTEM_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/python/notebook.py ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR} ${path})
    set_tests_properties(python.notebook.${name} PROPERTIES LABELS python TIMEOUT 200 SKIP_RETURN_CODE 77
                         ENVIRONMENT "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache;IPYTHONDIR=${CMAKE_BINARY_DIR}/ipython;JUPYTER_RUNTIME_DIR=${CMAKE_BINARY_DIR}/ipython")
  endforeach()
endif()
