/* Runs a fuzz target over the files of the folders that are given; for CTest. Fails where there are none. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static void replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fuzz_fail(path);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    /* exactly as large as the file, so that a sanitizer sees a read behind the end */
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    if (!data || fread(data, 1, (size_t)size, f) != (size_t)size)
        fuzz_fail("cannot read the corpus");
    fclose(f);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
}

static int replay(const char *dir)
{
    static char path[4096];
    int n = 0;
    DIR *d = opendir(dir);
    if (!d)
        fuzz_fail(dir);
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        replay_file(path);
        n++;
    }
    closedir(d);
    return n;
}

int main(int argc, char **argv)
{
    int n = 0;
    for (int i = 1; i < argc; i++)
        n += replay(argv[i]);
    printf("%d inputs\n", n);
    return n == 0;
}
