// Tests the verdicts on the pairs of leaf statements of the Python reference (tests/vectors/leaves).
#include <gtest/gtest.h>

#include <map>

#include "optiks/ozks/verify/leaves.h"
#include "prover.h"
#include "vectors.h"

namespace optiks::ozks::verify::test {
namespace {

TEST(LeafVectors, Leaves) {
  const Json file = load_vectors("leaves/statements.json");
  std::map<std::string, int> seen;
  for (const Json& vector : file["vectors"]) {
    SCOPED_TRACE(vector["kind"].get<std::string>());
    const Json& anchor = file["anchors"][vector["anchor"].get<std::size_t>()];
    const Bytes configuration = from_hex(anchor["configuration"]);
    const Bytes log_key = from_hex(anchor["log_key"]);
    Context context;
    context.ed25519 = ed25519_verify;
    ASSERT_EQ(name_of(make_anchor(configuration, log_key, context.anchor)), "valid");
    const Bytes first = from_hex(vector["first"]);
    const Bytes second = from_hex(vector["second"]);
    const std::string reason = name_of(judge_leaves(context, first, second));
    EXPECT_EQ(reason, vector["reason"].get<std::string>());
    // The verdict must not depend on the order of the statements.
    EXPECT_EQ(judge_leaves(context, second, first) == Reason::kLeafContradicts, reason == "leaf_contradicts");
    ++seen[reason];
  }
  EXPECT_GE(seen["leaf_contradicts"], 15);
  EXPECT_GE(seen["leaf_agrees"], 15);
  EXPECT_GE(seen.size(), 25U);
}

}  // namespace
}  // namespace optiks::ozks::verify::test
