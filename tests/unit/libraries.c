/* Libraries that are not there: which messages mean one, and that docs/reference/libraries.md is up to date. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "compile/libraries.h"

static void of_messages(void **state)
{
    static const struct {
        const char *text, *name; /* NULL: no library */
    } cases[] = {
        {"'nvjpeg.h' file not found", ": nvJPEG (JPEG images) is not part of Heddle; Debian's nvidia-cuda-dev"},
        {"'thrust/device_vector.h' file not found", ": Thrust ("},
        {"'cub/cub.cuh' file not found", ": CUB ("},
        {"'cuda_fp6.h' file not found", ": 6- and 4-bit floating point ("},
        {"'helper_cuda.h' file not found", ": NVIDIA's CUDA samples ("},
        {"'cudnn.h' file not found", ": cuDNN ("},
        {"'nvFatbin.h' file not found", ": nvJitLink"},
        {"cannot find -lnvJitLink: No such file or directory", ": nvJitLink, "},
        {"'curand_mtgp32_host.h' file not found", ": cuRAND's "},
        {"'nccl_net.h' file not found", ": NCCL's plug-ins and device side ("},
        {"'cusolverRf.h' file not found", ": cuSOLVER's refactorisation"},
        {"'cusolverSp.h' file not found", NULL},
        {"cannot find -lnvjpeg: No such file or directory", ": nvJPEG ("},
        {"'cusparseLt.h' file not found", ": cuSPARSELt ("},
        {"cannot find -lcufftMp: No such file or directory", ": cuFFTMp ("},
        {"'cufftdx.hpp' file not found", ": MathDx ("},
        {"'npp.h' file not found", ": NPP ("},
        {"'nppi_filtering_functions.h' file not found", ": NPP ("},
        {"cannot find -lnppif: No such file or directory", ": NPP ("},
        {"'cudnn_frontend.h' file not found", ": cuDNN ("},
        {"'helper_of_mine.h' file not found", NULL},
        {"'cuda/kernels.h' file not found", NULL},
        {"'thrust' file not found", NULL},
        {"'mynvjpeg.h' file not found", NULL},
        {"'nccl.hpp' file not found", NULL},
        {"cannot find -lm: No such file or directory", NULL},
        {"use of undeclared identifier 'nvjpeg.h'", NULL},
        {"file not found", NULL},
        {"", NULL},
    };
    struct arena a;

    (void)state;
    arena_init(&a);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *said = libraries_remedy(&a, cases[i].text);

        if (!cases[i].name)
            assert_null(said);
        else
            assert_true(said && !strncmp(said, cases[i].name, strlen(cases[i].name)) && strstr(said, "docs/reference/libraries.md"));
    }
    arena_release(&a);
}

static void documentation(void **state)
{
    static char want[1 << 16];
    struct strbuf b;
    FILE *f;

    (void)state;
    strbuf_init(&b);
    libraries_document(&b);
    if (getenv("HEDDLE_WRITE_DOCS")) {
        f = fopen(DATA "/../../docs/reference/libraries.md", "w");
        assert_non_null(f);
        fputs(b.s, f);
        fclose(f);
    }
    f = fopen(DATA "/../../docs/reference/libraries.md", "r");
    assert_non_null(f);
    assert_true(fread(want, 1, sizeof want - 1, f) > 0);
    fclose(f);
    assert_string_equal(b.s, want);
    strbuf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_messages), cmocka_unit_test(documentation)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
