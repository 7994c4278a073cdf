# heddle gdb: CUDA's words for which thread is looked at, as cuda-gdb has them.
break walk.cu:33
run
#> hit Breakpoint 1, sums<float>
#> [Switching focus to CUDA kernel 0, grid 1, block (0,0,0), thread (0,0,0), device 0, sm 0, warp 0, lane 0]
delete
cuda kernel block thread
#> kernel 0, block (0,0,0), thread (0,0,0)
info cuda threads
#>   BlockIdx ThreadIdx To BlockIdx ThreadIdx Count  Filename  Line
#> * (0,0,0) (0,0,0)    (0,0,0) (0,0,0)     1  walk.cu    33
#>   (0,0,0) (1,0,0)    (0,0,0) (31,0,0)    31  walk.cu    32
info cuda blocks
#> * (0,0,0)       32
info cuda kernels
#> *      0    1 (2,1,1) (32,1,1)       32
cuda thread (9,0,0)
#> [Switching focus to CUDA kernel 0, grid 1, block (0,0,0), thread (9,0,0), device 0, sm 0, warp 0, lane 9]
#> sums<float> (n=64, a=2,
print p
#> = {x = 2, y = 9}
cuda thread 31
#> lane 31]
python
for words in ("cuda thread (40)", "cuda block 1 thread 2", "cuda lane 3", "info cuda lanes"):
    try:
        gdb.execute(words)
    except gdb.error as e:
        print(e)
end
#> Invalid coordinates: (40,0,0) is outside of (32,1,1).
#> Block (1,0,0), thread (2,0,0) has not begun yet, or has ended.
#> 'cuda lane' cannot be chosen here: block and thread can
#> info cuda threads, info cuda blocks or info cuda kernels
break walk.cu:calls
continue
#> [Switching focus to CUDA kernel 1, grid 2, block (0,0,0), thread (0,0,0), device 0, sm 0, warp 0, lane 0]
kill
info cuda threads
#> No CUDA kernels.
