// Micro-benchmarks of the VRF and, as calibration rows, of the primitives below it.
#include <benchmark/benchmark.h>
#include <blake2.h>

#include <vector>

#include "optiks/base/blake2b.h"
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

// Time is per batch; items_per_second counts elements.
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

void evaluate_row(benchmark::State& state) {
  run_batch(state, [](Fixture& f) { evaluate_batch(f.key, f.view(), f.labels); });
}

void prove_row(benchmark::State& state) {
  run_batch(state, [](Fixture& f) { prove_batch(f.key, f.view(), f.labels, f.proofs); });
}

void verify_row(benchmark::State& state) {
  run_batch(state, [&state](Fixture& f) {
    verify_batch_vartime(f.public_key, f.view(), f.proofs, f.labels, f.reasons);
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

constexpr std::size_t kBlockInputLen = 113;  // a node's hash input: less than a block

void blake2b_portable_row(benchmark::State& state) {
  std::array<std::uint8_t, kBlockInputLen> in{};
  std::array<std::uint8_t, 32> out{};
  for (auto _ : state) {
    base::blake2b_256_block(out, in);
    in[0] = out[0];
    benchmark::DoNotOptimize(in);
  }
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

BENCHMARK(evaluate_row)->Name("VrfEvaluate/scalar")->ArgName("batch")->Arg(1)->Arg(8)->Arg(64);
BENCHMARK(prove_row)->Name("VrfProve/scalar")->ArgName("batch")->Arg(1)->Arg(8)->Arg(64);
BENCHMARK(verify_row)->Name("VrfVerify/scalar")->ArgName("batch")->Arg(1)->Arg(8)->Arg(64);
BENCHMARK(fp2_mul_row)->Name("Fp2Mul/scalar");
BENCHMARK(scalar_mul_row)->Name("ScalarMulVar/scalar");
BENCHMARK(fixed_base_row)->Name("FixedBase/scalar");
BENCHMARK(hash_to_curve_row)->Name("HashToCurve/scalar");
BENCHMARK(blake2b_portable_row)->Name("Blake2bBlock/portable");
BENCHMARK(blake2b_libb2_row)->Name("Blake2bBlock/libb2");

}  // namespace
}  // namespace optiks::vrf

BENCHMARK_MAIN();
