// Tests the verdicts on the configurations of the Python reference (tests/vectors/anchor).
#include <gtest/gtest.h>

#include <set>

#include "optiks/ozks/verify/record.h"
#include "vectors.h"

namespace optiks::ozks::verify::test {
namespace {

TEST(AnchorVectors, Configurations) {
  const Json vectors = load_vectors("anchor/configurations.json")["vectors"];
  EXPECT_GE(vectors.size(), 40U);
  std::set<std::string> reasons;
  for (const Json& vector : vectors) {
    SCOPED_TRACE(vector["kind"].get<std::string>());
    const Bytes octets = from_hex(vector["configuration"]);
    Configuration configuration;
    const std::string reason = name_of(read_configuration(octets, configuration));
    EXPECT_EQ(reason, vector["reason"].get<std::string>());
    reasons.insert(reason);
  }
  EXPECT_EQ(reasons, (std::set<std::string>{"configuration", "malformed_length", "malformed_trailing",
                                            "malformed_truncated", "valid"}));
}

}  // namespace
}  // namespace optiks::ozks::verify::test
