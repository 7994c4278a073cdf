/* An object with constants beside its code, for tests/unit/jit_link.c. */
int sum(int x);

static const int table[4] = {10, 20, 30, 40};
static const int *volatile first = table;

int sum(int x)
{
    return x + first[0] + first[1];
}
