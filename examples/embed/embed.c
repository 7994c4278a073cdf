/* Heddle as a library, in plain C: load PTX, launch a kernel, look at the result and at its counters.
 *
 *     cc embed.c -I INCLUDE -L LIB -lheddle -o embed && ./embed saxpy.ptx
 *
 * 4096 elements in 16 blocks of 256 threads are 128 warps. Each warp reads 128 consecutive bytes of x and of y and
 * writes 128 of y: per access one request and four sectors of 32 bytes. So the counters below must be 256 requests,
 * 1024 sectors loaded and 512 stored. */
#include <stdio.h>
#include <stdlib.h>

#include <heddle/heddle.h>

enum { N = 4096, BLOCK = 256 };

/* Ends the program with the library's explanation when something failed. */
static void must(heddle_status s, const char *what)
{
    if (s == HEDDLE_OK)
        return;
    fprintf(stderr, "%s: %s\n%s\n", what, heddle_status_text(s), heddle_error_text());
    exit(1);
}

static char *read_file(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*bytes + 1);
    if (!text || fread(text, 1, *bytes, f) != *bytes) {
        perror(path);
        exit(1);
    }
    text[*bytes] = 0;
    fclose(f);
    return text;
}

static heddle_ptr to_device(heddle_device *dev, const float *from)
{
    heddle_ptr p;
    must(heddle_alloc(dev, N * sizeof *from, &p), "alloc");
    must(heddle_copy_in(dev, p, from, N * sizeof *from), "copy in");
    return p;
}

static int check(heddle_device *dev, heddle_ptr y)
{
    static float out[N];
    int wrong = 0;
    must(heddle_copy_out(dev, out, y, sizeof out), "copy out");
    for (int i = 0; i < N; i++)
        wrong += out[i] != 2.0f * (float)i + 1.0f;
    return wrong;
}

static void print_metric(const heddle_result *r, const char *name)
{
    double value;
    must(heddle_result_metric(r, name, &value), name);
    printf("%-52s %8.0f %-10s %s\n", name, value, heddle_metric_unit(name), heddle_metric_trust(name));
}

int main(int argc, char **argv)
{
    static float x[N], y[N];
    heddle_device *dev;
    heddle_module *mod;
    heddle_kernel *kernel;
    heddle_kernel_info info;
    heddle_result *result;
    size_t bytes;
    char *ptx = read_file(argc > 1 ? argv[1] : "saxpy.ptx", &bytes);

    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    must(heddle_device_open(NULL, &dev), "open device");
    must(heddle_module_load(dev, "saxpy.ptx", ptx, bytes, &mod), "load module");
    must(heddle_kernel_find(mod, "saxpy", &kernel), "find kernel");
    must(heddle_kernel_describe(kernel, &info), "describe kernel");
    printf("%s: %d parameters, %zu bytes\n", info.name, info.parameters, info.parameter_bytes);

    int n = N;
    float a = 2;
    heddle_ptr px = to_device(dev, x), py = to_device(dev, y);
    void *args[] = {&n, &a, &px, &py};
    heddle_launch_config config = {.grid = {N / BLOCK, 1, 1}, .block = {BLOCK, 1, 1}};
    must(heddle_launch(kernel, &config, args, &result), "launch");

    int wrong = check(dev, py);
    printf("%d of %d elements are wrong\n", wrong, N);
    print_metric(result, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
    print_metric(result, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    print_metric(result, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");

    heddle_result_free(result);
    must(heddle_free(dev, px), "free");
    must(heddle_free(dev, py), "free");
    heddle_module_unload(mod);
    heddle_device_close(dev);
    free(ptx);
    return wrong != 0;
}
