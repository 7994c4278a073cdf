/* Sharing memory with OpenGL (CUDA's cuda_gl_interop.h). No GPU draws here: the functions, which cuda_runtime_api.h declares, answer
 * cudaErrorNotSupported and say why once, so that a program that can do without drawing does. OpenGL's own header is included where it
 * is installed (Debian's libgl-dev); without it OpenGL's two integer types are declared as it has them. */
#ifndef __CUDA_GL_INTEROP_H__
#define __CUDA_GL_INTEROP_H__

#include "cuda_runtime_api.h"

#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#else
typedef unsigned int GLenum;
typedef unsigned int GLuint;
#endif

#endif
