// Measures the time of an epoch, alternately on one thread and on two threads. It also measures the best speedup that
// the machine allows at that time, because on a shared host the best speedup changes within minutes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench_support.h"
#include "filled.h"
#include "optiks/vrf/ecvrf.h"
#include "util/parallel.h"

namespace optiks::ozks::bench {
namespace {

double milliseconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// On each of several threads, computes as many VRF labels as an epoch has. The threads share no data, so their speedup
// is an upper bound for the speedup of an epoch.
class Yardstick {
 public:
  Yardstick() {
    for (std::size_t i = 0; i < kBatch; ++i) {
      alphas_.insert(alphas_.end(), {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8)});
      ends_.push_back(alphas_.size());
    }
  }

  double measure(std::size_t threads) {
    // This first run wakes the threads up, so that the measurement does not include the time to wake up.
    run(threads);
    return milliseconds([&] { run(threads); });
  }

 private:
  void run(std::size_t threads) {
    workers_.for_each_index(threads, [&](std::size_t i) {
      vrf::evaluate_batch(key_, {alphas_, ends_}, labels_[i]);
      benchmark::DoNotOptimize(labels_[i].data());
    });
  }

  static vrf::SecretKey some_key() {
    std::array<std::uint8_t, vrf::kSecretKeyLen> secret{1};
    auto key = vrf::SecretKey::load(secret);
    require(key.ok() ? OPTIKS_OK : OPTIKS_E_KEY);
    return std::move(key).value();
  }

  Workers workers_{2};
  vrf::SecretKey key_ = some_key();
  std::vector<std::uint8_t> alphas_;
  std::vector<std::size_t> ends_{0};
  std::array<std::vector<std::uint8_t>, 2> labels_{std::vector<std::uint8_t>(kBatch * vrf::kLabelLen),
                                                   std::vector<std::uint8_t>(kBatch* vrf::kLabelLen)};
};

}  // namespace

// The counters report two quantiles, the fastest tenth (`tenth_`) and the median (`median_`). For each quantile they
// report the milliseconds of an epoch on one thread and on two threads, the speedup, and the Yardstick's speedup
// (`_most`).
void insert_in_turn(benchmark::State& state, std::size_t keys, bool with_proof) {
  Filled* const directories[2] = {&filled({keys, 0, 1}), &filled({keys, 0, 2})};
  Yardstick yardstick;
  std::vector<double> times[2];
  std::vector<double> apart[2];
  for (auto _ : state) {
    for (std::size_t i = 0; i < 2; ++i) {
      Filled& directory = *directories[i];
      const Updates updates(directory.fresh_keys(), kBatch);
      times[i].push_back(
          milliseconds([&] { directory.commit(directory.stage(directory.prepare(updates), updates, with_proof)); }));
      apart[i].push_back(yardstick.measure(i + 1));
    }
  }
  for (std::vector<double>* all : {&times[0], &times[1], &apart[0], &apart[1]}) {
    std::ranges::sort(*all);
  }
  const auto report = [&](const std::string& name, std::size_t at) {
    state.counters[name + "_1_ms"] = times[0][at];
    state.counters[name + "_2_ms"] = times[1][at];
    state.counters[name + "_ratio"] = times[0][at] / times[1][at];
    state.counters[name + "_most"] = 2 * apart[0][at] / apart[1][at];
  };
  report("tenth", times[0].size() / 10);
  report("median", times[0].size() / 2);
}

}  // namespace optiks::ozks::bench
