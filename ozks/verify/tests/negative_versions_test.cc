// reference/negative-tests.md 37..41 (the entries up to 45 that a verifier of one structure can see): greatest version,
// history, monitoring.
#include <gtest/gtest.h>

#include <algorithm>

#include "optiks/ozks/verify/ladder.h"
#include "scene.h"

namespace optiks::ozks::verify::test {
namespace {

class NegativeVersions : public testing::Test {
 protected:
  [[nodiscard]] VersionsParts honest(Purpose purpose, std::uint64_t known = 0,
                                     std::size_t max_members = SIZE_MAX) const {
    return scene_.keys.versions("alice", Scene::kLast, known, purpose, max_members);
  }

  Scene scene_;
};

TEST_F(NegativeVersions, N00PositiveControl) {
  for (const Purpose purpose : {Purpose::kHistory, Purpose::kMonitoring}) {
    EXPECT_EQ(scene_.versions(honest(purpose), purpose), "valid");
    EXPECT_EQ(scene_.versions(honest(purpose, 2), purpose, known_version(2, 3)), "valid");
    EXPECT_EQ(scene_.versions(honest(purpose, 5), purpose, known_version(5, 9)), "valid");
    EXPECT_EQ(scene_.versions(honest(purpose, 0, 2), purpose), "valid");
  }
  for (std::uint64_t known = 0; known <= 5; ++known) {
    EXPECT_EQ(scene_.lookup(scene_.honest("alice", known), "alice", known == 0 ? Known() : known_version(known, 3)),
              known == 0 || known >= 2 ? "valid" : "leaf_epoch_order")
        << known;
  }
}

TEST_F(NegativeVersions, N37OldVersionAsLatest) {
  for (std::uint64_t old = 0; old < 5; ++old) {
    // Honest proofs of everything but the absence, which cannot be had: the opened node is on version old + 1's own
    // path.
    LookupParts parts = scene_.keys.lookup_at("alice", old, Scene::kLast);
    EXPECT_NE(scene_.lookup(parts), "valid") << old;
    // The absence of the version after the true one.
    parts.next = scene_.keys.absent("alice", 6, Scene::kLast);
    EXPECT_EQ(scene_.lookup(parts), "vrf_challenge") << old;
  }
}

TEST_F(NegativeVersions, N37BelowTheVersionKnown) {
  EXPECT_EQ(scene_.lookup(scene_.honest("alice", 4), "alice", known_version(4, 7)), "valid");
  EXPECT_EQ(scene_.lookup(scene_.honest("bob", 0), "bob", known_version(2, 7)), "version_regressed");
  VersionsParts parts = honest(Purpose::kHistory, 5);
  parts.version = 4;
  EXPECT_EQ(scene_.versions(parts, Purpose::kHistory, known_version(5, 9)), "version_regressed");
}

TEST_F(NegativeVersions, N37OldEpochIsStale) {
  const Bytes answer = encode_answer(scene_.head(7, 10), {scene_.keys.lookup("alice", 7).encode()});
  EXPECT_EQ(Scene::lookup_answer(answer, scene_.context(), "alice", {}, 7), "valid");
  EXPECT_EQ(Scene::lookup_answer(answer, scene_.context(), "alice", {}, 8), "stale");
}

TEST_F(NegativeVersions, N38HistoryWithAGapRepeatOrDisorder) {
  for (const Purpose purpose : {Purpose::kHistory, Purpose::kMonitoring}) {
    VersionsParts gap = honest(purpose);
    gap.members.erase(gap.members.begin() + 2);
    EXPECT_EQ(scene_.versions(gap, purpose), "ladder_count");
    gap.absent.clear();
    EXPECT_EQ(scene_.versions(gap, purpose), "vrf_challenge");

    VersionsParts repeat = honest(purpose);
    repeat.members[2] = repeat.members[1];
    EXPECT_EQ(scene_.versions(repeat, purpose), "vrf_challenge");

    VersionsParts disorder = honest(purpose);
    std::swap(disorder.members[1], disorder.members[2]);
    EXPECT_EQ(scene_.versions(disorder, purpose), "vrf_challenge");

    VersionsParts more = honest(purpose);
    more.members.push_back(more.members.back());
    EXPECT_EQ(scene_.versions(more, purpose), "ladder_count");

    VersionsParts cut = honest(purpose);
    cut.members.pop_back();
    EXPECT_EQ(scene_.versions(cut, purpose), "ladder_count");
    // The tail cut off and the version lowered: version 5 would have to be absent.
    cut.version = 4;
    EXPECT_NE(scene_.versions(cut, purpose), "valid");

    VersionsParts nothing = honest(purpose);
    nothing.members.clear();
    nothing.absent.clear();
    EXPECT_EQ(scene_.versions(nothing, purpose), "ladder_count");
  }
}

TEST_F(NegativeVersions, N38AbsenceProofsMissingOrExtra) {
  for (const Purpose purpose : {Purpose::kHistory, Purpose::kMonitoring}) {
    VersionsParts parts = honest(purpose);
    parts.absent.push_back(parts.absent.back());
    EXPECT_EQ(scene_.versions(parts, purpose), "ladder_count");
    parts = honest(purpose);
    parts.absent.pop_back();
    EXPECT_EQ(scene_.versions(parts, purpose), "ladder_count");
  }
  // C(5) = {6, 8}: history's single proof is not enough for an owner.
  EXPECT_EQ(scene_.versions(honest(Purpose::kHistory), Purpose::kMonitoring), "ladder_count");
  EXPECT_EQ(scene_.versions(honest(Purpose::kMonitoring), Purpose::kHistory), "ladder_count");
  VersionsParts wrong = honest(Purpose::kMonitoring);
  wrong.absent[1] = scene_.keys.absent("alice", 7, Scene::kLast);
  EXPECT_EQ(scene_.versions(wrong, Purpose::kMonitoring), "vrf_challenge");
}

TEST_F(NegativeVersions, N38StartsElsewhere) {
  VersionsParts parts = honest(Purpose::kHistory, 2);
  EXPECT_EQ(scene_.versions(parts, Purpose::kHistory, known_version(1, 3)), "history_from");
  parts.from = 2;
  EXPECT_EQ(scene_.versions(parts, Purpose::kHistory, known_version(2, 3)), "history_from");
}

TEST_F(NegativeVersions, N38EpochsCloserThanVersions) {
  // Two versions in one epoch: a directory that does this cannot prove its lookups.
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
  // A version that came before the epoch in which it was proven absent.
  EXPECT_EQ(lookup("control", known_version(1, 1)), "valid");
  EXPECT_EQ(lookup("control", known_version(1, 2)), "leaf_epoch_order");
  // Known state of another period says nothing.
  Known other = known_version(1, 2);
  other.period = 3;
  const Bytes whole = encode_answer(world.head(4, 5), {world.keys.lookup("control", 4).encode()});
  EXPECT_EQ(Scene::lookup_answer(whole, world.context(), "control", other), "valid");
}

TEST_F(NegativeVersions, N38PageGoesOnFromItsLastEntry) {
  const VersionsParts second = honest(Purpose::kHistory, 2);
  Known page;
  page.version = 2;
  page.time = 3;
  page.page_version = 5;
  EXPECT_EQ(scene_.versions(second, Purpose::kHistory, page), "valid");
  page.time = 4;
  EXPECT_EQ(scene_.versions(second, Purpose::kHistory, page), "leaf_epoch_order");
}

// A first page that claims more versions than there are, and a last one that takes them back: the last value shown
// would never be opened.
TEST_F(NegativeVersions, N38PageBelowTheOneBefore) {
  for (const Purpose purpose : {Purpose::kHistory, Purpose::kMonitoring}) {
    VersionsParts claimed = scene_.keys.versions("bob", Scene::kLast, 0, purpose, SIZE_MAX);
    const VersionsParts whole = claimed;
    ASSERT_EQ(whole.version, 1U);
    claimed.version = 3;
    claimed.members[0].kind = 0;
    claimed.absent.clear();
    EXPECT_EQ(scene_.versions(claimed, purpose, {}, "bob"), "valid");
    VersionsParts ending = whole;
    ending.from = 2;
    ending.members.clear();
    Known page;
    page.version = 1;
    page.time = 2;
    page.page_version = 3;
    EXPECT_EQ(scene_.versions(ending, purpose, page, "bob"), "version_regressed");
    EXPECT_EQ(scene_.versions(ending, purpose, known_version(1, 9, 2), "bob"), "valid");

    // Versions 3 to 5 of alice after a page that said 5, or fewer, or more.
    const VersionsParts last = honest(purpose, 2);
    page.version = 2;
    page.time = 3;
    for (const auto& [said, reason] : {std::pair{3U, "valid"}, {5U, "valid"}, {6U, "version_regressed"}}) {
      page.page_version = said;
      EXPECT_EQ(scene_.versions(last, purpose, page), reason) << said;
    }
    VersionsParts erased = last;
    erased.members.back().kind = 0;
    page.page_version = 5;
    EXPECT_EQ(scene_.versions(erased, purpose, page), "member_kind");
    // A page in the middle may not shrink either.
    VersionsParts middle = honest(purpose, 2, 1);
    EXPECT_EQ(scene_.versions(middle, purpose, page), "valid");
    middle.version = 4;
    EXPECT_EQ(scene_.versions(middle, purpose, page), "version_regressed");
  }
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
  // Members up to the known version are not sent again.
  EXPECT_EQ(scene_.lookup(scene_.honest("alice", 0), "alice", known_version(2, 3)), "ladder_count");
  EXPECT_EQ(scene_.lookup(scene_.honest("alice", 2), "alice"), "ladder_count");
}

TEST_F(NegativeVersions, N39ErasedValues) {
  // A value below the latest may be erased, the latest never.
  VersionsParts parts = honest(Purpose::kHistory);
  parts.members[1].kind = 0;
  EXPECT_EQ(scene_.versions(parts, Purpose::kHistory), "valid");
  parts.members.back().kind = 0;
  EXPECT_EQ(scene_.versions(parts, Purpose::kHistory), "member_kind");
}

TEST_F(NegativeVersions, N40N41ForgedLaterVersionMeetsAProvenRung) {
  // What an owner proved absent at monitoring (C(5)) is in the ladder of every later version.
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
