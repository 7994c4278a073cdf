// Colour to grey: a picture of (r, g, b) bytes, one thread a pixel, two dimensions. (Seed row 31.)
//
// The lesson. x and y of thread and block give the pixel, y * width + x its place. L = 0.21 r + 0.72 g + 0.07 b. The three
// bytes of a pixel lie side by side, so each of the three loads of a warp picks every third byte and moves the other two
// as well: a quarter of the bytes in the sectors is used (a third would be, if the rows filled their sectors).
//
// The figures: 64 x 48 pixels in 12 blocks of 16 x 16, 96 warps of 2 rows. 16 pixels are 48 bytes, which begin at multiples
// of 48: 2 sectors wherever that falls. A row of the result is 16 bytes, half a sector.
//   grey 1: launch__grid_size = 12, global_load_requests = 288 (96 x 3), gld_transactions = 1,152 (288 x 2 x 2),
//     gld_efficiency = 25, global_store_requests = 96, gst_transactions = 192, gst_efficiency = 50, ptx__branches_divergent.sum = 0
#include "example.h"

__host__ __device__ unsigned char luminance(unsigned char r, unsigned char g, unsigned char b)
{
    return (unsigned char)((21 * r + 72 * g + 7 * b) / 100); // in whole numbers: the same on both sides
}

__global__ void grey(const unsigned char *colours, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int pixel = y * width + x;
        out[pixel] = luminance(colours[3 * pixel], colours[3 * pixel + 1], colours[3 * pixel + 2]);
    }
}

static void run(int width, int height)
{
    int pixels = width * height;
    std::vector<unsigned char> colours(3 * pixels), wanted(pixels);
    for (int i = 0; i < 3 * pixels; i++)
        colours[i] = (unsigned char)(i * 89 + i / 7);
    for (int i = 0; i < pixels; i++)
        wanted[i] = luminance(colours[3 * i], colours[3 * i + 1], colours[3 * i + 2]);
    unsigned char *device_colours = to_device(colours), *out;
    CHECK(cudaMalloc(&out, pixels));
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    grey<<<grid, block>>>(device_colours, out, width, height);
    char what[40];
    snprintf(what, sizeof what, "%d x %d pixels", width, height);
    expect(to_host(out, pixels) == wanted, what);
    CHECK(cudaFree(device_colours));
    CHECK(cudaFree(out));
}

int main()
{
    expect(luminance(255, 255, 255) == 255 && luminance(100, 0, 0) == 21, "white stays white, red is dark");
    run(64, 48);
    run(76, 62); // no multiples of 16: the bounds test works
    return verdict();
}
