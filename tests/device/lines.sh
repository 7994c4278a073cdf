# A program of 50,000 lines: 2,380 kernels, of which the first and the last run. HEDDLE is the command.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk 'BEGIN {
    print "#include <cstdio>"
    for (k = 0; k < 2380; k++) {
        printf "__global__ void k%d(int *p)\n{\n    int i = threadIdx.x, x = p[i];\n", k
        for (j = 0; j < 15; j++)
            printf "    x = x * %d + (x >> %d) + %d;\n", 2 * j + 3, j % 7 + 1, k
        printf "    p[i] = x;\n}\n\n"
    }
    print "int main()\n{\n    int *p, x = 0, want = 0;\n    cudaMalloc(&p, 128);\n    cudaMemset(p, 0, 128);"
    print "    k0<<<1, 32>>>(p);\n    k2379<<<1, 32>>>(p);\n    cudaMemcpy(&x, p, 4, cudaMemcpyDeviceToHost);"
    for (j = 0; j < 15; j++)
        printf "    want = (int)((unsigned)want * %du) + (want >> %d) + 2379;\n", 2 * j + 3, j % 7 + 1
    print "    printf(x == want ? \"PASSED\\n\" : \"FAILED: %d for %d\\n\", x, want);\n}"
}' >"$folder/lines.cu"
test "$(wc -l <"$folder/lines.cu")" -gt 49900
"$HEDDLE" run "$folder/lines.cu" | tee "$folder/out"
grep -q PASSED "$folder/out"
echo "ALL DONE"
