/* Runs tiled.cl on the first OpenCL device; its path is the variant. n is a multiple of 16. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "bench.h"

static int n;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem A, B, C;

static void must(cl_int error, const char *what)
{
    if (error) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, error);
        exit(1);
    }
}

static char *read_text(const char *path)
{
    char *text = calloc(1, 1 << 16);
    FILE *f = fopen(path, "r");
    if (!f || !fread(text, 1, (1 << 16) - 1, f)) {
        perror(path);
        exit(1);
    }
    fclose(f);
    return text;
}

static void bench_setup(const char *variant, int size)
{
    const char *text = read_text(variant);
    cl_int e;
    cl_platform_id platform;
    cl_device_id device;
    size_t bytes = sizeof(float) * (size_t)size * (size_t)size;
    char name[200] = "", version[200] = "";
    n = size;
    must(clGetPlatformIDs(1, &platform, NULL), "no platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no device");
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    fprintf(stderr, "%s %s\n", name, version);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    must(e, "context");
    queue = clCreateCommandQueue(context, device, 0, &e);
    must(e, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    must(e, "program");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    kernel = clCreateKernel(program, "tiled", &e);
    must(e, "kernel");
    A = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, bench_floats((size_t)n * (size_t)n, 1, 0, 1), &e);
    must(e, "buffer");
    B = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, bench_floats((size_t)n * (size_t)n, 2, 0, 1), &e);
    must(e, "buffer");
    C = clCreateBuffer(context, 0, bytes, NULL, &e);
    must(e, "buffer");
    clSetKernelArg(kernel, 0, sizeof A, &A);
    clSetKernelArg(kernel, 1, sizeof B, &B);
    clSetKernelArg(kernel, 2, sizeof C, &C);
    clSetKernelArg(kernel, 3, sizeof n, &n);
}

static void bench_launch(void)
{
    size_t global[2] = {(size_t)n, (size_t)n}, local[2] = {16, 16};
    must(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL), "launch");
    must(clFinish(queue), "finish");
}

static struct bench_result bench_result(void)
{
    float *c = bench_room(sizeof *c * (size_t)n * (size_t)n);
    must(clEnqueueReadBuffer(queue, C, CL_TRUE, 0, sizeof *c * (size_t)n * (size_t)n, c, 0, NULL, NULL), "read");
    return (struct bench_result){c, (size_t)n * (size_t)n, 0};
}
