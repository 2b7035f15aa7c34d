// Which implementation the batch functions use: the VRF's (optiks/vrf/ecvrf.h) and the hash of many messages
// (blake2b_many.h). Chosen once, from what the processor and the operating system support, or by the environment
// variable OPTIKS_FORCE_KERNEL. Safe to call from any thread.
#pragma once

#include <cstdint>
#include <span>

#include "optiks/base/status.h"

namespace optiks::base {

enum class Kernel : std::uint8_t {
  kScalar,     // "scalar": one input after the other
  kPortable8,  // "portable8": the code of ifma512 without its instructions; slower than scalar, for tests
  kAvx2,       // "avx2": four inputs in the lanes of AVX2 registers
  kIfma512,    // "ifma512": eight inputs in the lanes of AVX-512 registers
};

// kernel_name: the name that OPTIKS_FORCE_KERNEL takes.
[[nodiscard]] const char* kernel_name(Kernel kernel);

// runnable_kernels: those of this machine, the fastest last: its processor has the instructions, and its operating
// system saves their registers.
[[nodiscard]] std::span<const Kernel> runnable_kernels();

// choose_kernel: the kernel named by `forced`, or without a name (null or empty) the last of `runnable`.
// kInvalidArgument for a name that is none, kUnavailable for a kernel that is not among `runnable`.
[[nodiscard]] Result<Kernel> choose_kernel(const char* forced, std::span<const Kernel> runnable);

// kernel_choice: what choose_kernel says about this process. A program asks it at its start and refuses to run on a
// failure.
[[nodiscard]] const Result<Kernel>& kernel_choice();

// kernel: the chosen kernel; aborts when there is none.
[[nodiscard]] Kernel kernel();

}  // namespace optiks::base
