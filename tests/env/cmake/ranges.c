/* NVTX as an object that some other header declared it for. */
int nvtxRangePushA(const char *name);
int nvtxRangePop(void);

int main(void)
{
    return nvtxRangePushA("range") != -2 || nvtxRangePop() != -2;
}
