// Tests 37 to 41 of docs/negative-tests.md: latest version, history and monitoring.
#include <gtest/gtest.h>

#include <algorithm>

#include "optiks/ozks/verify/ladder.h"
#include "scene.h"

namespace optiks::ozks::verify::test {
namespace {

class NegativeVersions : public testing::Test {
 protected:
  [[nodiscard]] VersionsParts honest(std::uint64_t known = 0, std::size_t max_members = SIZE_MAX) const {
    return scene_.keys.versions("alice", Scene::kLast, known, max_members);
  }

  Scene scene_;
};

TEST_F(NegativeVersions, N00PositiveControl) {
  EXPECT_EQ(scene_.versions(honest()), "valid");
  EXPECT_EQ(scene_.versions(honest(2), known_version(2, 3)), "valid");
  EXPECT_EQ(scene_.versions(honest(5), known_version(5, 9)), "valid");
  EXPECT_EQ(scene_.versions(honest(0, 2)), "valid");
  for (std::uint64_t known = 0; known <= 5; ++known) {
    EXPECT_EQ(scene_.lookup(scene_.honest("alice", known), "alice", known == 0 ? Known() : known_version(known, 3)),
              known == 0 || known >= 2 ? "valid" : "leaf_epoch_order")
        << known;
  }
}

TEST_F(NegativeVersions, N37OldVersionAsLatest) {
  for (std::uint64_t old = 0; old < 5; ++old) {
    // All proofs are honest except the absence proof of version `old` + 1. This version exists, so the node that the
    // proof opens is on the path of this version's own leaf.
    LookupParts parts = scene_.keys.lookup_at("alice", old, Scene::kLast);
    EXPECT_NE(scene_.lookup(parts), "valid") << old;
    // The server sends the absence proof of version 6, the version after the latest.
    parts.absent[0] = scene_.keys.absent("alice", 6, Scene::kLast);
    EXPECT_EQ(scene_.lookup(parts), "vrf_challenge") << old;
  }
}

TEST_F(NegativeVersions, N37BelowTheVersionKnown) {
  EXPECT_EQ(scene_.lookup(scene_.honest("alice", 4), "alice", known_version(4, 7)), "valid");
  EXPECT_EQ(scene_.lookup(scene_.honest("bob", 0), "bob", known_version(2, 7)), "version_regressed");
  VersionsParts parts = honest(5);
  parts.version = 4;
  EXPECT_EQ(scene_.versions(parts, known_version(5, 9)), "version_regressed");
}

TEST_F(NegativeVersions, N37OldEpochIsStale) {
  const Bytes answer = encode_answer(scene_.head(7, 10), {scene_.keys.lookup("alice", 7).encode()});
  EXPECT_EQ(Scene::lookup_answer(answer, scene_.context(), "alice", {}, 7), "valid");
  EXPECT_EQ(Scene::lookup_answer(answer, scene_.context(), "alice", {}, 8), "stale");
}

TEST_F(NegativeVersions, N38HistoryWithAGapRepeatOrDisorder) {
  VersionsParts gap = honest();
  gap.members.erase(gap.members.begin() + 2);
  EXPECT_EQ(scene_.versions(gap), "ladder_count");
  gap.absent.clear();
  EXPECT_EQ(scene_.versions(gap), "vrf_challenge");

  VersionsParts repeat = honest();
  repeat.members[2] = repeat.members[1];
  EXPECT_EQ(scene_.versions(repeat), "vrf_challenge");

  VersionsParts disorder = honest();
  std::swap(disorder.members[1], disorder.members[2]);
  EXPECT_EQ(scene_.versions(disorder), "vrf_challenge");

  VersionsParts more = honest();
  more.members.push_back(more.members.back());
  EXPECT_EQ(scene_.versions(more), "ladder_count");

  VersionsParts cut = honest();
  cut.members.pop_back();
  EXPECT_EQ(scene_.versions(cut), "ladder_count");
  // The server leaves out version 5 and claims that version 4 is the latest. It cannot prove that version 5 is absent.
  cut.version = 4;
  EXPECT_NE(scene_.versions(cut), "valid");

  VersionsParts nothing = honest();
  nothing.members.clear();
  nothing.absent.clear();
  EXPECT_EQ(scene_.versions(nothing), "ladder_count");
}

TEST_F(NegativeVersions, N38AbsenceProofsMissingOrExtra) {
  VersionsParts parts = honest();
  parts.absent.push_back(parts.absent.back());
  EXPECT_EQ(scene_.versions(parts), "ladder_count");
  parts = honest();
  parts.absent.pop_back();
  EXPECT_EQ(scene_.versions(parts), "ladder_count");
  // The absent versions must be C(5) = {6, 8}. The answer proves version 7 absent instead of version 8.
  VersionsParts wrong = honest();
  wrong.absent[1] = scene_.keys.absent("alice", 7, Scene::kLast);
  EXPECT_EQ(scene_.versions(wrong), "vrf_challenge");
}

TEST_F(NegativeVersions, N38StartsElsewhere) {
  VersionsParts parts = honest(2);
  EXPECT_EQ(scene_.versions(parts, known_version(1, 3)), "history_from");
  parts.from = 2;
  EXPECT_EQ(scene_.versions(parts, known_version(2, 3)), "history_from");
}

TEST_F(NegativeVersions, N38EpochsCloserThanVersions) {
  // The key "twice" gets two versions in one epoch, so its lookups are refused.
  World world;
  world.keys.put("control", 1, "a");
  world.keys.put("control", 2, "b");
  world.keys.put("twice", 2, "a");
  world.keys.put("twice", 2, "b");
  world.publish(4);
  const auto lookup = [&](std::string_view key, const Known& known = {}) {
    const Bytes answer = encode_answer(world.head(4, 5), {world.keys.lookup(key, 4, known.version).encode()});
    return Scene::lookup_answer(answer, world.context(), key, known);
  };
  EXPECT_EQ(lookup("control"), "valid");
  EXPECT_EQ(lookup("twice"), "leaf_epoch_order");
  // Version 2 is of epoch 2. A client to whom version 2 was proven absent in epoch 2 must refuse it.
  EXPECT_EQ(lookup("control", known_version(1, 1)), "valid");
  EXPECT_EQ(lookup("control", known_version(1, 2)), "leaf_epoch_order");
  // The verifier ignores known state of another period.
  Known other = known_version(1, 2);
  other.period = 3;
  const Bytes whole = encode_answer(world.head(4, 5), {world.keys.lookup("control", 4).encode()});
  EXPECT_EQ(Scene::lookup_answer(whole, world.context(), "control", other), "valid");
}

TEST_F(NegativeVersions, N38PageGoesOnFromItsLastEntry) {
  const VersionsParts second = honest(2);
  Known page;
  page.version = 2;
  page.time = 3;
  page.page_version = 5;
  EXPECT_EQ(scene_.versions(second, page), "valid");
  page.time = 4;
  EXPECT_EQ(scene_.versions(second, page), "leaf_epoch_order");
}

// Tests an attack with two pages. The first page claims more versions than the key has, and the last page claims the
// true number. If the verifier accepted both pages, no page would have shown the value of the latest version.
TEST_F(NegativeVersions, N38PageBelowTheOneBefore) {
  VersionsParts claimed = scene_.keys.versions("bob", Scene::kLast, 0, SIZE_MAX);
  const VersionsParts whole = claimed;
  ASSERT_EQ(whole.version, 1U);
  claimed.version = 3;
  claimed.members[0].kind = 0;
  claimed.absent.clear();
  EXPECT_EQ(scene_.versions(claimed, {}, "bob"), "valid");
  VersionsParts ending = whole;
  ending.from = 2;
  ending.members.clear();
  Known page;
  page.version = 1;
  page.time = 2;
  page.page_version = 3;
  EXPECT_EQ(scene_.versions(ending, page, "bob"), "version_regressed");
  EXPECT_EQ(scene_.versions(ending, known_version(1, 9, 2), "bob"), "valid");

  // The last page shows versions 3 to 5 of alice. The page before it claimed 3, 5 or 6 versions.
  const VersionsParts last = honest(2);
  page.version = 2;
  page.time = 3;
  for (const auto& [said, reason] : {std::pair{3U, "valid"}, {5U, "valid"}, {6U, "version_regressed"}}) {
    page.page_version = said;
    EXPECT_EQ(scene_.versions(last, page), reason) << said;
  }
  VersionsParts erased = last;
  erased.members.back().kind = 0;
  page.page_version = 5;
  EXPECT_EQ(scene_.versions(erased, page), "member_kind");
  // A page in the middle must not claim fewer versions than the page before it either.
  VersionsParts middle = honest(2, 1);
  EXPECT_EQ(scene_.versions(middle, page), "valid");
  middle.version = 4;
  EXPECT_EQ(scene_.versions(middle, page), "version_regressed");
}

TEST(KnownState, IsOneOfThree) {
  Known known;
  EXPECT_TRUE(known.is_consistent());
  known.has_absent = true;
  EXPECT_TRUE(known.is_consistent());
  known.version = 2;
  EXPECT_TRUE(known.is_consistent());
  known.page_version = 3;
  EXPECT_FALSE(known.is_consistent());
  known.has_absent = false;
  EXPECT_TRUE(known.is_consistent());
  known.page_version = 2;
  EXPECT_FALSE(known.is_consistent());
  known.page_version = 0;
  EXPECT_FALSE(known.is_consistent());
  known.version = 0;
  known.page_version = 1;
  EXPECT_FALSE(known.is_consistent());
}

TEST_F(NegativeVersions, N39LadderMissingOrExtra) {
  LookupParts missing = scene_.honest();
  missing.members.erase(missing.members.begin());
  EXPECT_EQ(scene_.lookup(missing), "ladder_count");
  LookupParts extra = scene_.honest();
  extra.members.insert(extra.members.begin() + 2, scene_.keys.member("alice", 3, Scene::kLast, false));
  EXPECT_EQ(scene_.lookup(extra), "ladder_count");
  LookupParts other = scene_.honest();
  other.members[2] = scene_.keys.member("alice", 3, Scene::kLast, false);
  EXPECT_EQ(scene_.lookup(other), "vrf_challenge");
  // The answer must not have members up to the version that the client knows.
  EXPECT_EQ(scene_.lookup(scene_.honest("alice", 0), "alice", known_version(2, 3)), "ladder_count");
  EXPECT_EQ(scene_.lookup(scene_.honest("alice", 2), "alice"), "ladder_count");
}

TEST_F(NegativeVersions, N39AbsencesOfALookupMissingOrExtra) {
  // The absent versions must be C(5) = {6, 8}, whether the client knows version 5 or not.
  for (const std::uint64_t w : {0U, 5U}) {
    const Known known = w == 0 ? Known() : known_version(w, 9);
    const auto with = [&](auto change) {
      LookupParts parts = scene_.honest("alice", w);
      change(parts.absent);
      return scene_.lookup(parts, "alice", known);
    };
    using Absent = std::vector<NonMemberParts>;
    EXPECT_EQ(with([](Absent& absent) { EXPECT_EQ(absent.size(), 2U); }), "valid");
    EXPECT_EQ(with([](Absent& absent) { absent.pop_back(); }), "ladder_count");
    EXPECT_EQ(with([](Absent& absent) { absent.push_back(absent[0]); }), "ladder_count");
    EXPECT_EQ(with([](Absent& absent) { absent.clear(); }), "ladder_count");
    EXPECT_EQ(with([](Absent& absent) { std::swap(absent[0], absent[1]); }), "vrf_challenge");
    EXPECT_EQ(with([](Absent& absent) { absent[1] = absent[0]; }), "vrf_challenge");
    EXPECT_EQ(with([&](Absent& absent) { absent[1] = scene_.keys.absent("alice", 7, Scene::kLast); }), "vrf_challenge");
  }
}

TEST_F(NegativeVersions, N39ErasedValues) {
  // The value of an earlier version may be erased, but the latest value may not.
  VersionsParts parts = honest();
  parts.members[1].kind = 0;
  EXPECT_EQ(scene_.versions(parts), "valid");
  parts.members.back().kind = 0;
  EXPECT_EQ(scene_.versions(parts), "member_kind");
}

TEST_F(NegativeVersions, N40N41ForgedLaterVersionMeetsAProvenRung) {
  // Every answer whose latest version is 5 proves the versions in C(5) absent. Each later version's ladder has one of
  // these versions, so the log cannot show a later version without contradicting that answer.
  const VersionSet proven = next_rungs(5);
  for (std::uint64_t forged = 6; forged < 200; ++forged) {
    const VersionSet needed = ladder(forged);
    EXPECT_TRUE(std::ranges::any_of(needed.get(), [&](std::uint64_t v) {
      return std::ranges::find(proven.get(), v) != proven.get().end();
    })) << forged;
  }
}

TEST_F(NegativeVersions, NumberOfAnswers) {
  const HeadParts head = scene_.head(9, 10);
  const Bytes one = scene_.honest().encode();
  EXPECT_EQ(scene_.lookup_answer(encode_answer(head, {one})), "valid");
  EXPECT_EQ(scene_.lookup_answer(encode_answer(head, {one, one})), "answer_count");
  EXPECT_EQ(scene_.lookup_answer(encode_answer(head, {})), "malformed_length");
}

}  // namespace
}  // namespace optiks::ozks::verify::test
