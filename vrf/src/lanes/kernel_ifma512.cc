// The kernel for AVX-512 IFMA. This file is compiled for AVX-512 F, DQ, VL and IFMA, so call its functions only after a
// check that the processor has these instructions.
#include "kernel.h"

#ifdef __AVX512IFMA__
#include "ifma.h"
#include "kernel_impl.h"
#endif

namespace optiks::vrf::lanes {

const Kernel* ifma512_kernel() {
#ifdef __AVX512IFMA__
  return &KernelOf<Ifma>::kKernel;
#else
  return nullptr;
#endif
}

}  // namespace optiks::vrf::lanes
