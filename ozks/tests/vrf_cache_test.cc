#include "directory/vrf_cache.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>

#include "optiks/base/blake2b.h"
#include "optiks/base/bytes.h"

namespace optiks::ozks {
namespace {

constexpr std::uint64_t kCacheBytes = std::uint64_t{1} << 20;
// The number of entries in a cache of kCacheBytes. A set of eight entries has 17 cache lines of 64 octets.
constexpr std::uint32_t kEntries = kCacheBytes / (17 * 64) * 8;

// Returns an identifier of a VRF input for this number. The identifiers are distributed evenly, as in a directory.
Tag input_of(std::uint32_t number) {
  std::uint8_t octets[4];
  base::store_be32(octets, number);
  Tag out;
  base::Blake2b(out.size()).update(octets).finish(out);
  return out;
}

Proven proven_of(std::uint32_t number) {
  Proven out{};
  base::store_be32(out.label.data(), number);
  base::store_be32(out.proof.data(), ~number);
  return out;
}

bool has(VrfCache& cache, std::uint32_t number) {
  Proven found{};
  if (!cache.find(input_of(number), found)) {
    return false;
  }
  const Proven expected = proven_of(number);
  EXPECT_EQ(found.label, expected.label);
  EXPECT_EQ(found.proof, expected.proof);
  return true;
}

// Looks up the inputs [first, first + count), and adds the missing inputs. Returns the number of hits.
std::uint32_t use(VrfCache& cache, std::uint32_t first, std::uint32_t count) {
  std::uint32_t hits = 0;
  for (std::uint32_t i = first; i < first + count; ++i) {
    if (has(cache, i)) {
      ++hits;
    } else {
      cache.put(input_of(i), proven_of(i));
    }
  }
  return hits;
}

TEST(VrfCache, KeepsWhatFits) {
  VrfCache cache(kCacheBytes);
  // The inputs fill only a quarter of the cache, but some sets get more inputs than they have entries, so a few inputs
  // are lost.
  const std::uint32_t some = kEntries / 4;
  EXPECT_EQ(use(cache, 0, some), 0U);
  EXPECT_GT(use(cache, 0, some), some * 95 / 100);
}

TEST(VrfCache, LearnsAnewAfterOthersWereUsed) {
  VrfCache cache(kCacheBytes);
  const std::uint32_t few = kEntries / 8;
  for (int round = 0; round < 3; ++round) {
    use(cache, 0, few);
  }
  // Looks up many inputs only once each.
  use(cache, 1U << 20, 2 * kEntries);
  use(cache, 1U << 30, few);
  EXPECT_GT(use(cache, 1U << 30, few), few * 95 / 100);
}

TEST(VrfCache, WhatIsUsedOutlivesWhatIsNot) {
  VrfCache cache(kCacheBytes);
  const std::uint32_t few = kEntries / 8;
  use(cache, 0, few);
  std::uint32_t hits = 0;
  std::uint32_t asked = 0;
  for (std::uint32_t i = 0; i < 64; ++i) {
    use(cache, (1U << 20) + i * (kEntries / 8), kEntries / 8);
    hits += use(cache, 0, few);
    asked += few;
  }
  EXPECT_GT(hits, asked * 95 / 100);
}

// Returns the size of this process's resident memory in octets.
std::uint64_t resident_bytes() {
  std::uint64_t addresses = 0;
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> addresses >> pages;
  return pages * 4096;
}

TEST(VrfCache, TouchesItsMemoryAhead) {
  constexpr std::uint64_t kLarge = std::uint64_t{20} << 20;
  VrfCache cache(kLarge);
  const std::uint64_t before = resident_bytes();
  cache.touch_some();
  const std::uint64_t some = resident_bytes();
  EXPECT_GT(some, before + kLarge / 4);
  EXPECT_LT(some, before + kLarge * 3 / 4);
  for (int i = 0; i < 4; ++i) {
    cache.touch_some();
  }
  EXPECT_GT(resident_bytes(), before + kLarge * 9 / 10);
  // Touching the memory must not have added entries.
  EXPECT_EQ(use(cache, 0, kEntries), 0U);
  EXPECT_GT(use(cache, 0, kEntries), kEntries * 95 / 100);
  VrfCache(0).touch_some();
  // After its end the cache is empty and stays empty.
  cache.end();
  EXPECT_EQ(cache.bytes(), 0U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(use(cache, 0, kEntries), 0U);
    cache.free();
    EXPECT_LT(resident_bytes(), before + kLarge / 4);
  }
}

}  // namespace
}  // namespace optiks::ozks
