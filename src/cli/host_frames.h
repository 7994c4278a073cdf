/* Frames of the host's stack: names and lines for "path+0xoffset" (runtime/frames.h), by addr2line of the GNU binutils,
 * which is there wherever programs are linked. */
#ifndef CLI_HOST_FRAMES_H
#define CLI_HOST_FRAMES_H

struct findings;

/* Every backtrace of the findings becomes lines such as "main in f.cu:13 [0x8d19] in program", from the innermost frame
 * to main; a function that was inlined has a line of its own. Without addr2line: "[0x8d19] in program". */
void host_frames_resolve(struct findings *fs);

#endif
