import heddle
import numpy as np

module = heddle.compile("""
__global__ void scale(int n, float factor, float *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[2 * i] *= factor;
}
""")
scale = module["scale"]

p = np.ones(2000, np.float32)
scale[4, 256](1000, 3, p)                     # 4 blocks of 256 threads
print(p[:4])

result = scale[4, 256].profile(1000, 3, p)
print(result["gld_efficiency"], "% of what is loaded is used")

for finding in scale[4, 256].check(1001, 3, p):
    print(finding["text"])
