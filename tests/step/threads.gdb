# All threads of a block wait at their lines; any of them can be looked at. Functions of the host are as ever.
break twice_on_host if n == 7
run
#> Breakpoint 1, twice_on_host (n=...7) at
delete
break walk.cu:33
continue
#> "b0 t0" hit Breakpoint 2, sums<float>
delete
info threads
#> "b0 t0"...sums<float> (n=64, a=2,
#> "b0 t9"...sums<float> (n=64, a=2, x=0x200000000000, y=0x200000000200) at ...walk.cu:32
thread find b0 t9
#> has target name 'b0 t9'
python [t.switch() for t in gdb.selected_inferior().threads() if t.name == "b0 t9"]
print threadIdx.x
#> $1 = 9
print i
#> $2 = 9
print p.y
#> $3 = 9
break sums<float>
info breakpoints
#> in sums<float>(int, float, float const*, float*) at ...walk.cu:28
kill
