# Types of all kinds, in unnamed namespaces and templates too.
break types.cu:25
run
#> hit Breakpoint 1, virt (out=0x200000000000, n=2) at
info locals
#> v = {1, 2, 3}}, w = 5}
#> u = {f = 1.5, u = 1069547520}
#> c = green
#> b = {a = 5, b = 17, c = -1}
#> big = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81}
print s->v
#> $1 = {1, 2, 3}
print d.w + d.v[1]
#> $2 = 7
print l.big[3]
print sizeof(b)
print out[0]
#> $5 = 10
delete
step
#> a::(anonymous namespace)::D::f (this=0x...) at
#> return w + v[1];
finish
#> Value returned is $6 = 7
kill
