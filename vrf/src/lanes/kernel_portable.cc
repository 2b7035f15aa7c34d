#include "kernel_impl.h"

namespace optiks::vrf::lanes {

const Kernel& portable_kernel() { return KernelOf<Portable>::kKernel; }

}  // namespace optiks::vrf::lanes
