# An assertion that does not hold stops there.
run asserts
#> "b0 t2" received signal SIGTRAP
#> in asserts (n=9) at ...walk.cu:71
print k
#> = 11
print threadIdx.x
#> = 2
continue
#> thread: [2,0,0] Assertion `k != 11` failed.
#> device-side assert triggered
#> exited normally
