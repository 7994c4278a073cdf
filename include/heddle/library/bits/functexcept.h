/* The C++ library's <bits/functexcept.h>, and what its functions do in a kernel: there are no exceptions, the kernel traps.
 *
 * This folder stands before the C++ library's own headers where CUDA is compiled. Its headers include theirs of the same name
 * and say that what they declare is for both sides. So kernels have what is not constexpr yet in C++14 and C++17: the
 * assignment of tuples, optionals and variants, std::swap, algorithms. cuda::std has them by this way (cuda/std). */
#include_next <bits/functexcept.h>

#if !defined(HEDDLE_LIBRARY_FUNCTEXCEPT) && defined(__CUDA__)
#define HEDDLE_LIBRARY_FUNCTEXCEPT
namespace std {
#define HEDDLE_THROWS(name, ...) __attribute__((device)) inline void name(__VA_ARGS__) { __builtin_trap(); }
HEDDLE_THROWS(__throw_bad_exception)
HEDDLE_THROWS(__throw_bad_alloc)
HEDDLE_THROWS(__throw_bad_array_new_length)
HEDDLE_THROWS(__throw_logic_error, const char *)
HEDDLE_THROWS(__throw_domain_error, const char *)
HEDDLE_THROWS(__throw_invalid_argument, const char *)
HEDDLE_THROWS(__throw_length_error, const char *)
HEDDLE_THROWS(__throw_out_of_range, const char *)
HEDDLE_THROWS(__throw_out_of_range_fmt, const char *, ...)
HEDDLE_THROWS(__throw_runtime_error, const char *)
HEDDLE_THROWS(__throw_range_error, const char *)
HEDDLE_THROWS(__throw_overflow_error, const char *)
HEDDLE_THROWS(__throw_underflow_error, const char *)
HEDDLE_THROWS(__throw_bad_function_call)
#undef HEDDLE_THROWS
}
#endif
