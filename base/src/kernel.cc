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
    case Kernel::kAvx2:
      return "avx2";
    case Kernel::kIfma512:
      return "ifma512";
  }
  return "unknown";
}

namespace {

// Whether XCR0 has these state components and EBX of CPUID's leaf 7 these features (Intel SDM volume 1, sections 14.3
// and 15.2): without OSXSAVE there is no XCR0.
bool cpu_has(unsigned state, unsigned features) {
#if defined(__x86_64__)
  constexpr unsigned kOsxsave = 1U << 27;
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
  if ((state_low & state) != state || __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) {
    return false;
  }
  return (ebx & features) == features;
#else
  static_cast<void>(state);
  static_cast<void>(features);
  return false;
#endif
}

}  // namespace

bool cpu_has_avx2() {
  constexpr unsigned kSseAvx = 0x6;
  return cpu_has(kSseAvx, 1U << 5);
}

bool cpu_has_ifma512() {
  constexpr unsigned kSseAvxAvx512 = 0xe6;  // with the opmasks and both halves of the 512-bit registers
  return cpu_has(kSseAvxAvx512, (1U << 16) | (1U << 17) | (1U << 21) | (1U << 31));  // F, DQ, IFMA, VL
}

Result<Kernel> choose_kernel(const char* forced, bool has_avx2, bool has_ifma512) {
  if (forced == nullptr || *forced == '\0') {
    return has_ifma512 ? Kernel::kIfma512 : has_avx2 ? Kernel::kAvx2 : Kernel::kScalar;
  }
  for (const Kernel kernel : {Kernel::kScalar, Kernel::kPortable8, Kernel::kAvx2, Kernel::kIfma512}) {
    if (std::string_view(forced) == kernel_name(kernel)) {
      if (kernel == Kernel::kAvx2 && !has_avx2) {
        return Status(StatusCode::kUnavailable, "OPTIKS_FORCE_KERNEL=avx2: this machine has no AVX2");
      }
      if (kernel == Kernel::kIfma512 && !has_ifma512) {
        return Status(StatusCode::kUnavailable, "OPTIKS_FORCE_KERNEL=ifma512: this machine has no AVX-512 IFMA");
      }
      return kernel;
    }
  }
  return Status(StatusCode::kInvalidArgument, "OPTIKS_FORCE_KERNEL names none of scalar, portable8, avx2, ifma512");
}

const Result<Kernel>& kernel_choice() {
  // NOLINTBEGIN(concurrency-mt-unsafe): read once, under the lock of the static
  static const Result<Kernel> kChoice =
      choose_kernel(std::getenv("OPTIKS_FORCE_KERNEL"), cpu_has_avx2(), cpu_has_ifma512());
  // NOLINTEND(concurrency-mt-unsafe)
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
