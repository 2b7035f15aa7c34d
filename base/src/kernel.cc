#include "optiks/base/kernel.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace optiks::base {

namespace {

// True if the register XCR0 has the bits `state` and EBX of CPUID leaf 7 has the bits `features` (Intel SDM volume 1,
// sections 14.3 and 15.2). A processor without OSXSAVE has no XCR0.
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

bool has_avx2() {
  constexpr unsigned kSseAvx = 0x6;
  return cpu_has(kSseAvx, 1U << 5);
}

bool has_ifma512() {
  constexpr unsigned kSseAvxAvx512 = 0xe6;  // kSseAvx, the opmask registers, and both halves of the 512-bit registers
  return cpu_has(kSseAvxAvx512, (1U << 16) | (1U << 17) | (1U << 21) | (1U << 31));  // AVX-512 F, DQ, IFMA, VL
}

struct Entry {
  Kernel kernel;
  const char* name;
  bool (*is_runnable)();  // null if every machine can run the kernel
  const char* complaint;  // the error text if this machine cannot run the kernel
};

// All kernels, in increasing order of speed.
constexpr Entry kKernels[] = {
    {Kernel::kPortable8, "portable8", nullptr, ""},
    {Kernel::kScalar, "scalar", nullptr, ""},
    {Kernel::kAvx2, "avx2", has_avx2, "OPTIKS_FORCE_KERNEL=avx2: this machine has no AVX2"},
    {Kernel::kIfma512, "ifma512", has_ifma512, "OPTIKS_FORCE_KERNEL=ifma512: this machine has no AVX-512 IFMA"},
};
constexpr const char* kUnknown = "OPTIKS_FORCE_KERNEL names none of scalar, portable8, avx2, ifma512";

}  // namespace

const char* kernel_name(Kernel kernel) { return std::ranges::find(kKernels, kernel, &Entry::kernel)->name; }

std::span<const Kernel> runnable_kernels() {
  struct List {
    std::array<Kernel, std::size(kKernels)> kernels;
    std::size_t size = 0;
  };
  static const List kList = [] {
    List list;
    for (const Entry& entry : kKernels) {
      if (entry.is_runnable == nullptr || entry.is_runnable()) {
        list.kernels[list.size++] = entry.kernel;
      }
    }
    return list;
  }();
  return std::span(kList.kernels).first(kList.size);
}

Result<Kernel> choose_kernel(const char* forced, std::span<const Kernel> runnable) {
  if (forced == nullptr || *forced == '\0') {
    return runnable.back();
  }
  const auto* const named = std::ranges::find(kKernels, std::string_view(forced), &Entry::name);
  if (named == std::end(kKernels)) {
    return Status(StatusCode::kInvalidArgument, kUnknown);
  }
  if (std::ranges::find(runnable, named->kernel) == runnable.end()) {
    return Status(StatusCode::kUnavailable, named->complaint);
  }
  return named->kernel;
}

const Result<Kernel>& kernel_choice() {
  // NOLINTBEGIN(concurrency-mt-unsafe): getenv runs once, under the lock of the static variable
  static const Result<Kernel> kChoice = choose_kernel(std::getenv("OPTIKS_FORCE_KERNEL"), runnable_kernels());
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
