// Measures the latency of lookups while an epoch is staged and committed, and between epochs. One reader looks up keys
// all the time without a pause.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "filled.h"
#include "made_up_rows.h"
#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/lookup.h"
#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kEpochs = 200;
constexpr std::chrono::milliseconds kInterval(30);
// The benchmark keeps one of every kSampled answers, and verifies the kept answers at the end.
constexpr std::size_t kSampled = 256;

// A histogram of latencies in nanoseconds. Each bar is 16 nanoseconds wide.
class Latencies {
 public:
  void add(std::chrono::nanoseconds latency) {
    const auto step = static_cast<std::size_t>(latency.count()) / kStep;
    ++counts_[std::min(step, counts_.size() - 1)];
    ++total_;
  }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  // Returns the latency in microseconds that `of_1000` of 1,000 lookups did not exceed.
  [[nodiscard]] double quantile(std::uint64_t of_1000) const {
    std::uint64_t below = 0;
    std::size_t step = 0;
    while (step + 1 < counts_.size() && (below += counts_[step]) * 1000 < total_ * of_1000) {
      ++step;
    }
    return static_cast<double>((step + 1) * kStep) / 1000;
  }

 private:
  static constexpr std::size_t kStep = 16;
  // The histogram reaches to slightly more than a millisecond.
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(std::size_t{1} << 16);
  std::uint64_t total_ = 0;
};

// An answer that the benchmark keeps, to verify it at the end.
struct Answer {
  std::uint64_t epoch;
  std::uint64_t key;
  std::vector<std::uint8_t> octets;
};

// True if the verifier accepts the answer against the epoch's states, and finds that the key has version 1.
bool is_valid(const Answer& answer, const States& states) {
  verify::EpochRecord record;
  record.epoch = answer.epoch;
  verify::Reader reader(states);
  for (verify::StructureState& state : record.structures) {
    state = verify::StructureState::decode(reader);
  }
  vrf::PublicKey public_key;
  verify::Lookup lookup;
  if (verify::read_vrf_key(record, kKeys, public_key) != verify::Reason::kValid ||
      verify::decode_whole(base::ByteSpan(answer.octets), lookup) != verify::Reason::kValid) {
    return false;
  }
  const verify::StructureView view = structure_view(record, kKeys, public_key, options(0).max_value_len);
  std::array<std::uint8_t, kKeyLen> name{};
  base::store_be64(name.data(), answer.key);
  verify::LookupResult result;
  return verify::verify_lookup(view, name, {}, lookup, result) == verify::Reason::kValid && result.version == 1;
}

}  // namespace

void reader_during_epochs(benchmark::State& state, std::size_t keys) {
  Filled& directory = filled({keys, kCacheBytes, 1});
  const std::size_t step = keys / kCachedKeys;
  Asker asker(directory, 1);
  asker.warm(kCachedKeys, step);

  // The epochs are prepared before the measurement, so that the writer only stages and commits, as a replica does.
  const std::uint64_t first_epoch = directory.next_epoch();
  const std::vector<std::uint8_t> value(kValueLen, 7);
  Random random_rows;
  std::vector<std::vector<optiks_leaf_t>> epochs(kEpochs, std::vector<optiks_leaf_t>(kBatch));
  for (std::size_t i = 0; i < kEpochs; ++i) {
    make_up(epochs[i], first_epoch + i, value, random_rows);
  }
  Updates values(0, 0);
  values.values = value;
  std::map<std::uint64_t, States> records;
  records.emplace(first_epoch - 1, asker.states());

  std::atomic<bool> is_landing = false;
  std::atomic<bool> is_done = false;
  Latencies during;
  Latencies between;
  std::vector<Answer> sample;
  double landing_seconds = 0;
  // The loop runs once, because one iteration takes longer than the usual minimum time of a benchmark.
  for (auto _ : state) {
    std::thread writer([&] {
      for (const std::vector<optiks_leaf_t>& rows : epochs) {
        std::this_thread::sleep_for(kInterval);
        const auto start = Clock::now();
        is_landing = true;
        optiks_staged_t* const staged = directory.stage(rows, values, false);
        States states{};
        require(optiks_staged_states(staged, states.data()));
        directory.commit(staged);
        is_landing = false;
        landing_seconds += std::chrono::duration<double>(Clock::now() - start).count();
        records.emplace(directory.next_epoch() - 1, states);
      }
      is_done = true;
    });
    std::mt19937_64 random(1);
    for (std::size_t i = 0; !is_done; ++i) {
      const std::uint64_t key = random() % kCachedKeys * step;
      const bool began_landing = is_landing;
      const auto start = Clock::now();
      asker.renew();
      const base::ByteSpan answer = asker.lookup_one(key);
      const auto latency = Clock::now() - start;
      (began_landing || is_landing ? during : between).add(latency);
      if (i % kSampled == 0) {
        Answer& kept = sample.emplace_back(Answer{0, key, {answer.begin(), answer.end()}});
        static_cast<void>(asker.states(&kept.epoch));
      }
    }
    writer.join();
  }
  for (const Answer& answer : sample) {
    if (!is_valid(answer, records.at(answer.epoch))) {
      state.SkipWithError("an answer does not verify against its epoch");
      return;
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(during.total() + between.total()));
  state.counters["answers_during"] = static_cast<double>(during.total());
  state.counters["answers_between"] = static_cast<double>(between.total());
  state.counters["answers_verified"] = static_cast<double>(sample.size());
  state.counters["landing_us"] = 1e6 * landing_seconds / kEpochs;
  for (const auto& [name, latencies] : {std::pair("during", &during), std::pair("between", &between)}) {
    state.counters[std::string("p50_us_") + name] = latencies->quantile(500);
    state.counters[std::string("p99_us_") + name] = latencies->quantile(990);
    state.counters[std::string("p999_us_") + name] = latencies->quantile(999);
  }
  state.counters["p99_ratio"] = during.quantile(990) / between.quantile(990);
}

}  // namespace optiks::ozks::bench
