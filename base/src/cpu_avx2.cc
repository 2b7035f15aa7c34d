#include "cpu.h"

namespace optiks::base::internal {

bool cpu_runs_avx2() {
  constexpr unsigned kSseAvx = 0x6;
  return cpu_has(kSseAvx, 1U << 5);
}

}  // namespace optiks::base::internal
