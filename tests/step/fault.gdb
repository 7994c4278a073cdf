# A wrong access stops at its line, in its thread.
run wild
#> "b0 t3" received signal SIGTRAP
#> in store (to=0x10, i=3) at ...walk.cu:61
#> 61	    to[i] = i;
print heddle_fault
#> "illegal memory access"
backtrace
#> #0  ... in store (to=0x10, i=3)
#> #1  ... in wild (to=0x...) at ...walk.cu:66
up
print at
#> = (int *) 0x10
delete
continue
#> illegal memory access (CUDA error 700)
#> by thread (3,0,0) in block (0,0,0)
#> an illegal memory access was encountered
#> exited normally
