// Replaces the functions of the kernel ifma512 by the same code in plain C++, so that every machine can run it. A
// program that has this file, and base/src/blake2b_ifma512.cc compiled without the kernel's options, uses these
// functions instead of the library's.
#include "cpu.h"
#include "lanes/kernel_impl.h"
#include "portable_lanes.h"

namespace optiks::vrf::lanes {

const Kernel* ifma512_kernel() { return &KernelOf<Portable>::kKernel; }

}  // namespace optiks::vrf::lanes

namespace optiks::base::internal {

bool cpu_runs_ifma512() { return true; }

}  // namespace optiks::base::internal
