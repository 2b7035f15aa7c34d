#include "batch.h"
#include "optiks/base/check.h"

namespace optiks::vrf {

const lanes::Kernel* kernel_of(base::Kernel kernel) {
  const lanes::Kernel* found = nullptr;
  switch (kernel) {
    case base::Kernel::kScalar:
      return nullptr;
#define OPTIKS_CASE(name, Name, hash_lanes, least_batch, instructions) \
  case base::Kernel::k##Name:                                          \
    found = lanes::name##_kernel();                                    \
    break;
      OPTIKS_LANE_KERNELS(OPTIKS_CASE)
#undef OPTIKS_CASE
  }
  OPTIKS_CHECK(found != nullptr);
  return found;
}

}  // namespace optiks::vrf
