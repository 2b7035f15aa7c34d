#include "optiks/base/kernel.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace optiks::base {

const char* kernel_name(Kernel kernel) {
  switch (kernel) {
    case Kernel::kScalar:
      return "scalar";
    case Kernel::kPortable8:
      return "portable8";
    case Kernel::kIfma512:
      return "ifma512";
  }
  return "unknown";
}

bool cpu_has_ifma512() {
#if defined(__x86_64__)
  // Intel SDM volume 1, section 15.2: OSXSAVE, then the state components SSE, AVX, opmask and both halves of the
  // 512-bit registers in XCR0, then the feature bits of leaf 7.
  constexpr unsigned kOsxsave = 1U << 27;
  constexpr unsigned kState = 0xe6;
  constexpr unsigned kFeatures = (1U << 16) | (1U << 17) | (1U << 21) | (1U << 31);  // F, DQ, IFMA, VL
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kOsxsave) == 0) {
    return false;
  }
  unsigned state_low = 0;
  unsigned state_high = 0;
  __asm__("xgetbv" : "=a"(state_low), "=d"(state_high) : "c"(0));
  if ((state_low & kState) != kState || __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) {
    return false;
  }
  return (ebx & kFeatures) == kFeatures;
#else
  return false;
#endif
}

Result<Kernel> choose_kernel(const char* forced, bool has_ifma512) {
  if (forced == nullptr || *forced == '\0') {
    return has_ifma512 ? Kernel::kIfma512 : Kernel::kScalar;
  }
  for (const Kernel kernel : {Kernel::kScalar, Kernel::kPortable8, Kernel::kIfma512}) {
    if (std::string_view(forced) == kernel_name(kernel)) {
      if (kernel == Kernel::kIfma512 && !has_ifma512) {
        return Status(StatusCode::kUnavailable, "OPTIKS_FORCE_KERNEL=ifma512: this machine has no AVX-512 IFMA");
      }
      return kernel;
    }
  }
  return Status(StatusCode::kInvalidArgument, "OPTIKS_FORCE_KERNEL names none of scalar, portable8, ifma512");
}

const Result<Kernel>& kernel_choice() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read once, under the lock of the static
  static const Result<Kernel> kChoice = choose_kernel(std::getenv("OPTIKS_FORCE_KERNEL"), cpu_has_ifma512());
  return kChoice;
}

Kernel kernel() {
  const Result<Kernel>& choice = kernel_choice();
  if (!choice.ok()) [[unlikely]] {
    static_cast<void>(std::fprintf(stderr, "%s\n", choice.status().message()));
    std::abort();
  }
  return choice.value();
}

}  // namespace optiks::base
