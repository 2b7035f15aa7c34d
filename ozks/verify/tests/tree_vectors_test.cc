// Tests hashes, the prover's tree and append-only proofs against the roots that the Python reference computed
// (tests/vectors/tree).
#include <gtest/gtest.h>

#include <algorithm>

#include "optiks/ozks/verify/append.h"
#include "prover.h"
#include "vectors.h"

namespace optiks::ozks::verify::test {
namespace {

Hash to_hash(const Json& hex) {
  const Bytes octets = from_hex(hex);
  Hash hash{};
  EXPECT_EQ(octets.size(), hash.size());
  std::ranges::copy(octets, hash.begin());
  return hash;
}

TEST(TreeVectors, RootsOfHistories) {
  const Json vectors = load_vectors("tree/histories.json")["vectors"];
  EXPECT_GE(vectors.size(), 21U);
  std::size_t num_steps = 0;
  for (const Json& vector : vectors) {
    SCOPED_TRACE(vector["name"].get<std::string>());
    std::vector<Leaf> leaves;
    for (const Json& epoch : vector["epochs"]) {
      const Tree before(leaves);
      std::vector<Leaf> added;
      for (const Json& leaf : epoch["leaves"]) {
        added.push_back({to_hash(leaf[0]), to_hash(leaf[1]), leaf[2].get<std::uint64_t>()});
      }
      leaves.insert(leaves.end(), added.begin(), added.end());
      const Hash root = to_hash(epoch["root"]);
      EXPECT_EQ(Tree(leaves).root(), root);

      // An append-only proof can show this step only if all its leaves are of the same epoch, which must be greater
      // than the last step's.
      const auto is_new = [&](const Leaf& leaf) { return leaf.epoch > 0 && leaf.epoch == added.front().epoch; };
      if (!std::ranges::all_of(added, is_new)) {
        continue;
      }
      const std::uint64_t a = added.empty() ? 7 : added.front().epoch - 1;
      const Bytes encoded = before.append(a, added).encode();
      AppendProof proof;
      ASSERT_EQ(decode_whole(encoded, proof), Reason::kValid);
      const Hash old_root = before.root();
      const TreeState states[] = {{old_root, before.count()}, {root, leaves.size()}};
      auto workspace = AppendWorkspace::create(1);
      ASSERT_TRUE(workspace.has_value());
      EXPECT_EQ(name_of(verify_append(a, states, proof, *workspace)), "valid");
      ++num_steps;
    }
  }
  EXPECT_GE(num_steps, 20U);
}

}  // namespace
}  // namespace optiks::ozks::verify::test
