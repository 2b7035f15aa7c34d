#include "optiks/ozks/verify/ladder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

namespace optiks::ozks::verify::test {
namespace {

std::vector<std::uint64_t> to_vector(const VersionSet& set) { return {set.get().begin(), set.get().end()}; }

// Computes the ladder as docs/spec/pahd.md section 1 defines it.
std::vector<std::uint64_t> ladder_by_definition(std::uint64_t a) {
  std::set<std::uint64_t> set;
  for (std::uint64_t power = 1; power <= a; power *= 2) {
    set.insert(power);
  }
  for (std::uint64_t power = 1; power <= a; power *= 2) {
    set.insert(a - a % power);
  }
  set.erase(0);
  return {set.begin(), set.end()};
}

std::vector<std::uint64_t> next_rungs_by_definition(std::uint64_t a) {
  std::set<std::uint64_t> set;
  std::uint64_t above = 1;
  for (; above <= a; above *= 2) {
    if (a / above % 2 == 0) {
      set.insert((a / above + 1) * above);
    }
  }
  set.insert(above);
  return {set.begin(), set.end()};
}

TEST(Ladder, TableOfTheSpecification) {
  using Versions = std::vector<std::uint64_t>;
  EXPECT_EQ(to_vector(ladder(0)), Versions());
  EXPECT_EQ(to_vector(next_rungs(0)), Versions({1}));
  EXPECT_EQ(to_vector(ladder(5)), Versions({1, 2, 4, 5}));
  EXPECT_EQ(to_vector(next_rungs(5)), Versions({6, 8}));
  EXPECT_EQ(to_vector(ladder(10)), Versions({1, 2, 4, 8, 10}));
  EXPECT_EQ(to_vector(next_rungs(10)), Versions({11, 12, 16}));
  EXPECT_EQ(to_vector(ladder(100)), Versions({1, 2, 4, 8, 16, 32, 64, 96, 100}));
  EXPECT_EQ(to_vector(next_rungs(100)), Versions({101, 102, 104, 112, 128}));
}

TEST(Ladder, AgreesWithTheDefinition) {
  for (std::uint64_t a = 0; a < 5000; ++a) {
    ASSERT_EQ(to_vector(ladder(a)), ladder_by_definition(a)) << a;
    ASSERT_EQ(to_vector(next_rungs(a)), next_rungs_by_definition(a)) << a;
  }
}

TEST(Ladder, EveryLaterVersionNeedsAnAbsentRung) {
  constexpr std::uint64_t kEnd = 1500;
  std::vector<std::vector<std::uint64_t>> ladders;
  for (std::uint64_t a = 0; a < kEnd; ++a) {
    ladders.push_back(to_vector(ladder(a)));
  }
  for (std::uint64_t a = 0; a < kEnd; ++a) {
    const auto rungs = to_vector(next_rungs(a));
    ASSERT_TRUE(std::ranges::binary_search(rungs, a + 1));
    for (std::uint64_t later = a + 1; later < kEnd; ++later) {
      const auto in_ladder = [&](std::uint64_t rung) {
        return std::ranges::binary_search(ladders.at(static_cast<std::size_t>(later)), rung);
      };
      ASSERT_TRUE(std::ranges::any_of(rungs, in_ladder)) << a << " " << later;
    }
  }
}

TEST(Ladder, WhatIsKnownNeedNotBeSentAgain) {
  for (std::uint64_t a = 0; a < 600; ++a) {
    const auto whole = to_vector(ladder(a));
    for (std::uint64_t known = 0; known <= a; ++known) {
      const auto at_known = to_vector(ladder(known));
      std::vector<std::uint64_t> rest;
      for (const std::uint64_t version : whole) {
        if (version > known) {
          rest.push_back(version);
        } else {
          ASSERT_TRUE(std::ranges::binary_search(at_known, version)) << a << " " << known;
        }
      }
      ASSERT_EQ(to_vector(ladder(a, known)), rest);
    }
  }
}

TEST(Ladder, LargestVersionsFit) {
  for (const std::uint64_t a : {UINT64_MAX, UINT64_MAX - 1, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1}) {
    const auto rungs = to_vector(ladder(a));
    EXPECT_EQ(rungs.back(), a);
    EXPECT_TRUE(std::ranges::is_sorted(rungs, std::ranges::less_equal()));
    EXPECT_TRUE(std::ranges::all_of(to_vector(next_rungs(a)), [&](std::uint64_t rung) { return rung > a; }));
  }
  EXPECT_EQ(ladder(UINT64_MAX).size(), 127U);
  EXPECT_EQ(next_rungs(UINT64_MAX).size(), 0U);
}

}  // namespace
}  // namespace optiks::ozks::verify::test
