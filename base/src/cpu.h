// Asks the processor and the operating system whether this machine can run a kernel.
#pragma once

#include "optiks/base/kernel.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace optiks::base::internal {

// bool cpu_runs_<name>() for each kernel. Each function is alone in its source file, so that the tests can link another
// function instead (vrf/tests/portable_ifma512.cc).
#define OPTIKS_DECLARATION(name, Name, hash_lanes, least_batch, instructions) bool cpu_runs_##name();
OPTIKS_LANE_KERNELS(OPTIKS_DECLARATION)
#undef OPTIKS_DECLARATION

// True if the register XCR0 has the bits `state` and EBX of CPUID leaf 7 has the bits `features` (Intel SDM volume 1,
// sections 14.3 and 15.2). A processor without OSXSAVE has no XCR0.
inline bool cpu_has(unsigned state, unsigned features) {
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

}  // namespace optiks::base::internal
