// How many warps diverge at the bounds test of an image: 75, where the seed says 80. (Seed row 6.)
//
// The lesson. 200 x 150 pixels in blocks of 16 x 16 need 13 x 10 = 130 blocks of 8 warps, 1040 warps. A warp is 32 threads
// in the order x, then y: here 2 rows of 16. Blocks inside the image (12 x 9) have 864 warps, those of the right edge
// 72, of the bottom edge 96, the corner block 8. The right edge cuts at x = 200 through the middle of every warp: 8
// lanes of 16 lie inside, all 72 diverge. The bottom edge cuts at y = 150, between two warps (150 is even): none of the
// 96 diverges, 36 (12 x 3) run and 60 do not. The seed now adds all 8 warps of the corner: 72 + 8 = 80. But of these,
// 3 hold rows 144 to 149 and diverge; 5 hold rows 150 to 159, lie wholly outside and leave together. 72 + 3 = 75, 7.2 %.
//
// 80 is what a program sees that tests x first and y behind it: then the corner's 5 split at the first branch although
// none of their lanes has work. Compilers make one branch of `x < width && y < height`, and 75 it is. The second kernel
// keeps them apart by counting in between what passes in x: 80 at the first branch, and none at the second, since a warp's
// rows are either both inside or both outside.
//
// The figures:
//   one_test 1: smsp__warps_launched.sum = 1,040, ptx__branches_divergent.sum = 75
//     global_store_requests = 975: of 1,040 warps 1,040 - 60 - 5 have work
//   two_tests 1: ptx__branches_divergent.sum = 80, global_store_requests = 975
//   In both divergent_branch = 0: in machine code lanes outside end under a predicate, so a GPU's profiler sees no branch diverge.
#include "example.h"

const int WIDTH = 200, HEIGHT = 150;

__global__ void one_test(int *image)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < WIDTH && y < HEIGHT)
        image[y * WIDTH + x] = x + y;
}

__global__ void two_tests(int *image, int *passed_x)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < WIDTH) {
        atomicAdd(passed_x, 1);
        if (y < HEIGHT)
            image[y * WIDTH + x] = x + y;
    }
}

// What the counters must say, from coordinates alone: warps with lanes inside and lanes outside.
static int warps_that_split()
{
    int split = 0;
    for (int by = 0; by < 10; by++)
        for (int bx = 0; bx < 13; bx++)
            for (int warp = 0; warp < 8; warp++) {
                int inside = 0;
                for (int lane = 0; lane < 32; lane++) {
                    int thread = warp * 32 + lane;
                    inside += bx * 16 + thread % 16 < WIDTH && by * 16 + thread / 16 < HEIGHT;
                }
                split += inside != 0 && inside != 32;
            }
    return split;
}

static bool right(const std::vector<int> &image)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            if (image[y * WIDTH + x] != x + y)
                return false;
    return true;
}

int main()
{
    dim3 block(16, 16), grid((WIDTH + 15) / 16, (HEIGHT + 15) / 16);
    expect(grid.x == 13 && grid.y == 10, "13 x 10 blocks");
    expect(warps_that_split() == 75, "counted by hand: 75 warps have lanes on both sides");

    int *image, *passed;
    CHECK(cudaMalloc(&image, WIDTH * HEIGHT * sizeof(int)));
    CHECK(cudaMalloc(&passed, sizeof(int)));
    CHECK(cudaMemset(image, 0xff, WIDTH * HEIGHT * sizeof(int)));
    one_test<<<grid, block>>>(image);
    expect(right(to_host(image, WIDTH * HEIGHT)), "one test: every pixel");

    CHECK(cudaMemset(image, 0xff, WIDTH * HEIGHT * sizeof(int)));
    CHECK(cudaMemset(passed, 0, sizeof(int)));
    two_tests<<<grid, block>>>(image, passed);
    expect(right(to_host(image, WIDTH * HEIGHT)), "two tests: every pixel");
    expect(to_host(passed, 1)[0] == 200 * 160, "200 x 160 threads pass the test in x");
    return verdict();
}
