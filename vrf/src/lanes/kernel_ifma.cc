// Compiled for AVX-512 F, DQ, VL and IFMA: no function of this file may run before the processor has been checked.
#include "kernel.h"

#ifdef __AVX512IFMA__
#include "ifma.h"
#include "kernel_impl.h"
#endif

namespace optiks::vrf::lanes {

const Kernel* ifma_kernel() {
#ifdef __AVX512IFMA__
  return &KernelOf<Ifma>::kKernel;
#else
  return nullptr;
#endif
}

}  // namespace optiks::vrf::lanes
