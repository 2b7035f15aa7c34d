#include "batch.h"
#include "optiks/base/check.h"

namespace optiks::vrf {

const lanes::Kernel* kernel_of(base::Kernel kernel) {
  switch (kernel) {
    case base::Kernel::kScalar:
      return nullptr;
    case base::Kernel::kPortable8:
      return &lanes::portable_kernel();
    case base::Kernel::kAvx2:
      OPTIKS_CHECK(lanes::avx2_kernel() != nullptr);
      return lanes::avx2_kernel();
    case base::Kernel::kIfma512:
      OPTIKS_CHECK(lanes::ifma_kernel() != nullptr);
      return lanes::ifma_kernel();
  }
  return nullptr;
}

}  // namespace optiks::vrf
