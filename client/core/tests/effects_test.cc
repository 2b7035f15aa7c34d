// Tests the encoding of effects and replies: round trips, exact octets, and changed octets.
#include "optiks/client/effects.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "hex.h"

namespace optiks::client::test {
namespace {

std::vector<Effect> some_effects() {
  return {
      {1, Http{.server = 2,
               .method = HttpMethod::kPost,
               .target = "/v1/lookup?checkpoint_size=900",
               .accept = "application/octet-stream",
               .content_type = "application/json",
               .body = {'{', '}'},
               .credential = true,
               .max_len = 64 << 20,
               .within_ms = 10000}},
      {2, Http{.target = "/"}},
      {3, Load{}},
      {4, Load{{{1}, Bytes(kMaxRecordKeyLen, 7)}}},
      {5, Commit{}},
      {6, Commit{.base = 41, .puts = {{{1}, {}}, {{7, 3}, Bytes(70000, 1)}}, .deletes = {{2}, {3, 4}}}},
      {7, Wait{~std::uint64_t{0}}},
      {8, Progress{3}},
      {0xffffffff, Done{Bytes(300, 9)}},
      {9, Done{}},
  };
}

TEST(Effects, RoundTrip) {
  for (const Effect& effect : some_effects()) {
    const Bytes octets = effect.encode();
    EXPECT_EQ(Effect::decode(octets), effect);
    EXPECT_EQ(octets[4], effect.what.index() + 1);
  }
}

TEST(Effects, Octets) {
  const Effect http{1, Http{.server = 1, .target = "/a", .accept = "b", .max_len = 5, .within_ms = 6}};
  EXPECT_EQ(base::to_hex(http.encode()),
            "0000000101"
            "01"
            "01"
            "00022f61"
            "0162"
            "00"
            "00000000"
            "00"
            "00000005"
            "00000006");
  const Effect load{2, Load{{{1}, {7, 3}}}};
  EXPECT_EQ(base::to_hex(load.encode()),
            "0000000202"
            "000007"
            "000101"
            "00020703");
  const Effect commit{3, Commit{.base = 41, .puts = {{{1}, {9}}}, .deletes = {{2}}}};
  EXPECT_EQ(base::to_hex(commit.encode()),
            "0000000303"
            "0000000000000029"
            "00000008"
            "000101"
            "0000000109"
            "000003"
            "000102");
  EXPECT_EQ(base::to_hex((Effect{4, Wait{5}}).encode()),
            "0000000404"
            "0000000000000005");
  EXPECT_EQ(base::to_hex((Effect{5, Progress{6}}).encode()),
            "0000000505"
            "00000006");
  EXPECT_EQ(base::to_hex((Effect{6, Done{{7}}}).encode()),
            "0000000606"
            "0000000107");
  EXPECT_EQ(base::to_hex((HttpReply{HttpOutcome::kAnswer, 503, "a", 1000}).encode()),
            "00"
            "01f7"
            "0161"
            "000003e8");
  EXPECT_EQ(base::to_hex((LoadReply{7, {std::nullopt, Bytes{8}}}).encode()),
            "0000000000000007"
            "00000007"
            "00"
            "0100000001"
            "08");
  EXPECT_EQ(base::to_hex((CommitReply{CommitOutcome::kConflict}).encode()), "01");
  EXPECT_TRUE(WaitReply::encode().empty());
}

TEST(Effects, RepliesRoundTrip) {
  for (const HttpReply& reply : {HttpReply(), HttpReply{HttpOutcome::kNoCredential, 65535, std::string(255, 'x'), 9}}) {
    EXPECT_EQ(HttpReply::decode(reply.encode()), reply);
  }
  const LoadReply load{41, {std::nullopt, Bytes(), Bytes(70000, 3), std::nullopt}};
  EXPECT_EQ(LoadReply::decode(load.encode(), 4), load);
  EXPECT_FALSE(LoadReply::decode(load.encode(), 3));
  EXPECT_FALSE(LoadReply::decode(load.encode(), 5));
  EXPECT_EQ(LoadReply::decode(LoadReply().encode(), 0), LoadReply());
  for (const CommitOutcome outcome : {CommitOutcome::kDone, CommitOutcome::kConflict, CommitOutcome::kFailed}) {
    EXPECT_EQ(CommitReply::decode(CommitReply{outcome}.encode()), CommitReply{outcome});
  }
  EXPECT_TRUE(WaitReply::decode({}));
  EXPECT_FALSE(WaitReply::decode(Bytes{0}));
}

TEST(Effects, RefusedOctets) {
  for (const char* hex : {"", "00000001", "0000000100", "0000000107", "00000004040000000000000005ff", "00000004040000",
                          "000000050500", "0000000202000003000000", "00000002020000020001", "0000000202000001ff"}) {
    EXPECT_FALSE(Effect::decode(*base::from_hex(hex))) << hex;
  }
  // Methods 0 and 3, a credential of 2, and an empty target.
  const Bytes http = (Effect{1, Http{.target = "/"}}).encode();
  for (const auto& [at, value] :
       std::vector<std::pair<std::size_t, std::uint8_t>>{{6, 0}, {6, 3}, {http.size() - 9, 2}, {8, 0}}) {
    Bytes changed = http;
    changed[at] = value;
    EXPECT_FALSE(Effect::decode(changed)) << at;
  }
  for (const char* hex : {"06"
                          "0000"
                          "00"
                          "00000000",
                          "00"
                          "0000"
                          "00"
                          "000000",
                          "00"
                          "0000"
                          "00"
                          "0000000000"}) {
    EXPECT_FALSE(HttpReply::decode(*base::from_hex(hex))) << hex;
  }
  for (const char* hex : {"", "03", "0000"}) {
    EXPECT_FALSE(CommitReply::decode(*base::from_hex(hex))) << hex;
  }
  // A body that says that it is longer than its list.
  EXPECT_FALSE(LoadReply::decode(*base::from_hex("0000000000000007"
                                                 "00000006"
                                                 "0100000002"
                                                 "08"),
                                 1));
  EXPECT_FALSE(LoadReply::decode(*base::from_hex("0000000000000007"
                                                 "00000001"
                                                 "02"),
                                 1));
}

// Changed octets are refused, or are the encoding of what they decode to.
TEST(Effects, ChangedOctets) {
  std::mt19937 random(31);
  std::vector<std::pair<Bytes, std::function<std::optional<Bytes>(ByteSpan)>>> all;
  const auto effect = [](ByteSpan octets) {
    const auto decoded = Effect::decode(octets);
    return decoded ? std::optional(decoded->encode()) : std::nullopt;
  };
  for (const Effect& one : some_effects()) {
    if (one.id != 6) {
      all.emplace_back(one.encode(), effect);
    }
  }
  all.emplace_back(
      (Effect{6, Commit{.base = 41, .puts = {{{1}, {}}, {{7, 3}, Bytes(30, 1)}}, .deletes = {{2}}}}).encode(), effect);
  all.emplace_back((HttpReply{HttpOutcome::kLate, 200, "text", 1}).encode(), [](ByteSpan octets) {
    const auto decoded = HttpReply::decode(octets);
    return decoded ? std::optional(decoded->encode()) : std::nullopt;
  });
  all.emplace_back((LoadReply{7, {std::nullopt, Bytes{8}, Bytes()}}).encode(), [](ByteSpan octets) {
    const auto decoded = LoadReply::decode(octets, 3);
    return decoded ? std::optional(decoded->encode()) : std::nullopt;
  });
  int accepted = 0;
  for (int round = 0; round < 100000; ++round) {
    auto [octets, again] = all[random() % all.size()];
    for (auto change = random() % 3 + 1; change > 0; --change) {
      const auto at = static_cast<std::ptrdiff_t>(random() % octets.size());
      switch (random() % 4) {
        case 0:
          octets[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(random());
          break;
        case 1:
          octets[static_cast<std::size_t>(at)] ^= static_cast<std::uint8_t>(1U << random() % 8);
          break;
        case 2:
          octets.insert(octets.begin() + at, static_cast<std::uint8_t>(random() % 4));
          break;
        default:
          if (octets.size() > 1) {
            octets.erase(octets.begin() + at);
          }
      }
    }
    if (const auto encoded = again(octets)) {
      ++accepted;
      ASSERT_EQ(*encoded, octets);
    }
  }
  EXPECT_GT(accepted, 5000);
}

}  // namespace
}  // namespace optiks::client::test
