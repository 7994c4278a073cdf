// Blur: each pixel becomes the average of the 3 x 3 around it, as far as they are in the picture. (Seed row 31.)
//
// The lesson. Threads at the border have fewer neighbours: 4 at the corners, 6 along the edges, 9 inside, so the number is
// counted along with the sum. (The seed says that most threads find all pixels of their "3x3x3" patch: it is 3 x 3.) A
// warp asks for one row of neighbours after the other, and each pixel of the picture is asked for 9 times.
//
// The figures: 64 x 48 pixels in 12 blocks of 16 x 16, 96 warps. Of each warp some lane has a neighbour in each of the 9
// directions, so all 9 loads happen; 2 stores (the average and how many):
//   blur 1: smsp__warps_launched.sum = 96, global_load_requests = 864 (96 x 9), global_store_requests = 192
#include <algorithm>

#include "example.h"

const int REACH = 1;

__global__ void blur(const unsigned char *in, unsigned char *out, unsigned char *averaged, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int sum = 0, pixels = 0;
    for (int dy = -REACH; dy <= REACH; dy++)
        for (int dx = -REACH; dx <= REACH; dx++) {
            int row = y + dy, column = x + dx;
            if (row >= 0 && row < height && column >= 0 && column < width) {
                sum += in[row * width + column];
                pixels++;
            }
        }
    out[y * width + x] = (unsigned char)(sum / pixels);
    averaged[y * width + x] = (unsigned char)pixels;
}

static bool right(const std::vector<unsigned char> &in, const std::vector<unsigned char> &out, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int sum = 0, pixels = 0;
            for (int row = std::max(y - REACH, 0); row <= std::min(y + REACH, height - 1); row++)
                for (int column = std::max(x - REACH, 0); column <= std::min(x + REACH, width - 1); column++, pixels++)
                    sum += in[row * width + column];
            if (out[y * width + x] != sum / pixels)
                return false;
        }
    return true;
}

static void run(int width, int height)
{
    int pixels = width * height;
    std::vector<unsigned char> in(pixels);
    for (int i = 0; i < pixels; i++)
        in[i] = (unsigned char)(i * 89 + i / 7);
    unsigned char *device_in = to_device(in), *out, *averaged;
    CHECK(cudaMalloc(&out, pixels));
    CHECK(cudaMalloc(&averaged, pixels));
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    blur<<<grid, block>>>(device_in, out, averaged, width, height);
    char what[40];
    snprintf(what, sizeof what, "%d x %d pixels", width, height);
    expect(right(in, to_host(out, pixels), width, height), what);
    std::vector<unsigned char> count = to_host(averaged, pixels);
    int seen[10] = {};
    for (unsigned char c : count)
        seen[c < 10 ? c : 0]++;
    expect(seen[4] == 4 && seen[6] == 2 * (width - 2) + 2 * (height - 2) && seen[9] == (width - 2) * (height - 2),
           "4 pixels averaged in the corners, 6 along the edges, 9 inside");
}

int main()
{
    run(64, 48);
    run(37, 21);
    return verdict();
}
