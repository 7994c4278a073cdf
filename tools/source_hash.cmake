# Writes a header that names what machine code depends on: the sources by their contents, LLVM by one of its archives.
# usage: cmake -DLIST=FILE -DOUT=HEADER -DLLVM=LIBRARY -P source_hash.cmake; LIST: a source file a line
file(STRINGS ${LIST} sources)
foreach(source ${sources})
  file(SHA256 ${source} one)
  string(APPEND all "${one}\n")
endforeach()
file(SIZE ${LLVM} size)
file(TIMESTAMP ${LLVM} made)
string(APPEND all "${LLVM} ${size} ${made}\n")
string(SHA256 hash "${all}")
file(WRITE ${OUT} "/* Made by tools/source_hash.cmake. */\n#define JIT_BUILD \"${hash}\"\n")
