#include "filled.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>

namespace optiks::ozks::bench {
namespace {

// The number of keys that one load call takes while a directory is filled.
constexpr std::size_t kLoadBatch = std::size_t{1} << 18;
// The buffer's size for one key's answer. In a directory of 2^20 keys, an answer about a key with one version has 1,700
// octets.
constexpr std::size_t kMaxAnswerLen = 4096;
// The number of keys in each lookup call that fills the cache.
constexpr std::size_t kWarmBatch = 64;

}  // namespace

Filled::Filled(const Size& size)
    : num_keys_(size.keys),
      path_(std::filesystem::temp_directory_path() /
            ("ozks_bench-" + std::to_string(getpid()) + "-" + std::to_string(size.keys) + "-" +
             std::to_string(size.cache_bytes) + "-" + std::to_string(size.threads))) {
  optiks_dir_options_t options = bench::options(size.cache_bytes);
  options.threads = size.threads;
  const std::string path = path_;
  options.leaf_log_path = path.c_str();
  require(optiks_dir_create(&options, &dir_));
  for (std::size_t first = 0; first < size.keys; first += kLoadBatch) {
    const Updates updates(first, std::min(kLoadBatch, size.keys - first));
    const std::vector<optiks_leaf_t> rows = prepare(updates);
    require(optiks_dir_load(dir_, ++epoch_, rows.data(), rows.size(), updates.values.data(), updates.values.size()));
  }
}

Filled::~Filled() {
  optiks_dir_destroy(dir_);
  std::filesystem::remove(path_);
}

optiks_dir_stats_t Filled::stats() const {
  optiks_dir_stats_t out{};
  require(optiks_dir_stats(dir_, &out));
  return out;
}

void Filled::report(benchmark::State& state) const {
  const optiks_dir_stats_t now = stats();
  const auto bytes = static_cast<double>(now.tree_bytes + now.key_table_bytes);
  state.counters["bytes"] = bytes;
  state.counters["bytes_per_key"] = bytes / static_cast<double>(now.leaves);
}

Filled& filled(const Filled::Size& size) {
  static std::map<Filled::Size, std::unique_ptr<Filled>> all;
  auto& one = all[size];
  if (!one) {
    one = std::make_unique<Filled>(size);
  }
  return *one;
}

Asker::Asker(const Filled& directory, std::size_t most)
    : directory_(directory),
      keys_(kKeyLen * most),
      key_offsets_(most + 1),
      none_(most),
      ends_(most),
      out_(kMaxAnswerLen * most) {
  for (std::size_t i = 0; i <= most; ++i) {
    key_offsets_[i] = kKeyLen * i;
  }
  renew();
}

void Asker::renew() {
  optiks_view_destroy(view_);
  view_ = nullptr;
  require(optiks_dir_view(directory_.dir(), &view_));
}

base::ByteSpan Asker::lookup(std::size_t n) {
  return std::span(out_).first(
      write_lookups(view_, n, keys_.data(), key_offsets_.data(), none_.data(), out_, ends_.data()));
}

void Asker::warm(std::size_t num_keys, std::size_t step) {
  Asker asker(directory_, kWarmBatch);
  for (std::size_t first = 0; first < num_keys; first += kWarmBatch) {
    const std::size_t n = std::min(kWarmBatch, num_keys - first);
    for (std::size_t i = 0; i < n; ++i) {
      asker.set_key(i, (first + i) * step);
    }
    benchmark::DoNotOptimize(asker.lookup(n).data());
  }
}

States Asker::states(std::uint64_t* epoch) const {
  States states{};
  std::uint64_t at = 0;
  require(optiks_view_states(view_, &at, states.data()));
  if (epoch != nullptr) {
    *epoch = at;
  }
  return states;
}

}  // namespace optiks::ozks::bench
