# Blocks of the documentation that show commands, by page (docs/blocks.py). A page without a fenced block has no test.
file(GLOB pages RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/*.md ${CMAKE_SOURCE_DIR}/docs/*.md ${CMAKE_SOURCE_DIR}/docs/*/*.md
     ${CMAKE_SOURCE_DIR}/examples/*.md ${CMAKE_SOURCE_DIR}/examples/*/*.md ${CMAKE_SOURCE_DIR}/tests/*/*.md ${CMAKE_SOURCE_DIR}/src/*/*.md)
foreach(page ${pages})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${page})
  file(STRINGS ${CMAKE_SOURCE_DIR}/${page} found REGEX "```|<!-- holds:" LIMIT_COUNT 1)
  if(found)
    string(REGEX REPLACE "\\.md$" "" name ${page})
    string(REPLACE "/" "." name ${name})
    add_test(NAME blocks.${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/docs/blocks.py $<TARGET_FILE:heddle_cli>
             ${CMAKE_SOURCE_DIR} ${page})
    set_tests_properties(blocks.${name} PROPERTIES LABELS docs TIMEOUT 300 ENVIRONMENT HEDDLE_CACHE=${CMAKE_CURRENT_BINARY_DIR}/cache)
  endif()
endforeach()
add_test(NAME tools.blocks COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/docs/blocks_test.py)

# The page of public programs is what its rows say; the programs themselves are not here (tools/coverage.py).
add_test(NAME docs.coverage COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/coverage.py page
         ${CMAKE_SOURCE_DIR}/tests/truth/public/coverage.tsv --check ${CMAKE_SOURCE_DIR}/docs/reference/coverage.md)
# So is the page of our compile step beside nvcc's (tools/front_end.py).
add_test(NAME docs.front_end COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/front_end.py page
         ${CMAKE_SOURCE_DIR}/tests/truth/public/front_end.tsv --check ${CMAKE_SOURCE_DIR}/docs/reference/accuracy-front-end.md)
