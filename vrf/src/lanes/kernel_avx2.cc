// Compiled for AVX2: no function of this file may run before the processor has been checked.
#include "kernel.h"

#ifdef __AVX2__
#include "avx2.h"
#include "kernel_impl.h"
#endif

namespace optiks::vrf::lanes {

const Kernel* avx2_kernel() {
#ifdef __AVX2__
  return &KernelOf<Avx2>::kKernel;
#else
  return nullptr;
#endif
}

}  // namespace optiks::vrf::lanes
