// Chooses the kernel: the implementation of the VRF's batch functions (optiks/vrf/ecvrf.h) and of the hash of many
// messages (blake2b_many.h). A process chooses its kernel once. The environment variable OPTIKS_FORCE_KERNEL names the
// kernel; without it, the processor and the operating system determine the kernel. Any thread may call these functions.
#pragma once

#include <cstdint>
#include <span>

#include "optiks/base/status.h"

// The registry of the kernels that process several inputs at once, each input in its own lane of vector registers, in
// increasing order of speed. Each row is X(name, Name, hash lanes, least batch, instructions):
// - name: the value of OPTIKS_FORCE_KERNEL. It is also part of the names of the kernel's functions: blake2b_name hashes
//   (base/src/blake2b_name.cc), cpu_runs_name asks whether this machine can run the kernel (base/src/cpu_name.cc), and
//   name_kernel returns the curve arithmetic (vrf/src/lanes/kernel_name.cc). CMake has the compiler options of these
//   files (OPTIKS_KERNELS).
// - Name: the enumerator is kName.
// - hash lanes: the number of messages in one call of blake2b_name.
// - least batch: the least number of VRF inputs for which the kernel is faster than the scalar path.
// - instructions: what the machine lacks if it cannot run the kernel.
#define OPTIKS_LANE_KERNELS(X) \
  X(avx2, Avx2, 4, 3, "AVX2")  \
  X(ifma512, Ifma512, 8, 2, "AVX-512 IFMA")

namespace optiks::base {

#define OPTIKS_ENUMERATOR(name, Name, hash_lanes, least_batch, instructions) k##Name,
enum class Kernel : std::uint8_t {
  kScalar,  // "scalar": processes one input after another
  OPTIKS_LANE_KERNELS(OPTIKS_ENUMERATOR)
};
#undef OPTIKS_ENUMERATOR

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
