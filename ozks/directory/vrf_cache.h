// VrfCache: labels and proofs of recent VRF inputs, bounded by bytes. A proof costs tens of microseconds, a hit one
// memory access. Set-associative: a set is eight entries, replaced by second chance.
//
// Thread safety: any thread; a shard's lock is held for one look-up or one insertion.
// Entries are found by a keyed hash of the input (structure, period, key, version), so the cache holds no names, and
// nobody outside can choose names that collide. Labels and proofs are not secret, but which ones are here says who was
// looked up.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "key_table.h"
#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks {

struct Proven {
  std::array<std::uint8_t, vrf::kLabelLen> label;
  std::array<std::uint8_t, vrf::kProofLen> proof;
};

class VrfCache {
 public:
  explicit VrfCache(std::uint64_t bytes);

  [[nodiscard]] bool find(const Tag& input, Proven& out);
  void put(const Tag& input, const Proven& proven);

  [[nodiscard]] std::uint64_t bytes() const { return num_sets_ * sizeof(Set); }
  [[nodiscard]] std::uint64_t hits() const { return hits_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t misses() const { return misses_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kWays = 8;
  static constexpr std::size_t kShards = 64;
  enum State : std::uint8_t { kEmpty, kIdle, kUsed };
  struct Entry {
    Tag input;
    Proven proven;
    std::uint8_t state = kEmpty;
  };
  static_assert(sizeof(Entry) == 128);
  struct Set {
    Entry entries[kWays];
  };

  Set& set_of(const Tag& input) { return sets_[base::load_le64(input.data() + 8) % num_sets_]; }
  std::mutex& lock_of(const Tag& input) { return locks_[(base::load_le64(input.data() + 8) % num_sets_) % kShards]; }

  std::size_t num_sets_;
  std::unique_ptr<Set[]> sets_;
  std::array<std::mutex, kShards> locks_;
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> misses_{0};
};

}  // namespace optiks::ozks
