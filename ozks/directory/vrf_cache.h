// VrfCache: labels and proofs of recent VRF inputs, bounded by bytes. A proof costs tens of microseconds, a hit one
// memory access. Set-associative: a set is eight entries, replaced by second chance.
//
// Thread safety: any thread, without locks; no thread waits. Each entry is a sequence lock: its sequence is odd while
// it is being written. A reader that meets a write misses; a writer that meets another writer writes nothing. All
// accesses to an entry's words are atomic, so the sequence reveals a torn read, and there is no data race.
//
// Entries are found by the key's tag and the version (a directory has one period). So the cache holds no names, and
// nobody outside can choose names that collide. Labels and proofs are not secret, but the set of cached ones shows who
// was looked up.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "leaves/leaf_log.h"
#include "optiks/vrf/ecvrf.h"
#include "trie/memory_pages.h"

namespace optiks::ozks {

struct Proven {
  std::array<std::uint8_t, vrf::kLabelLen> label;
  std::array<std::uint8_t, vrf::kProofLen> proof;
};

// Returns the cache's identifier of a VRF input: a version of the key with this tag. Two inputs share an identifier
// only if the tags of their keys agree in half of their bits and almost agree in the other half. Tags are keyed hashes.
[[nodiscard]] inline Tag input_of(const Tag& key, std::uint64_t version) {
  Tag input = key;
  base::store_le64(input.data() + 8, base::load_le64(key.data() + 8) + version);
  return input;
}

class VrfCache {
 public:
  // `bytes`: the maximum memory; if it is less than one set, nothing is cached. The memory is touched when it is first
  // used.
  explicit VrfCache(std::uint64_t bytes);

  // Touches more of the memory in advance, so that its first users need not wait for the system to allocate it. One
  // thread, while no thread uses the cache.
  void touch_some();

  // Writes `out` and returns true if the input is cached. The caller reports hits and misses by count().
  [[nodiscard]] bool find(const Tag& input, Proven& out);
  void put(const Tag& input, const Proven& proven);
  // Prefetch the memory that find() reads. Call prefetch() first; when that memory has arrived, prefetch_entry()
  // prefetches the entry.
  void prefetch(const Tag& input) const;
  void prefetch_entry(const Tag& input) const;

  // Counts the proofs of answers: `hits` were found in the cache, `misses` had to be made. `input`: the input of one of
  // these proofs.
  void count(const Tag& input, std::size_t hits, std::size_t misses);

  [[nodiscard]] std::uint64_t bytes() const { return sets_.size() * sizeof(Set); }
  [[nodiscard]] std::uint64_t hits() const { return sum(&Counters::hits); }
  [[nodiscard]] std::uint64_t misses() const { return sum(&Counters::misses); }

 private:
  static constexpr std::size_t kWays = 8;
  static constexpr std::size_t kWords = 16;
  using Word = std::atomic<std::uint64_t>;
  struct Content {
    Tag input;
    Proven proven;
    std::uint8_t padding;
  };
  static_assert(sizeof(Content) == kWords * sizeof(std::uint64_t));

  // A zeroed set is an empty set. The fields that select the entry to read fill one cache line.
  struct alignas(64) Set {
    std::array<std::atomic<std::uint32_t>, kWays> sequence;  // 0: never written
    // Fingerprint of the entry's input; only a hint, because it is read without the sequence.
    std::array<std::atomic<std::uint16_t>, kWays> print;
    std::array<std::atomic<std::uint8_t>, kWays> used;  // whether it was used since the hand last passed
    std::atomic<std::uint8_t> hand;                     // where the search for an entry to replace continues
    alignas(64) std::array<std::array<Word, kWords>, kWays> words;
  };
  // Counters that threads rarely share.
  struct alignas(64) Counters {
    Word hits{0};
    Word misses{0};
  };
  static constexpr std::size_t kNumCounters = 16;

  [[nodiscard]] Set& set_of(const Tag& input) const { return sets_[base::load_le64(input.data() + 8) % sets_.size()]; }
  [[nodiscard]] static bool read(const Set& set, std::size_t way, Content& out);
  [[nodiscard]] static bool may_hold(const Set& set, std::size_t way, const Tag& input);
  [[nodiscard]] static std::size_t victim(Set& set);
  static void write(Set& set, std::size_t way, const Content& content);
  [[nodiscard]] std::uint64_t sum(Word Counters::*counter) const;

  PageArray<Set> sets_;
  std::size_t touched_ = 0;  // number of sets that were touched
  std::array<Counters, kNumCounters> counters_;
};

}  // namespace optiks::ozks
