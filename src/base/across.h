/* The CUDA runtime (libheddle-cudart) stands on the engine (libheddle) and calls some of its functions beside the public ones.
 *
 *     struct space *engine_space(heddle_device *dev) ACROSS(engine_space);
 *
 * Such a function is exported as heddle_private_NAME: the engine's library shows nothing but heddle_*, and a program's own
 * functions of the same name stay apart. Both libraries are of one build. */
#ifndef BASE_ACROSS_H
#define BASE_ACROSS_H

#define ACROSS(name) __asm__("heddle_private_" #name) __attribute__((visibility("default")))

#endif
