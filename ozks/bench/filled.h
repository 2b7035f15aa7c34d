// Helpers of the benchmarks of linked mode: directories that are filled with keys, and lookups of these keys.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench_support.h"
#include "optiks/base/bytes.h"
#include "optiks/optiks.h"

namespace optiks::ozks::bench {

inline constexpr std::size_t kBatch = 1024;
inline constexpr std::uint8_t kKeys = OPTIKS_KEYS;

// The number of keys, spread over the whole directory, whose VRF proofs are cached. Each key has two proofs, and almost
// all of these proofs fit into the cache.
inline constexpr std::size_t kCachedKeys = std::size_t{1} << 20;
inline constexpr std::uint64_t kCacheBytes = std::uint64_t{1} << 30;

// A directory with the keys whose names are the numbers from 0 to `Size::keys` - 1. Each key has one version.
class Filled {
 public:
  struct Size {
    std::size_t keys;
    std::uint64_t cache_bytes;
    unsigned threads;
    auto operator<=>(const Size&) const = default;
  };

  explicit Filled(const Size& size);
  Filled(const Filled&) = delete;
  Filled& operator=(const Filled&) = delete;
  ~Filled();

  [[nodiscard]] optiks_dir_t* dir() const { return dir_; }
  [[nodiscard]] std::size_t num_keys() const { return num_keys_; }
  [[nodiscard]] std::uint64_t next_epoch() const { return epoch_ + 1; }
  [[nodiscard]] optiks_dir_stats_t stats() const;
  // Returns the first of kBatch consecutive numbers that are not names of keys in the directory.
  [[nodiscard]] std::uint64_t fresh_keys() { return next_key_ += kBatch; }

  [[nodiscard]] std::vector<optiks_leaf_t> prepare(const Updates& updates) const {
    return bench::prepare(dir_, next_epoch(), updates);
  }
  [[nodiscard]] optiks_staged_t* stage(const std::vector<optiks_leaf_t>& rows, const Updates& updates, bool proofs) {
    return bench::stage(dir_, next_epoch(), rows, updates, proofs);
  }
  void commit(optiks_staged_t* staged) {
    require(optiks_staged_commit(staged));
    ++epoch_;
  }

  void report(benchmark::State& state) const;

 private:
  std::size_t num_keys_;
  std::filesystem::path path_;
  optiks_dir_t* dir_ = nullptr;
  std::uint64_t epoch_ = 0;
  std::uint64_t next_key_ = std::uint64_t{1} << 40;
};

// Returns the directory of this size. The first call for a size fills the directory; later calls return the same
// object.
[[nodiscard]] Filled& filled(const Filled::Size& size);

// Looks up keys in one view of a directory. Each key has one version, so each lookup has a membership and a
// non-membership proof.
class Asker {
 public:
  // `most`: the maximum number of keys in one lookup.
  Asker(const Filled& directory, std::size_t most);
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  ~Asker() { optiks_view_destroy(view_); }

  // Sets the i-th key of the next lookup.
  void set_key(std::size_t i, std::uint64_t key) { base::store_be64(keys_.data() + kKeyLen * i, key); }
  // Takes a new view, of the directory's current epoch, and drops the previous view.
  void renew();
  // Looks up the first `n` keys that set_key() set. The result is valid until the next lookup.
  [[nodiscard]] base::ByteSpan lookup(std::size_t n);
  // Looks up one key.
  [[nodiscard]] base::ByteSpan lookup_one(std::uint64_t key) {
    set_key(0, key);
    return lookup(1);
  }
  // Looks up `num_keys` keys, whose numbers are `step` apart. Afterwards the proofs of these keys are cached.
  void warm(std::size_t num_keys, std::size_t step);
  [[nodiscard]] States states(std::uint64_t* epoch = nullptr) const;

 private:
  const Filled& directory_;
  optiks_view_t* view_ = nullptr;
  std::vector<std::uint8_t> keys_;
  std::vector<std::uint64_t> key_offsets_;
  std::vector<std::uint64_t> none_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint8_t> out_;
};

// Measures epochs alternately on one thread and on two threads (in_turn_bench.cc).
void insert_in_turn(benchmark::State& state, std::size_t keys, bool with_proof);
// Measures the lookups of a reader while epochs are committed (reader_bench.cc).
void reader_during_epochs(benchmark::State& state, std::size_t keys);

}  // namespace optiks::ozks::bench
