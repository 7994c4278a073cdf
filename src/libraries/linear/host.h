/* The host's BLAS and LAPACK, in Fortran's manner of call: what computes behind cuBLAS and cuSOLVER.
 *
 * OpenBLAS, BLIS or the reference implementation, whichever Debian has here (names and packages in host.c), is opened when the first routine is asked
 * for. It computes in one thread, so that results repeat. */
#ifndef LINEAR_HOST_H
#define LINEAR_HOST_H

#include <stdbool.h>

/* Is there a BLAS (with `lapack`: a LAPACK)? If not, says so once on stderr, in the name of `what`. */
bool host_blas(const char *what, bool lapack);

/* The routine ("dgemm", "zpotrf"), or NULL: neither library has it. */
typedef void (*host_routine)(void);
host_routine host_find(const char *name);

/* Calls a routine with n pointers. Lengths of texts, which Fortran passes behind them, are 1. n is 1 to 20. */
void host_call(host_routine f, void **a, int n);

/* The same for functions. */
float host_call_float(host_routine f, void **a, int n);
double host_call_double(host_routine f, void **a, int n);
float _Complex host_call_complex(host_routine f, void **a, int n);
double _Complex host_call_double_complex(host_routine f, void **a, int n);
int host_call_int(host_routine f, void **a, int n);

/* "dgemm" called with these pointers: host_do('d', "gemm", &transa, ...). */
#define host_do(letter, name, ...) \
    host_do_all(letter, name, (const void *const[]){__VA_ARGS__}, (int)(sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)))
void host_do_all(char letter, const char *name, const void *const *pointers, int n);

#endif
