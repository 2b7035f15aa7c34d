// What the benchmarks of linked mode share: directories full of keys that can be looked up, and lookups of them.
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

// Keys, spread over all of a directory, whose VRF proofs are cached: two each, and of so many entries that almost every
// one has its place.
inline constexpr std::size_t kCachedKeys = std::size_t{1} << 20;
inline constexpr std::uint64_t kCacheBytes = std::uint64_t{1} << 30;

// A directory of the keys 0..keys-1 with one version each.
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
  // Names for kBatch keys that are not there.
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

// The one of this size, which is filled when it is first wanted and kept.
[[nodiscard]] Filled& filled(const Filled::Size& size);

// Asker: lookups of keys with one version, a membership and a non-membership proof each, from one snapshot.
class Asker {
 public:
  // At most `most` at once.
  Asker(const Filled& directory, std::size_t most);
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  ~Asker() { optiks_view_destroy(view_); }

  // The i-th key that the next lookup asks for.
  void set_key(std::size_t i, std::uint64_t key) { base::store_be64(keys_.data() + kKeyLen * i, key); }
  // Takes the directory's current snapshot in place of the one it had.
  void renew();
  // Of the first n keys. Valid until the next one.
  [[nodiscard]] base::ByteSpan lookup(std::size_t n);
  // Of one key.
  [[nodiscard]] base::ByteSpan lookup_one(std::uint64_t key) {
    set_key(0, key);
    return lookup(1);
  }
  // Looks up every step-th key, so that its proofs are cached.
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

// An epoch on one thread and on two in turn: in_turn_bench.cc.
void insert_in_turn(benchmark::State& state, std::size_t keys, bool with_proof);
// Readers of a directory while epochs land: reader_bench.cc.
void reader_during_epochs(benchmark::State& state, std::size_t keys);

}  // namespace optiks::ozks::bench
