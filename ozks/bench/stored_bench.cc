// Micro-benchmarks of stored mode (docs/measurements/stored-mode.md) through the C ABI. The node cache has 64 MiB,
// which is less than the trees. All keys have VRF labels and can be looked up, so lookups are spread over the whole
// tree.
//
// The environment variable OPTIKS_BENCH_FOLDER names a folder on a disk. The benchmark makes its stores there and keeps
// them for the next run. Without this variable, the benchmark makes the stores in the system's folder for temporary
// files and removes them at the end.
#include <benchmark/benchmark.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench_support.h"
#include "optiks/base/bytes.h"
#include "optiks/optiks.h"
#include "process_memory.h"

namespace optiks::ozks {
namespace {

using bench::require;
using bench::Updates;
using bench::write_lookups;

constexpr std::size_t kBatch = 1024;
constexpr std::size_t kLookupBatch = 16;
constexpr std::uint64_t kNodeCacheBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kVrfCacheBytes = std::uint64_t{64} << 20;
// The number of keys whose VRF proofs are cached. The VRF cache has room for the two proofs of each key. The leaves of
// these keys are on more pages than the node cache has room for.
constexpr std::size_t kCachedKeys = std::size_t{1} << 17;
// The number of leaves in an epoch while a store is filled.
constexpr std::size_t kFillBatch = std::size_t{1} << 19;

class Filled {
 public:
  explicit Filled(std::size_t keys) {
    const char* kept = std::getenv("OPTIKS_BENCH_FOLDER");
    is_kept_ = kept != nullptr;
    folder_ = is_kept_ ? std::filesystem::path(kept) / ("stored-" + std::to_string(keys))
                       : std::filesystem::temp_directory_path() /
                             ("ozks_stored_bench-" + std::to_string(getpid()) + "-" + std::to_string(keys));
    std::filesystem::create_directories(folder_);
    optiks_dir_options_t options = bench::options(kVrfCacheBytes);
    const std::string log = folder_ / "leaves";
    const std::string nodes = folder_ / "nodes";
    options.leaf_log_path = log.c_str();
    options.node_store_path = nodes.c_str();
    options.node_cache_bytes = kNodeCacheBytes;
    require(optiks_dir_create(&options, &dir_));
    while (stats().leaves < keys) {
      const std::size_t n = std::min<std::size_t>(kFillBatch, keys - stats().leaves);
      const Updates updates(stats().leaves, n);
      commit(stage(prepare(updates), updates));
      std::fprintf(stderr, "%llu keys\n", static_cast<unsigned long long>(stats().leaves));
    }
  }
  Filled(const Filled&) = delete;
  Filled& operator=(const Filled&) = delete;
  ~Filled() {
    optiks_dir_destroy(dir_);
    if (!is_kept_) {
      std::filesystem::remove_all(folder_);
    }
  }

  [[nodiscard]] optiks_dir_t* dir() const { return dir_; }
  [[nodiscard]] optiks_dir_stats_t stats() const {
    optiks_dir_stats_t out{};
    require(optiks_dir_stats(dir_, &out));
    return out;
  }
  [[nodiscard]] std::vector<optiks_leaf_t> prepare(const Updates& updates) const {
    return bench::prepare(dir_, stats().epoch + 1, updates);
  }
  [[nodiscard]] optiks_staged_t* stage(const std::vector<optiks_leaf_t>& rows, const Updates& updates) {
    return bench::stage(dir_, stats().epoch + 1, rows, updates, false);
  }
  void commit(optiks_staged_t* staged) { require(optiks_staged_commit(staged)); }

  void report(benchmark::State& state) const {
    const optiks_dir_stats_t now = stats();
    const auto leaves = static_cast<double>(now.leaves);
    state.counters["bytes"] = static_cast<double>(now.tree_bytes);
    state.counters["bytes_per_key"] = static_cast<double>(now.tree_bytes) / leaves;
    state.counters["disk_bytes_per_key"] = static_cast<double>(now.node_store_bytes) / leaves;
    state.counters["anonymous_bytes"] = static_cast<double>(bench::anonymous_bytes());
  }

 private:
  std::filesystem::path folder_;
  bool is_kept_;
  optiks_dir_t* dir_ = nullptr;
};

Filled& filled(std::size_t keys) {
  static std::map<std::size_t, std::unique_ptr<Filled>> all;
  auto& one = all[keys];
  if (!one) {
    one = std::make_unique<Filled>(keys);
  }
  return *one;
}

// Measures an epoch of 1,024 new keys until the epoch is on disk. No append-only proof is measured, because stored mode
// makes none.
void insert(benchmark::State& state, std::size_t keys, bool tree_only) {
  Filled& directory = filled(keys);
  for (auto _ : state) {
    if (tree_only) {
      state.PauseTiming();
    }
    const Updates updates(directory.stats().leaves, kBatch);
    const auto rows = directory.prepare(updates);
    if (tree_only) {
      state.ResumeTiming();
    }
    directory.commit(directory.stage(rows, updates));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
  directory.report(state);
}

// Measures lookups of keys with one version, spread over the whole tree. Each call looks up `at_once` keys.
void prove(benchmark::State& state, std::size_t keys, bool cached, std::size_t at_once) {
  const Filled& directory = filled(keys);
  optiks_view_t* view = nullptr;
  require(optiks_dir_view(directory.dir(), &view));
  std::vector<std::uint8_t> names(8 * at_once);
  std::vector<std::uint64_t> offsets(at_once + 1);
  const std::vector<std::uint64_t> none(at_once);
  std::vector<std::uint64_t> ends(at_once);
  for (std::size_t i = 0; i <= at_once; ++i) {
    offsets[i] = 8 * i;
  }
  std::vector<std::uint8_t> out(std::size_t{1} << 16);
  std::size_t len = 0;
  std::mt19937_64 random(1);
  const std::size_t stride = keys / kCachedKeys;
  const auto lookup = [&](auto number) {
    for (std::size_t i = 0; i < at_once; ++i) {
      base::store_be64(names.data() + 8 * i, number(i));
    }
    len = write_lookups(view, at_once, names.data(), offsets.data(), none.data(), out, ends.data());
  };
  const auto any = [&](std::size_t) { return cached ? random() % kCachedKeys * stride : random() % keys; };
  for (std::size_t first = 0; cached && first < kCachedKeys; first += at_once) {
    lookup([&](std::size_t i) { return (first + i) * stride; });
  }
  const optiks_dir_stats_t before = directory.stats();
  for (auto _ : state) {
    lookup(any);
  }
  const optiks_dir_stats_t after = directory.stats();
  const auto num_lookups = static_cast<double>(state.iterations()) * static_cast<double>(at_once);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(at_once));
  state.counters["answer_bytes"] = static_cast<double>(len) / static_cast<double>(at_once);
  state.counters["pages"] = static_cast<double>(after.node_cache_hits + after.node_cache_misses -
                                                before.node_cache_hits - before.node_cache_misses) /
                            num_lookups;
  state.counters["pages_read"] = static_cast<double>(after.node_cache_misses - before.node_cache_misses) / num_lookups;
  directory.report(state);
  optiks_view_destroy(view);
}

void add_all() {
  const auto add = [](const std::string& name, const auto& run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMicrosecond);
  };
  for (const std::size_t keys : {std::size_t{1} << 20, std::size_t{1} << 22}) {
    const std::string with_keys = "keys:" + std::to_string(keys);
    add("Prove/stored/cached/" + with_keys, [=](benchmark::State& state) { prove(state, keys, true, 1); });
    add("Prove/stored/batched/" + with_keys, [=](benchmark::State& state) { prove(state, keys, true, kLookupBatch); });
    add("Prove/stored/uncached/" + with_keys, [=](benchmark::State& state) { prove(state, keys, false, 1); });
    add("Insert1024/stored/" + with_keys + "/threads:1", [=](benchmark::State& state) { insert(state, keys, false); });
    add("Insert1024TreeOnly/stored/" + with_keys + "/threads:1",
        [=](benchmark::State& state) { insert(state, keys, true); });
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
