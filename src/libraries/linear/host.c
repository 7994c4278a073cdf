/* The host's BLAS and LAPACK (see host.h). */
#include "libraries/linear/host.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "runtime/library.h"

static void *blas, *lapack;

/* How each implementation is told to compute in one thread. */
static void one_thread(void *library)
{
    static const struct {
        const char *name;
    } setters[] = {{"openblas_set_num_threads"}, {"bli_thread_set_num_threads"}};
    for (size_t i = 0; i < sizeof setters / sizeof *setters; i++) {
        void *set = dlsym(library, setters[i].name);
        if (set && i == 0)
            ((void (*)(int))set)(1);
        else if (set)
            ((void (*)(long))set)(1);
    }
}

static const char *what_for;

static void open_blas(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libblis.so.4", "libblas.so.3", NULL};
    blas = library_open(what_for, names, "libopenblas0 (or libblis4, libblas3)");
    if (blas)
        one_thread(blas);
}

/* OpenBLAS has LAPACK in it. */
static void open_lapack(void)
{
    static const char *const names[] = {"liblapack.so.3", NULL};
    lapack = blas && dlsym(blas, "dpotrf_") ? blas : library_open(what_for, names, "liblapack3 (or libopenblas0)");
    if (lapack && lapack != blas)
        one_thread(lapack);
}

bool host_blas(const char *what, bool with_lapack)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT, lapack_once = PTHREAD_ONCE_INIT;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    what_for = what;
    pthread_once(&once, open_blas);
    if (with_lapack)
        pthread_once(&lapack_once, open_lapack);
    pthread_mutex_unlock(&lock);
    return blas && (lapack || !with_lapack);
}

host_routine host_find(const char *name)
{
    char symbol[32];
    snprintf(symbol, sizeof symbol, "%s_", name);
    void *f = blas ? dlsym(blas, symbol) : NULL;
    if (!f && lapack)
        f = dlsym(lapack, symbol);
    return (host_routine)f;
}

#define P void *
#define P4 P, P, P, P
#define LENGTHS size_t, size_t, size_t, size_t
#define A4(i) a[i], a[i + 1], a[i + 2], a[i + 3]
#define CASE(T, n, types, ...)                                                                     \
    case n:                                                                                        \
        return ((T(*)(types, LENGTHS))f)(__VA_ARGS__, 1, 1, 1, 1);
#define TYPES(...) __VA_ARGS__
#define CALLER(T, name)                                                                            \
    T name(host_routine f, void **a, int n)                                                        \
    {                                                                                              \
        switch (n) {                                                                               \
            CASE(T, 1, P, a[0])                                                                    \
            CASE(T, 2, TYPES(P, P), a[0], a[1])                                                    \
            CASE(T, 3, TYPES(P, P, P), a[0], a[1], a[2])                                           \
            CASE(T, 4, P4, A4(0))                                                                  \
            CASE(T, 5, TYPES(P4, P), A4(0), a[4])                                                  \
            CASE(T, 6, TYPES(P4, P, P), A4(0), a[4], a[5])                                         \
            CASE(T, 7, TYPES(P4, P, P, P), A4(0), a[4], a[5], a[6])                                \
            CASE(T, 8, TYPES(P4, P4), A4(0), A4(4))                                                \
            CASE(T, 9, TYPES(P4, P4, P), A4(0), A4(4), a[8])                                       \
            CASE(T, 10, TYPES(P4, P4, P, P), A4(0), A4(4), a[8], a[9])                             \
            CASE(T, 11, TYPES(P4, P4, P, P, P), A4(0), A4(4), a[8], a[9], a[10])                   \
            CASE(T, 12, TYPES(P4, P4, P4), A4(0), A4(4), A4(8))                                    \
            CASE(T, 13, TYPES(P4, P4, P4, P), A4(0), A4(4), A4(8), a[12])                          \
            CASE(T, 14, TYPES(P4, P4, P4, P, P), A4(0), A4(4), A4(8), a[12], a[13])                \
            CASE(T, 15, TYPES(P4, P4, P4, P, P, P), A4(0), A4(4), A4(8), a[12], a[13], a[14])      \
            CASE(T, 16, TYPES(P4, P4, P4, P4), A4(0), A4(4), A4(8), A4(12))                        \
            CASE(T, 17, TYPES(P4, P4, P4, P4, P), A4(0), A4(4), A4(8), A4(12), a[16])              \
            CASE(T, 18, TYPES(P4, P4, P4, P4, P, P), A4(0), A4(4), A4(8), A4(12), a[16], a[17])    \
            CASE(T, 19, TYPES(P4, P4, P4, P4, P, P, P), A4(0), A4(4), A4(8), A4(12), a[16], a[17], a[18]) \
        default:                                                                                   \
            return ((T(*)(P4, P4, P4, P4, P4, LENGTHS))f)(A4(0), A4(4), A4(8), A4(12), A4(16), 1, 1, 1, 1); \
        }                                                                                          \
    }
CALLER(void, host_call)
CALLER(float, host_call_float)
CALLER(double, host_call_double)
CALLER(float _Complex, host_call_complex)
CALLER(double _Complex, host_call_double_complex)
CALLER(int, host_call_int)

void host_do_all(char letter, const char *name, const void *const *pointers, int n)
{
    char full[32];
    void *a[20] = {0};
    for (int i = 0; i < n; i++)
        a[i] = (void *)pointers[i];
    snprintf(full, sizeof full, "%c%s", letter, name);
    host_call(host_find(full), a, n);
}
