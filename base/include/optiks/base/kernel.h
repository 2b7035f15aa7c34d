// Chooses the kernel: the implementation of the VRF's batch functions (optiks/vrf/ecvrf.h) and of the hash of many
// messages (blake2b_many.h). A process chooses its kernel once. The environment variable OPTIKS_FORCE_KERNEL names the
// kernel; without it, the processor and the operating system determine the kernel. Any thread may call these functions.
#pragma once

#include <cstdint>
#include <span>

#include "optiks/base/status.h"

namespace optiks::base {

enum class Kernel : std::uint8_t {
  kScalar,     // "scalar": processes one input after another
  kPortable8,  // "portable8": the code of "ifma512" in portable C++; slower than "scalar", for tests
  kAvx2,       // "avx2": processes four inputs at once, in the lanes of AVX2 registers
  kIfma512,    // "ifma512": processes eight inputs at once, in the lanes of AVX-512 registers
};

// Returns the name by which OPTIKS_FORCE_KERNEL selects the kernel.
[[nodiscard]] const char* kernel_name(Kernel kernel);

// Returns the kernels that this machine can run, in increasing order of speed. A machine can run a kernel if its
// processor has the kernel's instructions and its operating system saves the registers that these instructions use.
[[nodiscard]] std::span<const Kernel> runnable_kernels();

// Returns the kernel that `forced` names. If `forced` is null or empty, returns the last kernel of `runnable`. Fails
// with kInvalidArgument if the name is unknown, and with kUnavailable if the named kernel is not in `runnable`.
[[nodiscard]] Result<Kernel> choose_kernel(const char* forced, std::span<const Kernel> runnable);

// Returns the kernel that `choose_kernel()` chose for this process, or its error. A program calls this function when it
// starts, and must refuse to run if the choice failed.
[[nodiscard]] const Result<Kernel>& kernel_choice();

// Returns the kernel that this process chose; aborts if the choice failed.
[[nodiscard]] Kernel kernel();

}  // namespace optiks::base
