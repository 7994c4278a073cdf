# Device code of several files, with functions of one name that each has to itself. Shared variables are those of the frame.
# build: parts_other.cu -rdc=true
break parts_other.cu:7 if i == 2
run
#> "b0 t2" hit Breakpoint 1, own (i=2) at ...parts_other.cu:7
print theirs[2]
#> $1 = 200
up
#> other (values=0x..., i=2) at ...parts_other.cu:13
print values[2]
#> $2 = 30
print there
#> $3 = {30, 20}
up
#> first (out=0x...) at ...parts.cu:17
print both
#> $4 = {10, 20, 30, 0}
print 'parts_other.cu'::scale
#> $5 = 3
delete
tbreak parts.cu:10
continue
#> own (i=3) at ...parts.cu:10
print mine
#> $6 = {1, 2, 3, 4}
delete
continue
#> 30 360 690 1020
#> exited normally
