# Stepping (docs/stepping.md): gdb over a program with a kernel, and programs whose threads run one at a time.
file(GLOB cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/step/*.gdb)
foreach(path ${cases})
  get_filename_component(name ${path} NAME_WE)
  add_test(NAME step.gdb_${name} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/step/gdb.py $<TARGET_FILE:heddle_cli> ${path})
  set_tests_properties(step.gdb_${name} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endforeach()

# What programs print is the same in this executor. Each checks itself, too.
foreach(source device/integers device/pointers device/structs device/cuda_barrier device/matrices device/tensor device/barriers device/variables device/loops device/complex
               device/assert programs/managed programs/recursion programs/textures programs/surfaces programs/streams programs/references step/walk step/types)
  get_filename_component(name ${source} NAME)
  add_test(NAME step.same_${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/step/same.sh $<TARGET_FILE:heddle_cli> ${CMAKE_CURRENT_SOURCE_DIR}/${source}.cu)
  set_tests_properties(step.same_${name} PROPERTIES TIMEOUT 300)
endforeach()
add_test(NAME step.lanes COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/step/same.sh $<TARGET_FILE:heddle_cli> ${CMAKE_CURRENT_SOURCE_DIR}/step/lanes.cu)
add_test(NAME step.refused COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/step/refused.sh $<TARGET_FILE:heddle_cli> ${CMAKE_CURRENT_SOURCE_DIR}/step/walk.cu)
