// VrfCache: a cache of bounded size for labels and proofs of recent VRF inputs. Making a proof takes tens of
// microseconds, but a cache hit takes one memory access. The cache is set-associative. A set has eight entries, and the
// second-chance algorithm selects the entry to replace.
//
// Thread safety: any thread may use the cache, without locks and without waiting. Each entry has a sequence lock: the
// sequence is odd while a thread writes the entry. If a reader finds an entry that is being written, the search is a
// miss. If a writer finds such an entry, it writes nothing. All accesses to an entry's words are atomic, so there is no
// data race, and the sequence shows a reader whether the words were changed meanwhile.
//
// The cache finds an entry by the key's tag and the version; a directory has only one period. So the cache holds no
// names, and an outsider cannot choose names whose entries collide. Labels and proofs are not secret, but the set of
// cached labels shows which keys were looked up.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "leaves/leaf_log.h"
#include "optiks/vrf/ecvrf.h"
#include "util/memory_pages.h"

namespace optiks::ozks {

struct Proven {
  std::array<std::uint8_t, vrf::kLabelLen> label;
  std::array<std::uint8_t, vrf::kProofLen> proof;
};

// Returns the number by which the cache identifies the VRF input for version `version` of the key with the tag `key`.
// Two different inputs get the same number only if the first halves of their tags are equal, and their second halves
// differ by exactly as much as their versions. This does not happen in practice, because tags are hashes under a secret
// key.
[[nodiscard]] inline Tag input_of(const Tag& key, std::uint64_t version) {
  Tag input = key;
  base::store_le64(input.data() + 8, base::load_le64(key.data() + 8) + version);
  return input;
}

class VrfCache {
 public:
  // `bytes`: the maximum memory. If it is less than the size of one set, the cache stays empty. The system allocates
  // the memory only when it is first touched.
  explicit VrfCache(std::uint64_t bytes);

  // Empties the cache for ever. Its memory stays until free(). Any thread may call this function.
  void end() { num_sets_.store(0); }
  // Frees the memory after end(). No call of another function that began before end() may still run.
  void free() { sets_ = PageArray<Set>(); }

  // Touches a further part of the memory, so that later calls need not wait for the system to allocate it. Only one
  // thread may call this function, and only while no other thread uses the cache.
  void touch_some();

  // If the input is cached, writes its label and proof to `out` and returns true. find() does not count hits and
  // misses: the caller reports them with count().
  [[nodiscard]] bool find(const Tag& input, Proven& out);
  void put(const Tag& input, const Proven& proven);
  // Both functions prefetch memory that find() reads. Call prefetch() first, for the set. When the set is in the
  // processor's cache, call prefetch_entry() for the entry.
  void prefetch(const Tag& input) const;
  void prefetch_entry(const Tag& input) const;

  // Counts the proofs of answers. find() found `hits` of them in the cache; `misses` had to be made. `input`: the input
  // of one of these proofs.
  void count(const Tag& input, std::size_t hits, std::size_t misses);

  [[nodiscard]] std::uint64_t bytes() const { return num_sets_.load(std::memory_order_relaxed) * sizeof(Set); }
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

  // A set of zeros is an empty set. All fields before `words` fit in one cache line; a search reads them to select the
  // entry.
  struct alignas(64) Set {
    std::array<std::atomic<std::uint32_t>, kWays> sequence;  // 0 if the entry was never written
    // A fingerprint of each entry's input. It is only a hint, because it is read without checking the sequence.
    std::array<std::atomic<std::uint16_t>, kWays> print;
    std::array<std::atomic<std::uint8_t>, kWays> used;  // 1 if used since the hand's last visit
    std::atomic<std::uint8_t> hand;                     // the entry that the hand visits next
    alignas(64) std::array<std::array<Word, kWords>, kWays> words;
  };
  // Counters of hits and misses. There are several Counters objects, so that threads rarely change the same one.
  struct alignas(64) Counters {
    Word hits{0};
    Word misses{0};
  };
  static constexpr std::size_t kNumCounters = 16;

  // Returns the set of the input, or null if the cache has no sets.
  [[nodiscard]] Set* set_of(const Tag& input) const {
    const std::size_t num_sets = num_sets_.load(std::memory_order_relaxed);
    return num_sets == 0 ? nullptr : &sets_[base::load_le64(input.data() + 8) % num_sets];
  }
  [[nodiscard]] static bool read(const Set& set, std::size_t way, Content& out);
  [[nodiscard]] static bool may_hold(const Set& set, std::size_t way, const Tag& input);
  [[nodiscard]] static std::size_t victim(Set& set);
  static void write(Set& set, std::size_t way, const Content& content);
  [[nodiscard]] std::uint64_t sum(Word Counters::*counter) const;

  PageArray<Set> sets_;
  std::atomic<std::size_t> num_sets_;  // 0 after end()
  std::size_t touched_ = 0;            // number of sets whose memory was touched
  std::array<Counters, kNumCounters> counters_;
};

}  // namespace optiks::ozks
