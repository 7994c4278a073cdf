# Calls of a function that calls itself are frames; names of threads in two dimensions; results in general and vector registers.
break factorial if n == 1
run
#> "b0 t0,0" hit Breakpoint 1, factorial (n=1) at ...walk.cu:42
backtrace
#> #0  factorial (n=1) at ...walk.cu:42
#> #1  ... in factorial (n=2) at ...walk.cu:44
#> #2  ... in factorial (n=3) at ...walk.cu:44
#> #3  ... in calls (to=0x...) at ...walk.cu:55
delete
finish
#> in factorial (n=2) at
#> Value returned is $1 = 1
next
#> 45	    return n * below;
print below
#> $2 = 1
break walk.cu:50 if threadIdx.y == 1 && threadIdx.x == 1
continue
#> "b0 t1,1" hit Breakpoint 2, both (n=720) at ...walk.cu:50
finish
#> Value returned is $3 = {n = 720, d = 360}
delete
continue
#> 12 48 240 1440
#> exited normally
