// The choice of the implementation of the batch functions: the VRF's (optiks/vrf/ecvrf.h) and the hash of many messages
// (blake2b_many.h). A process chooses it once: the environment variable OPTIKS_FORCE_KERNEL names it, otherwise the
// processor and the operating system determine it. Any thread may call these functions.
#pragma once

#include <cstdint>
#include <span>

#include "optiks/base/status.h"

namespace optiks::base {

enum class Kernel : std::uint8_t {
  kScalar,     // "scalar": one input after another
  kPortable8,  // "portable8": the code of ifma512 without its instructions; slower than scalar, for tests
  kAvx2,       // "avx2": four inputs in the lanes of AVX2 registers
  kIfma512,    // "ifma512": eight inputs in the lanes of AVX-512 registers
};

// Returns the name of a kernel in OPTIKS_FORCE_KERNEL.
[[nodiscard]] const char* kernel_name(Kernel kernel);

// Returns the kernels that this machine runs, the fastest last: the processor has their instructions, and the operating
// system saves their registers.
[[nodiscard]] std::span<const Kernel> runnable_kernels();

// Returns the kernel that `forced` names. If `forced` is null or empty, returns the last kernel of `runnable`. Fails
// with kInvalidArgument if the name is unknown, and with kUnavailable if the named kernel is not in `runnable`.
[[nodiscard]] Result<Kernel> choose_kernel(const char* forced, std::span<const Kernel> runnable);

// Returns this process's choice by choose_kernel. A program checks this choice at its start, and refuses to run if the
// choice failed.
[[nodiscard]] const Result<Kernel>& kernel_choice();

// Returns the chosen kernel; aborts if the choice failed.
[[nodiscard]] Kernel kernel();

}  // namespace optiks::base
