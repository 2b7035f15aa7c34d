#include "optiks/base/kernel.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "cpu.h"

namespace optiks::base {

namespace {

struct Entry {
  Kernel kernel;
  const char* name;
  bool (*is_runnable)();  // null if every machine can run the kernel
  const char* complaint;  // the error text if this machine cannot run the kernel
};

// All kernels, in increasing order of speed.
#define OPTIKS_ENTRY(name, Name, hash_lanes, least_batch, instructions) \
  {Kernel::k##Name, #name, internal::cpu_runs_##name,                   \
   "OPTIKS_FORCE_KERNEL=" #name ": this machine has no " instructions},
constexpr Entry kKernels[] = {{Kernel::kScalar, "scalar", nullptr, ""}, OPTIKS_LANE_KERNELS(OPTIKS_ENTRY)};
#undef OPTIKS_ENTRY
#define OPTIKS_NAME(name, Name, hash_lanes, least_batch, instructions) ", " #name
constexpr const char* kUnknown = "OPTIKS_FORCE_KERNEL names none of scalar" OPTIKS_LANE_KERNELS(OPTIKS_NAME);
#undef OPTIKS_NAME

}  // namespace

const char* kernel_name(Kernel kernel) { return std::ranges::find(kKernels, kernel, &Entry::kernel)->name; }

std::span<const Kernel> runnable_kernels() {
  struct List {
    std::array<Kernel, std::size(kKernels)> kernels;
    std::size_t size = 0;
  };
  static const List kList = [] {
    List list;
    for (const Entry& entry : kKernels) {
      if (entry.is_runnable == nullptr || entry.is_runnable()) {
        list.kernels[list.size++] = entry.kernel;
      }
    }
    return list;
  }();
  return std::span(kList.kernels).first(kList.size);
}

Result<Kernel> choose_kernel(const char* forced, std::span<const Kernel> runnable) {
  if (forced == nullptr || *forced == '\0') {
    return runnable.back();
  }
  const auto* const named = std::ranges::find(kKernels, std::string_view(forced), &Entry::name);
  if (named == std::end(kKernels)) {
    return Status(StatusCode::kInvalidArgument, kUnknown);
  }
  if (std::ranges::find(runnable, named->kernel) == runnable.end()) {
    return Status(StatusCode::kUnavailable, named->complaint);
  }
  return named->kernel;
}

const Result<Kernel>& kernel_choice() {
  // NOLINTBEGIN(concurrency-mt-unsafe): getenv runs once, under the lock of the static variable
  static const Result<Kernel> kChoice = choose_kernel(std::getenv("OPTIKS_FORCE_KERNEL"), runnable_kernels());
  // NOLINTEND(concurrency-mt-unsafe)
  return kChoice;
}

Kernel kernel() {
  const Result<Kernel>& choice = kernel_choice();
  if (!choice.ok()) [[unlikely]] {
    static_cast<void>(std::fprintf(stderr, "%s\n", choice.status().message()));
    std::abort();
  }
  return choice.value();
}

}  // namespace optiks::base
