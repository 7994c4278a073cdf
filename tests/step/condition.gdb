# A condition picks one thread; step goes into calls, finish leaves them with the result, next steps over those of headers.
break walk.cu:34 if threadIdx.x == 5 && blockIdx.x == 1
run
#> "b1 t5" hit Breakpoint 1, sums<float> (n=64, a=2, ...) at ...walk.cu:34
#> 34	        T s = twice(tile[31 - threadIdx.x]);
step
#> twice (v=58) at ...walk.cu:21
#> 21	    float w = v * 2;
backtrace
#> #0  twice (v=58) at
#> #1  ... in sums<float> (n=64, a=2,
up
print threadIdx.x
#> $1 = 5
down
finish
#> Value returned is $2 = 116
next
#> 35	        s += p.square() + weights[i & 3];
step
#> pair::square (this=0x...) at ...walk.cu:9
print *this
#> $3 = {x = 2, y = 37}
finish
#> Value returned is $4 = 1373
next
#> 36	        s += __shfl_xor_sync(~0u, s, 1);
step
#> 37	        y[i] = a * s + bias;
set var s = 1
set var bias = 7
next
print y[37]
#> $5 = 9
set var y[37] = 4
print y[37]
#> $6 = 4
print x[37]
#> $7 = 37
delete
continue
#> exited normally
