// Tests 16 to 36 of docs/negative-tests.md: membership and non-membership proofs.
#include <gtest/gtest.h>

#include <algorithm>

#include "optiks/ozks/verify/rfc6962.h"
#include "scene.h"

namespace optiks::ozks::verify::test {
namespace {

class NegativeMember : public testing::Test {
 protected:
  // Returns the verdict on the honest lookup of `key` after `change` has changed it.
  template <typename Change>
  [[nodiscard]] std::string changed(Change change, std::string_view key = "alice") const {
    LookupParts parts = scene_.honest(key);
    change(parts);
    return scene_.lookup(parts, key);
  }

  Scene scene_;
};

void set_mask_bit(PathParts& path, std::size_t i) {
  path.mask[i / 8] = static_cast<std::uint8_t>(path.mask[i / 8] | 0x80U >> (i % 8));
}

TEST_F(NegativeMember, N00PositiveControl) {
  EXPECT_EQ(changed([](LookupParts&) {}), "valid");
  EXPECT_EQ(changed([](LookupParts&) {}, "bob"), "valid");
  EXPECT_EQ(changed([](LookupParts&) {}, "carol"), "valid");
  // Among the proofs of absent keys, some must open a leaf and some an interior node.
  bool leaf = false;
  bool interior = false;
  for (int i = 0; i < 40; ++i) {
    const std::string key = numbered("nobody-", i);
    const LookupParts parts = scene_.honest(key);
    EXPECT_EQ(scene_.lookup(parts, key), "valid");
    leaf |= parts.absent[0].node == 2;
    interior |= parts.absent[0].node == 1;
  }
  EXPECT_TRUE(leaf && interior);
}

TEST_F(NegativeMember, N16PathOfAnotherLabel) {
  EXPECT_EQ(changed([&](LookupParts& p) { p.members[0].path = p.members[1].path; }), "member_root");
}

TEST_F(NegativeMember, N17LeafHashIsRecomputed) {
  EXPECT_EQ(changed([](LookupParts& p) { p.members[0].commitment[0] ^= 1; }), "member_root");
}

TEST_F(NegativeMember, N18ValueOrOpeningChanged) {
  EXPECT_EQ(changed([](LookupParts& p) { p.members.back().value[0] ^= 1; }), "member_root");
  EXPECT_EQ(changed([](LookupParts& p) { p.members.back().value.push_back(0); }), "member_root");
  EXPECT_EQ(changed([](LookupParts& p) { p.members.back().opening[15] ^= 1; }), "member_root");
  // An opening has a fixed length, so with another length the octets after it shift, and the encoding is not valid.
  EXPECT_NE(changed([](LookupParts& p) { p.members.back().opening.push_back(0); }), "valid");
  EXPECT_NE(changed([](LookupParts& p) { p.members.back().opening.pop_back(); }), "valid");
}

TEST_F(NegativeMember, N18ValueTooLong) {
  const Bytes answer = encode_answer(scene_.head(9, 10), {scene_.honest().encode()});
  Context context = scene_.context();
  context.anchor.configuration.max_value_len = 7;  // length of the value "alice 8"
  EXPECT_EQ(Scene::lookup_answer(answer, context), "valid");
  context.anchor.configuration.max_value_len = 6;
  EXPECT_EQ(Scene::lookup_answer(answer, context), "value_too_long");
}

TEST_F(NegativeMember, N19EpochOfLeafChanged) {
  for (const int change : {-1, 1}) {
    EXPECT_EQ(changed([&](LookupParts& p) { p.members[0].epoch += static_cast<std::uint64_t>(change); }),
              "member_root");
  }
  // The leaf is in the tree, but is newer than the record, because the record names an earlier epoch than that of its
  // tree.
  Scene scene;
  scene.keys.put_version("mallory", 1, 10, "ahead");
  scene.publish(10);
  Context context = scene.context();
  const LookupParts ahead = scene.keys.lookup("mallory", 10);
  EXPECT_EQ(scene.lookup(ahead, "mallory", {}, 10), "valid");
  RecordParts record = scene.record(10);
  record.epoch = 9;
  HeadParts head;
  head.record = record.encode();
  auto leaves = scene.log_leaves(9);
  leaves.push_back(log_leaf_hash(head.record));
  head.inclusion = log_inclusion(leaves, 9);
  const std::string origin = "optiks.example/log";
  head.checkpoint = to_bytes(signed_note(checkpoint_body(origin, 10, log_root(leaves)), origin, scene.log_key));
  EXPECT_EQ(Scene::lookup_answer(encode_answer(head, {ahead.encode()}), context, "mallory"), "leaf_epoch_future");
}

TEST_F(NegativeMember, N19LeafWithEpochZero) {
  World world;
  world.keys.put_version("mallory", 1, 0, "copy mark in period 0");
  world.keys.put("control", 1, "set in epoch 1");
  world.publish(1);
  const auto verify = [&](std::string_view key) {
    const Bytes answer = encode_answer(world.head(1, 2), {world.keys.lookup(key, 1).encode()});
    return Scene::lookup_answer(answer, world.context(), key);
  };
  EXPECT_EQ(verify("control"), "valid");
  EXPECT_EQ(verify("mallory"), "leaf_epoch_period");
}

TEST_F(NegativeMember, N20VersionOutOfRange) {
  for (const std::uint64_t version : {std::uint64_t{10}, std::uint64_t{1} << 32, UINT64_MAX}) {
    EXPECT_EQ(changed([&](LookupParts& p) { p.version = version; }), "version_range") << version;
  }
  EXPECT_EQ(changed([](LookupParts& p) { p.version = 0; }), "ladder_count");
  EXPECT_EQ(changed([](LookupParts& p) { p.version = 9; }), "ladder_count");
}

TEST_F(NegativeMember, N21SiblingsSwapped) {
  const auto swap = [](LookupParts& p) {
    auto& siblings = p.members[0].path.siblings;
    ASSERT_GE(siblings.size(), 2U);
    std::swap(siblings[0], siblings[1]);
  };
  EXPECT_EQ(changed(swap), "member_root");
}

TEST_F(NegativeMember, N22MaskMovedOrExtended) {
  // Moving a bit of the mask changes the prefix length of an ancestor. The ancestor's hash depends on this length, so
  // the root must differ.
  for (std::size_t i = 0; i < 256; ++i) {
    LookupParts parts = scene_.honest();
    PathParts& path = parts.members[0].path;
    if (bit_at(path.mask, i)) {
      continue;
    }
    const auto set = [&] {
      for (std::size_t j = 0; j < 256; ++j) {
        if (bit_at(path.mask, j)) {
          return j;
        }
      }
      return std::size_t{0};
    }();
    path.mask[set / 8] = static_cast<std::uint8_t>(path.mask[set / 8] & ~(0x80U >> (set % 8)));
    set_mask_bit(path, i);
    ASSERT_EQ(scene_.lookup(parts), "member_root") << i;
  }
}

TEST_F(NegativeMember, N23InteriorNodeAsLeafAndReverse) {
  // The server sends the content of an interior node as if it were a leaf. The hash's tag and the length of its input
  // distinguish nodes from leaves.
  const NonMemberParts top = scene_.keys.absent("carol", 1, Scene::kLast);
  const auto as_leaf = [&](LookupParts& p) {
    p.absent = {top};
    p.absent[0].node = 2;
    p.absent[0].commitment = top.left;
  };
  LookupParts honest = scene_.honest("carol");
  EXPECT_EQ(scene_.lookup(honest, "carol"), "valid");
  if (top.node == 1) {
    EXPECT_EQ(changed(as_leaf, "carol"), "absent_root");
  } else {
    const auto as_interior = [&](LookupParts& p) {
      p.absent[0].node = 1;
      p.absent[0].length = 255;
      p.absent[0].position = prefix_of(top.position, 255);
      p.absent[0].left = top.commitment;
    };
    EXPECT_EQ(changed(as_interior, "carol"), "absent_root");
  }
}

TEST_F(NegativeMember, N24PathLength) {
  EXPECT_EQ(changed([](LookupParts& p) { p.members[0].path.siblings.clear(); }), "path_length");
  EXPECT_EQ(changed([](LookupParts& p) { p.members[0].path.siblings.emplace_back(); }), "path_length");
  EXPECT_EQ(changed([](LookupParts& p) { p.members[0].path.siblings.push_back(p.members[0].path.siblings.back()); }),
            "path_length");
  EXPECT_EQ(changed([](LookupParts& p) { p.members[0].path = {}; }), "member_root");
  EXPECT_EQ(changed([](LookupParts& p) { p.absent[0].path.siblings.emplace_back(); }), "path_length");
  // A path has at most 256 hashes.
  EXPECT_EQ(changed([](LookupParts& p) { p.members[0].path.siblings.resize(257); }), "malformed_length");
}

TEST_F(NegativeMember, N25PathToAnotherEpochsRoot) {
  const LookupParts old = scene_.keys.lookup("bob", 8);
  EXPECT_EQ(scene_.lookup(old, "bob", {}, 8), "valid");
  EXPECT_EQ(scene_.lookup(old, "bob", {}, 7), "member_root");
}

TEST_F(NegativeMember, N26KindFlipped) {
  EXPECT_EQ(changed([](LookupParts& p) { p.members.back().kind = 0; }), "member_kind");
  EXPECT_EQ(changed([](LookupParts& p) { p.members[0].kind = 1; }), "member_kind");
  EXPECT_EQ(changed([](LookupParts& p) { p.members[0].kind = 2; }), "malformed_enum");
  EXPECT_EQ(changed([](LookupParts& p) { p.absent[0].node = 3; }), "malformed_enum");
}

TEST_F(NegativeMember, N27N33EmptyTreeClaimed) {
  EXPECT_EQ(changed([](LookupParts& p) { p.absent[0].node = 0; }), "absent_empty");
  World world;
  world.publish(1);
  const Bytes answer = encode_answer(world.head(1, 2), {world.keys.lookup("alice", 1).encode()});
  EXPECT_EQ(Scene::lookup_answer(answer, world.context()), "valid");
  // In a tree of one leaf the path is empty. A proof with an empty path must not be valid in a tree of two leaves.
  World one;
  one.keys.put("alice", 1, "only");
  one.keys.put("bob", 2, "second");
  one.publish(2);
  const LookupParts single = one.keys.lookup("alice", 1);
  EXPECT_TRUE(single.members[0].path.siblings.empty());
  EXPECT_EQ(Scene::lookup_answer(encode_answer(one.head(1, 3), {single.encode()}), one.context()), "valid");
  EXPECT_EQ(Scene::lookup_answer(encode_answer(one.head(2, 3), {single.encode()}), one.context()), "member_root");
}

TEST_F(NegativeMember, N28N29N35AnchoredAtAnAncestor) {
  // Version 5 of alice exists. The server opens the node above its leaf and claims that version 5 is absent.
  LookupParts parts = scene_.keys.lookup_at("alice", 4, Scene::kLast);
  EXPECT_NE(scene_.lookup(parts), "valid");
  const Hash label = scene_.keys.label("alice", 5);
  parts.absent[0] = scene_.keys.tree(Scene::kLast).open_parent_of(label);
  parts.absent[0].vrf_proof = scene_.keys.vrf_proof("alice", 5);
  EXPECT_EQ(scene_.lookup(parts), "absent_covers");
  // The server makes the same claim about version 1 of an existing key.
  LookupParts never = {0, {}, std::vector<NonMemberParts>(1)};
  never.absent[0] = scene_.keys.tree(Scene::kLast).open_parent_of(scene_.keys.label("bob", 1));
  never.absent[0].vrf_proof = scene_.keys.vrf_proof("bob", 1);
  EXPECT_EQ(scene_.lookup(never, "bob"), "absent_covers");
}

TEST_F(NegativeMember, N30OpenedContentAltered) {
  for (int i = 0; i < 20; ++i) {
    const std::string key = numbered("nobody-", i);
    const bool leaf = scene_.honest(key).absent[0].node == 2;
    EXPECT_EQ(changed([](LookupParts&) {}, key), "valid");
    EXPECT_EQ(changed([&](LookupParts& p) { (leaf ? p.absent[0].commitment : p.absent[0].left)[31] ^= 1; }, key),
              "absent_root");
    if (leaf) {
      EXPECT_EQ(changed([&](LookupParts& p) { ++p.absent[0].epoch; }, key), "absent_root");
      EXPECT_EQ(changed([&](LookupParts& p) { p.absent[0].position[31] ^= 1; }, key), "absent_root");
    } else {
      EXPECT_EQ(changed([&](LookupParts& p) { std::swap(p.absent[0].left, p.absent[0].right); }, key), "absent_root");
    }
  }
}

TEST_F(NegativeMember, N30BitsBeyondThePrefix) {
  for (int i = 0; i < 40; ++i) {
    const std::string key = numbered("nobody-", i);
    if (scene_.honest(key).absent[0].node == 1) {
      EXPECT_EQ(changed([](LookupParts& p) { p.absent[0].position[31] |= 1; }, key), "absent_padding");
      return;
    }
  }
  FAIL() << "no interior node was opened";
}

TEST_F(NegativeMember, N31OpenedLeafIsTheTarget) {
  LookupParts never = {0, {}, std::vector<NonMemberParts>(1)};
  const MemberParts bob = scene_.keys.member("bob", 1, Scene::kLast, false);
  never.absent[0].vrf_proof = bob.vrf_proof;
  never.absent[0].node = 2;
  never.absent[0].position = scene_.keys.label("bob", 1);
  std::ranges::copy(bob.commitment, never.absent[0].commitment.begin());
  never.absent[0].epoch = bob.epoch;
  never.absent[0].path = bob.path;
  EXPECT_EQ(scene_.lookup(never, "bob"), "absent_covers");
}

TEST_F(NegativeMember, N32AncestorBeyondTheDivergence) {
  // The proof opens the leaf of another key. At least one ancestor on its path is at or below the point where this
  // leaf's label diverges from the absent label.
  const Hash target = scene_.keys.label("carol", 1);
  int tried = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string other = numbered("user-", i);
    const MemberParts leaf = scene_.keys.member(other, 1, Scene::kLast, false);
    LookupParts parts = scene_.honest("carol");
    parts.absent[0].node = 2;
    parts.absent[0].position = scene_.keys.label(other, 1);
    std::ranges::copy(leaf.commitment, parts.absent[0].commitment.begin());
    parts.absent[0].epoch = leaf.epoch;
    parts.absent[0].path = leaf.path;
    if (common_prefix_length(target, parts.absent[0].position) == 0) {
      EXPECT_EQ(scene_.lookup(parts, "carol"), "absent_depth");
      ++tried;
    }
  }
  EXPECT_GE(tried, 3);
}

TEST_F(NegativeMember, N34AbsenceFromAnotherEpoch) {
  // In epoch 7 version 4 was the latest version; epoch 8 added version 5.
  LookupParts mixed = scene_.keys.lookup_at("alice", 4, 9);
  mixed.absent[0] = scene_.keys.absent("alice", 5, 7);
  EXPECT_EQ(scene_.lookup(mixed), "absent_root");
  EXPECT_EQ(scene_.lookup(scene_.keys.lookup("alice", 7), "alice", {}, 7), "valid");
}

TEST_F(NegativeMember, N36AbsentWithoutProof) {
  // First the answer lacks the vector of absence proofs; then this vector is empty.
  LookupParts parts = scene_.honest("carol");
  Bytes encoded = parts.encode();
  encoded.resize(8 + 3);
  EXPECT_EQ(scene_.lookup_answer(encode_answer(scene_.head(9, 10), {encoded}), "carol"), "malformed_truncated");
  parts.absent.clear();
  EXPECT_EQ(scene_.lookup(parts, "carol"), "ladder_count");
}

}  // namespace
}  // namespace optiks::ozks::verify::test
