// OPTIKS_CHECK guards against programmer errors at API edges and is always on: it prints the source line to stderr and
// aborts. OPTIKS_DCHECK asserts internal bounds, only in builds without NDEBUG. Neither macro is for bad input:
// functions report bad input as a Status or a reason. A checked condition must not depend on a secret.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace optiks::base::internal {

[[noreturn]] inline void check_failed(const char* file, int line, const char* condition) {
  static_cast<void>(std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition));
  std::abort();
}

}  // namespace optiks::base::internal

#define OPTIKS_CHECK(condition)                                               \
  do {                                                                        \
    if (!(condition)) [[unlikely]] {                                          \
      ::optiks::base::internal::check_failed(__FILE__, __LINE__, #condition); \
    }                                                                         \
  } while (false)

#ifdef NDEBUG
#define OPTIKS_DCHECK(condition) static_cast<void>(sizeof(!(condition)))
#else
#define OPTIKS_DCHECK(condition) OPTIKS_CHECK(condition)
#endif
