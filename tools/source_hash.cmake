# Writes a header that names the sources that machine code depends on by their contents.
# usage: cmake -DLIST=FILE -DOUT=HEADER -DLLVM=LIBRARY -P source_hash.cmake; LIST: a source file a line
file(STRINGS ${LIST} sources)
foreach(source ${sources})
  file(SHA256 ${source} one)
  string(APPEND all "${one}\n")
endforeach()
string(SHA256 hash "${all}")
file(WRITE ${OUT} "/* Made by tools/source_hash.cmake. */\n#define JIT_BUILD \"${hash}\"\n#define JIT_LLVM \"${LLVM}\"\n")
