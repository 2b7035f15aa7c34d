// Micro-benchmarks of the VRF. Further rows measure the primitives that the VRF uses; they serve to compare machines.
#include <benchmark/benchmark.h>
#include <blake2.h>

#include <algorithm>
#include <string>
#include <vector>

#include "batch.h"
#include "fp2_mul_lanes.h"
#include "optiks/base/blake2b.h"
#include "optiks/base/blake2b_many.h"
#include "optiks/vrf/ecvrf.h"
#include "scalar_mul.h"
#include "suite.h"

namespace optiks::vrf {
namespace {

constexpr std::size_t kAlphaLen = 32;

struct Fixture {
  SecretKey key = SecretKey::load(std::array<std::uint8_t, kSecretKeyLen>{1, 2, 3, 4, 5, 6, 7, 8, 9}).value();
  PublicKey public_key;
  std::vector<std::uint8_t> alphas;
  std::vector<std::size_t> offsets = {0};
  std::vector<std::uint8_t> labels;
  std::vector<std::uint8_t> proofs;
  std::vector<Reason> reasons;

  explicit Fixture(std::size_t n) : alphas(n * kAlphaLen), labels(n * kLabelLen), proofs(n * kProofLen), reasons(n) {
    for (std::size_t i = 0; i < n; ++i) {
      base::store_le64(alphas.data() + i * kAlphaLen, i);
      offsets.push_back((i + 1) * kAlphaLen);
    }
    if (PublicKey::parse_vartime(key.public_key(), public_key) != Reason::kValid) {
      std::abort();
    }
    prove_batch(key, view(), labels, proofs);
  }
  [[nodiscard]] Alphas view() const { return {alphas, offsets}; }
};

// The reported time is the time of a batch. items_per_second counts elements.
template <typename Operation>
void run_batch(benchmark::State& state, Operation operation) {
  const auto n = static_cast<std::size_t>(state.range(0));
  Fixture fixture(n);
  for (auto _ : state) {
    operation(fixture);
    benchmark::DoNotOptimize(fixture.labels.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void evaluate_row(benchmark::State& state, base::Kernel kernel) {
  run_batch(state, [kernel](Fixture& f) { evaluate_batch_by(kernel, f.key, f.view(), f.labels); });
}

void prove_row(benchmark::State& state, base::Kernel kernel) {
  run_batch(state, [kernel](Fixture& f) { prove_batch_by(kernel, f.key, f.view(), f.labels, f.proofs); });
}

void verify_row(benchmark::State& state, base::Kernel kernel) {
  run_batch(state, [&state, kernel](Fixture& f) {
    verify_batch_by_vartime(kernel, f.public_key, f.view(), f.proofs, f.labels, f.reasons);
    if (f.reasons.back() != Reason::kValid) {
      state.SkipWithError("a valid proof was refused");
    }
  });
}

void fp2_mul_row(benchmark::State& state) {
  Fp2 a = kGeneratorX;
  const Fp2 b = kGeneratorY;
  for (auto _ : state) {
    a = fp2_mul(a, b);
    benchmark::DoNotOptimize(a);
  }
}

constexpr Scalar kScalar = {{0x0123456789abcdef, 0xfedcba9876543210, 0x0f1e2d3c4b5a6978, 0x0012345678abcdef}};

void scalar_mul_row(benchmark::State& state) {
  Point p = kGenerator;
  for (auto _ : state) {
    p = scalar_mul(p, kScalar);
    benchmark::DoNotOptimize(p);
  }
}

// The reported time is the time of a group: one point in each lane.
void scalar_mul_lanes_row(benchmark::State& state, base::Kernel kernel) {
  const lanes::Kernel& curve = *kernel_of(kernel);
  const std::vector<Fp2> u(curve.lanes, kGeneratorX);
  std::vector<lanes::GroupPoints> points(1);
  curve.encode_to_curve(points.data(), u.data(), 1);
  const Digits digits = recode(decompose(kScalar));
  for (auto _ : state) {
    curve.mul_same(points.data(), points.data(), 1, digits);
    benchmark::DoNotOptimize(points.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(curve.lanes));
}

// items_per_second counts products of single elements. Four chains of dependent products are interleaved.
void fp2_mul_lanes_row(benchmark::State& state, bench::Fp2MulLanes* run, std::size_t num_lanes) {
  constexpr std::size_t kRounds = 64;
  std::vector<lanes::GroupPoints> elements(8);
  for (auto _ : state) {
    run(elements.data(), kRounds);
    benchmark::DoNotOptimize(elements.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRounds * bench::kNumChains * num_lanes));
}

void fixed_base_row(benchmark::State& state) {
  Scalar k = kScalar;
  for (auto _ : state) {
    ++k.w[0];
    benchmark::DoNotOptimize(fixed_base_mul(k));
  }
}

void hash_to_curve_row(benchmark::State& state) {
  const Fixture fixture(1);
  const base::Blake2b prefix = encode_prefix(fixture.public_key.bytes());
  for (auto _ : state) {
    benchmark::DoNotOptimize(encode_to_curve(prefix, fixture.alphas));
  }
}

constexpr std::size_t kBlockInputLen = 113;  // the length of a node's hash input, less than a block

void blake2b_portable_row(benchmark::State& state) {
  std::array<std::uint8_t, kBlockInputLen> in{};
  std::array<std::uint8_t, 32> out{};
  for (auto _ : state) {
    base::blake2b_256_block(out, in);
    in[0] = out[0];
    benchmark::DoNotOptimize(in);
  }
}

// The reported time is the time of one message, with 64 messages in a call.
void blake2b_many_row(benchmark::State& state, base::Kernel kernel) {
  constexpr std::size_t kNumMessages = 64;
  std::vector<std::uint8_t> slots(kNumMessages * base::kBlake2bBlockLen);
  const std::vector<std::size_t> lens(kNumMessages, kBlockInputLen);
  std::vector<std::uint8_t> digests(kNumMessages * 32);
  const base::Blake2bPrefix prefix = base::blake2b_prefix(32);
  for (auto _ : state) {
    base::blake2b_many_by(kernel, digests, 32, prefix, slots, base::kBlake2bBlockLen, lens);
    benchmark::DoNotOptimize(digests.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kNumMessages));
}

void blake2b_libb2_row(benchmark::State& state) {
  std::array<std::uint8_t, kBlockInputLen> in{};
  std::array<std::uint8_t, 32> out{};
  for (auto _ : state) {
    ::blake2b(out.data(), in.data(), nullptr, out.size(), in.size(), 0);
    in[0] = out[0];
    benchmark::DoNotOptimize(in);
  }
}

BENCHMARK(fp2_mul_row)->Name("Fp2Mul/scalar");
BENCHMARK(scalar_mul_row)->Name("ScalarMulVar/scalar");
BENCHMARK(fixed_base_row)->Name("FixedBase/scalar");
BENCHMARK(hash_to_curve_row)->Name("HashToCurve/scalar");
BENCHMARK(blake2b_portable_row)->Name("Blake2bBlock/portable");
BENCHMARK(blake2b_libb2_row)->Name("Blake2bBlock/libb2");

#define OPTIKS_FP2_MUL(name, Name, hash_lanes, least_batch, instructions) &bench::fp2_mul_##name,
constexpr bench::Fp2MulLanes* kFp2Muls[] = {OPTIKS_LANE_KERNELS(OPTIKS_FP2_MUL)};
#undef OPTIKS_FP2_MUL

void register_kernel(base::Kernel kernel) {
  const std::string name = base::kernel_name(kernel);
  for (const std::int64_t n : {1, 8, 64, 1024}) {
    benchmark::RegisterBenchmark(("VrfEvaluate/" + name).c_str(), evaluate_row, kernel)->ArgName("batch")->Arg(n);
    benchmark::RegisterBenchmark(("VrfProve/" + name).c_str(), prove_row, kernel)->ArgName("batch")->Arg(n);
    benchmark::RegisterBenchmark(("VrfVerify/" + name).c_str(), verify_row, kernel)->ArgName("batch")->Arg(n);
  }
  benchmark::RegisterBenchmark(("Blake2bMany/" + name).c_str(), blake2b_many_row, kernel);
  const lanes::Kernel* const groups = kernel_of(kernel);
  if (groups != nullptr) {
    benchmark::RegisterBenchmark(("ScalarMulVar/" + name).c_str(), scalar_mul_lanes_row, kernel);
    benchmark::RegisterBenchmark(("Fp2Mul/" + name).c_str(), fp2_mul_lanes_row,
                                 kFp2Muls[static_cast<std::size_t>(kernel) - 1], groups->lanes);
  }
}

}  // namespace
}  // namespace optiks::vrf

// Registers the rows for every kernel that this machine supports, and runs all benchmarks.
int main(int argc, char** argv) {
  std::ranges::for_each(optiks::base::runnable_kernels(), optiks::vrf::register_kernel);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
