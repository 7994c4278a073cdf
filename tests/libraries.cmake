# CUDA's libraries: against definitions, an H200's answers (tests/truth/libraries), and with the host's libraries missing.
set(libraries ${CMAKE_CURRENT_SOURCE_DIR}/libraries)
set(libraries_environment "HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache")

# What a program answers where dlopen finds nothing.
add_library(libraries_without MODULE libraries/without.c)
target_link_libraries(libraries_without PRIVATE ${CMAKE_DL_LIBS})

add_test(NAME libraries.profiled COMMAND ${libraries}/profiled.sh $<TARGET_FILE:heddle_cli>)
set_tests_properties(libraries.profiled PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77 ENVIRONMENT "${libraries_environment}")

# Programs that check themselves.
foreach(name cublas_old cublasXt cublasLt cusolver)
  string(REGEX REPLACE "_old|Xt" "" library ${name})
  add_test(NAME libraries.${name} COMMAND heddle_cli run -std=c++17 -l${library} ${libraries}/${name}.cu)
  set_tests_properties(libraries.${name} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77 FAIL_REGULAR_EXPRESSION FAILED ENVIRONMENT "${libraries_environment}")
endforeach()
set(said "cusolverDnDsytrf is not there yet") # once, though it is called twice
set_tests_properties(libraries.cusolver PROPERTIES PASS_REGULAR_EXPRESSION "heddle: ${said}.*PASSED" FAIL_REGULAR_EXPRESSION "FAILED;${said}.*${said}")

add_test(NAME libraries.cusolver_sp COMMAND heddle_cli run -std=c++17 -lcusolver -lcusparse ${libraries}/cusolver_sp.cu)
set_tests_properties(libraries.cusolver_sp PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77 FAIL_REGULAR_EXPRESSION FAILED ENVIRONMENT "${libraries_environment}")

set(library_programs
    cublas
    cufft
    cufftw
    curand
    cusparse
    nccl)
foreach(name ${library_programs})
  add_test(NAME libraries.${name} COMMAND ${libraries}/program.sh $<TARGET_FILE:heddle_cli> $<TARGET_FILE:libraries_without> ${name})
  set_tests_properties(libraries.${name} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT "${libraries_environment}")
endforeach()

add_test(NAME libraries.nvvm COMMAND ${libraries}/nvvm.sh $<TARGET_FILE:heddle_cli> ${CMAKE_BINARY_DIR}/cuda)
set_tests_properties(libraries.nvvm PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED ENVIRONMENT "${libraries_environment}")
add_test(NAME libraries.numba COMMAND heddle_cli env sh -c "p=/usr/bin/python3; [ -x $p ] || p=python3; exec $p ${libraries}/numba_programs.py")
set_tests_properties(libraries.numba PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT "${libraries_environment}")
add_test(NAME libraries.nvrtc COMMAND ${libraries}/nvrtc.sh $<TARGET_FILE:heddle_cli> $<TARGET_FILE_DIR:nvrtc>)
set_tests_properties(libraries.nvrtc PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED ENVIRONMENT "${libraries_environment}")

# What an H200 computes and answers (tests/truth/libraries).
set(library_measured
    cublas
    cublaslt
    cufft
    cusolver
    cusparse)
foreach(name ${library_measured})
  string(REPLACE "lt" "Lt" library ${name})
  add_test(NAME libraries.${name}_h200 COMMAND ${Python3_EXECUTABLE} ${libraries}/compare.py $<TARGET_FILE:heddle_cli> ${name} -l${library})
  set_tests_properties(libraries.${name}_h200 PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT "${libraries_environment}")
endforeach()

add_test(NAME libraries.mpi COMMAND ${libraries}/mpi.sh $<TARGET_FILE:heddle_cli>)
set_tests_properties(libraries.mpi PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT "${libraries_environment}")

# cuRAND against an H200's values; its tables against the script that makes them.
foreach(part device host)
  add_test(NAME libraries.curand_${part} COMMAND python3 ${libraries}/curand.py $<TARGET_FILE:heddle_cli> ${CMAKE_CURRENT_SOURCE_DIR}/truth/libraries ${part})
  set_tests_properties(libraries.curand_${part} PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION FAILED
                       ENVIRONMENT "${libraries_environment}")
endforeach()
add_test(NAME tools.curand_tables COMMAND python3 tools/curand_tables.py --check WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
