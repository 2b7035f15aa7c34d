#include "cpu.h"

namespace optiks::base::internal {

bool cpu_runs_ifma512() {
  // The registers of SSE and AVX, the opmask registers, and both halves of the 512-bit registers.
  constexpr unsigned kSseAvxAvx512 = 0xe6;
  return cpu_has(kSseAvxAvx512, (1U << 16) | (1U << 17) | (1U << 21) | (1U << 31));  // AVX-512 F, DQ, IFMA, VL
}

}  // namespace optiks::base::internal
