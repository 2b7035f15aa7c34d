// The kernel for AVX2. This file is compiled for AVX2, so call its functions only after a check that the processor has
// AVX2.
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
