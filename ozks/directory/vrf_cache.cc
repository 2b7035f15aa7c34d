#include "directory/vrf_cache.h"

#include <algorithm>
#include <cstring>

#include "util/prefetch.h"

namespace optiks::ozks {

// These conditions make memory of zeros an atomic integer with the value 0, so a zeroed Set is an empty set.
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(std::atomic<std::uint64_t>) == 8);

namespace {

// The number of octets that one call of touch_some() touches. Touching them takes a few milliseconds.
constexpr std::size_t kTouchLen = std::size_t{8} << 20;

std::uint16_t print_of(const Tag& input) { return static_cast<std::uint16_t>(input[0] | (input[1] << 8)); }

}  // namespace

VrfCache::VrfCache(std::uint64_t bytes)
    : sets_(static_cast<std::size_t>(bytes / sizeof(Set))), num_sets_(sets_.size()) {}

void VrfCache::touch_some() {
  const std::size_t n = std::min(sets_.size() - touched_, kTouchLen / sizeof(Set));
  if (n != 0) {
    touch_pages(&sets_[touched_], n * sizeof(Set));
    touched_ += n;
  }
}

// Reads a consistent copy of an entry. Returns false if the entry is empty or being written.
bool VrfCache::read(const Set& set, std::size_t way, Content& out) {
  const std::uint32_t before = set.sequence[way].load(std::memory_order_acquire);
  if (before == 0 || before % 2 != 0) {
    return false;
  }
  std::array<std::uint64_t, kWords> words;
  for (std::size_t i = 0; i < kWords; ++i) {
    // With acquire order, a reader that sees a word of a later write also sees the odd sequence of that write, because
    // the reader loads the sequence again after the words.
    words[i] = set.words[way][i].load(std::memory_order_acquire);
  }
  if (set.sequence[way].load(std::memory_order_relaxed) != before) {
    return false;
  }
  std::memcpy(&out, words.data(), sizeof(out));
  return true;
}

// True if the entry may belong to the input. With this check a search reads only entries that may match.
bool VrfCache::may_hold(const Set& set, std::size_t way, const Tag& input) {
  return set.print[way].load(std::memory_order_relaxed) == print_of(input);
}

void VrfCache::write(Set& set, std::size_t way, const Content& content) {
  std::uint32_t before = set.sequence[way].load(std::memory_order_relaxed);
  if (before % 2 != 0 || !set.sequence[way].compare_exchange_strong(before, before + 1, std::memory_order_acquire)) {
    return;
  }
  std::array<std::uint64_t, kWords> words;
  std::memcpy(words.data(), &content, sizeof(content));
  for (std::size_t i = 0; i < kWords; ++i) {
    set.words[way][i].store(words[i], std::memory_order_release);
  }
  set.print[way].store(print_of(content.input), std::memory_order_relaxed);
  set.used[way].store(0, std::memory_order_relaxed);
  // Sequence 0 marks an entry that was never written, so the sequence skips 0.
  set.sequence[way].store(before + 2 == 0 ? 2 : before + 2, std::memory_order_release);
}

// Returns the entry to replace. The hand of the set visits the entries in turn, so a new entry stays for at least one
// round. An entry that was used since the last visit stays for another round. If two writers run this function at the
// same time, they may find the same entry; write() allows this.
std::size_t VrfCache::victim(Set& set) {
  std::size_t way = set.hand.load(std::memory_order_relaxed) % kWays;
  for (std::size_t i = 0; i < kWays && set.used[way].load(std::memory_order_relaxed) != 0; ++i) {
    set.used[way].store(0, std::memory_order_relaxed);
    way = (way + 1) % kWays;
  }
  set.hand.store(static_cast<std::uint8_t>((way + 1) % kWays), std::memory_order_relaxed);
  return way;
}

void VrfCache::prefetch(const Tag& input) const {
  __builtin_prefetch(set_of(input));  // prefetching a null pointer does nothing
}

void VrfCache::prefetch_entry(const Tag& input) const {
  const Set* const set = set_of(input);
  for (std::size_t way = 0; set != nullptr && way < kWays; ++way) {
    if (may_hold(*set, way, input)) {
      optiks::ozks::prefetch(&set->words[way], sizeof(set->words[way]));
    }
  }
}

bool VrfCache::find(const Tag& input, Proven& out) {
  Set* const at = set_of(input);
  if (at == nullptr) {
    return false;
  }
  Set& set = *at;
  Content content;
  for (std::size_t way = 0; way < kWays; ++way) {
    if (may_hold(set, way, input) && read(set, way, content) && content.input == input) {
      if (set.used[way].load(std::memory_order_relaxed) == 0) {
        set.used[way].store(1, std::memory_order_relaxed);
      }
      out = content.proven;
      return true;
    }
  }
  return false;
}

void VrfCache::put(const Tag& input, const Proven& proven) {
  Set* const at = set_of(input);
  if (at == nullptr) {
    return;
  }
  Set& set = *at;
  std::size_t way = 0;
  Content content;
  while (way < kWays && set.sequence[way].load(std::memory_order_relaxed) != 0 &&
         !(may_hold(set, way, input) && read(set, way, content) && content.input == input)) {
    ++way;
  }
  write(set, way == kWays ? victim(set) : way, {input, proven, 0});
}

void VrfCache::count(const Tag& input, std::size_t hits, std::size_t misses) {
  Counters& counters = counters_[input[0] % kNumCounters];
  if (hits != 0) {
    counters.hits.fetch_add(hits, std::memory_order_relaxed);
  }
  if (misses != 0) {
    counters.misses.fetch_add(misses, std::memory_order_relaxed);
  }
}

std::uint64_t VrfCache::sum(Word Counters::*counter) const {
  std::uint64_t total = 0;
  for (const Counters& each : counters_) {
    total += (each.*counter).load(std::memory_order_relaxed);
  }
  return total;
}

}  // namespace optiks::ozks
