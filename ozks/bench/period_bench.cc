// Micro-benchmarks of the switch to the next period through the C ABI. They measure preparing, loading and replacing
// copies. They also measure the period's first epoch, which must not take longer with many copies than with few. For
// comparison, they measure preparing the rows of an epoch that has as many keys as there are copies.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench_support.h"
#include "made_up_rows.h"
#include "optiks/optiks.h"
#include "process_memory.h"

namespace optiks::ozks {
namespace {

using bench::require;

constexpr std::size_t kPrepareBatch = 4096;
constexpr std::size_t kLoadBatch = std::size_t{1} << 14;
constexpr std::size_t kChangeBatch = 1024;

optiks_dir_options_t next_options(unsigned threads) {
  optiks_dir_options_t options = bench::options(0);
  options.period = 1;
  options.threads = threads;
  return options;
}

// A directory whose period has not begun, and `num_copies` rows of copies with made-up labels.
class Next {
 public:
  Next(std::size_t num_copies, unsigned threads) {
    const optiks_dir_options_t options = next_options(threads);
    require(optiks_dir_create(&options, &dir_));
    rows_.resize(num_copies);
    for (std::size_t first = 0; first < num_copies; first += kLoadBatch) {
      bench::make_up(std::span(rows_).subspan(first, kLoadBatch), 0, value_, random_);
    }
  }
  Next(const Next&) = delete;
  Next& operator=(const Next&) = delete;
  ~Next() { optiks_dir_destroy(dir_); }

  [[nodiscard]] optiks_dir_t* dir() const { return dir_; }
  void load(std::size_t first, std::size_t size) {
    require(optiks_dir_load_copies(dir_, rows_.data() + first, size, value_.data(), value_.size()));
  }
  void load_all() {
    for (std::size_t first = 0; first < rows_.size(); first += kLoadBatch) {
      load(first, kLoadBatch);
    }
  }

 private:
  optiks_dir_t* dir_ = nullptr;
  bench::Random random_;
  std::vector<std::uint8_t> value_ = std::vector<std::uint8_t>(bench::kValueLen, 7);
  std::vector<optiks_leaf_t> rows_;
};

// Measures preparing copies, which includes making VRF labels, tags, openings and commitments.
void prepare_copies(benchmark::State& state, unsigned threads) {
  const optiks_dir_options_t options = next_options(threads);
  optiks_dir_t* dir = nullptr;
  require(optiks_dir_create(&options, &dir));
  const bench::Updates keys(0, kPrepareBatch);
  const std::vector<std::uint64_t> versions(kPrepareBatch, 1);
  std::vector<optiks_leaf_t> rows(kPrepareBatch);
  for (auto _ : state) {
    require(optiks_dir_prepare_copies(dir, rows.size(), keys.structures.data(), keys.keys.data(),
                                      keys.key_offsets.data(), versions.data(), keys.values.data(),
                                      keys.value_offsets.data(), rows.data()));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kPrepareBatch));
  optiks_dir_destroy(dir);
}

// For comparison with prepare_copies(), measures preparing the rows of an epoch that has as many new keys as there are
// copies.
void prepare_epoch(benchmark::State& state, unsigned threads) {
  optiks_dir_options_t options = bench::options(0);
  options.threads = threads;
  optiks_dir_t* dir = nullptr;
  require(optiks_dir_create(&options, &dir));
  const bench::Updates keys(0, kPrepareBatch);
  for (auto _ : state) {
    benchmark::DoNotOptimize(bench::prepare(dir, 1, keys));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kPrepareBatch));
  optiks_dir_destroy(dir);
}

void load_copies(benchmark::State& state, std::size_t num_copies, unsigned threads) {
  double memory = 0;
  double tables = 0;
  for (auto _ : state) {
    state.PauseTiming();
    {
      Next next(num_copies, threads);
      const std::uint64_t before = bench::anonymous_bytes();
      state.ResumeTiming();
      next.load_all();
      state.PauseTiming();
      memory = static_cast<double>(bench::anonymous_bytes() - before);
      optiks_dir_stats_t stats{};
      require(optiks_dir_stats(next.dir(), &stats));
      tables = static_cast<double>(stats.tree_bytes + stats.key_table_bytes);
    }
    state.ResumeTiming();
  }
  const auto copies = static_cast<double>(num_copies);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * num_copies));
  state.counters["bytes_a_copy"] = tables / copies;
  state.counters["anonymous_bytes_a_copy"] = memory / copies;
}

// Measures replacing copies, which includes erasing the values of the replaced copies.
void supersede(benchmark::State& state, std::size_t num_copies) {
  Next next(num_copies, 1);
  next.load_all();
  std::size_t first = 0;
  for (auto _ : state) {
    next.load(first, kChangeBatch);
    first = (first + kChangeBatch) % num_copies;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kChangeBatch));
}

// Measures staging the period's first epoch and discarding it again.
void start_period(benchmark::State& state, std::size_t num_copies) {
  Next next(num_copies, 1);
  next.load_all();
  for (auto _ : state) {
    optiks_staged_t* staged = nullptr;
    require(optiks_dir_start_period(next.dir(), 1, nullptr, 0, nullptr, 0, 1, &staged));
    optiks_staged_destroy(staged);
  }
}

template <typename Function, typename... Arguments>
void add(const std::string& name, Function function, Arguments... arguments) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { function(state, arguments...); })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

void add_all() {
  for (const unsigned threads : {1U, 2U}) {
    const std::string suffix = "/threads:" + std::to_string(threads);
    add("PrepareCopies4096" + suffix, prepare_copies, threads);
    add("PrepareEpoch4096" + suffix, prepare_epoch, threads);
  }
  for (const std::size_t copies : {std::size_t{1} << 16, std::size_t{1} << 18, std::size_t{1} << 20}) {
    const std::string suffix = "/copies:" + std::to_string(copies);
    for (const unsigned threads : {1U, 2U}) {
      add("LoadCopies" + suffix + "/threads:" + std::to_string(threads), load_copies, copies, threads);
    }
    add("Supersede1024" + suffix, supersede, copies);
    add("StartPeriod" + suffix, start_period, copies);
  }
}

}  // namespace
}  // namespace optiks::ozks

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  optiks::ozks::add_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
