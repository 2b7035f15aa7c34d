// Tests that optiks_append_merge accepts any octets as append-only proofs of steps. The input has the number of steps;
// then, for each step, a count of each structure and the length of the step's proofs; then the proofs. If the input
// ends early, missing numbers are 0 and missing proofs are empty.
#include <algorithm>
#include <vector>

#include "optiks/base/bytes.h"
#include "optiks/base/check.h"
#include "optiks/optiks.h"
#include "optiks/ozks/verify/codec.h"

using namespace optiks::ozks::verify;

namespace {

constexpr std::size_t kMaxSteps = 8;

std::size_t number(ByteSpan& input, std::size_t octets) {
  std::size_t value = 0;
  for (; octets > 0 && !input.empty(); --octets, input = input.subspan(1)) {
    value = value << 8 | input[0];
  }
  return value;
}

// Checks that the merged proofs decode and that their leaves are in order.
void check(ByteSpan merged) {
  Reader reader(merged);
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    const auto proof = AppendProof::decode(reader);
    for (std::size_t at = kAddedLeafLen; at < proof.leaves.size(); at += kAddedLeafLen) {
      const ByteSpan before = proof.leaves.subspan(at - kAddedLeafLen, 32);
      const ByteSpan after = proof.leaves.subspan(at, 32);
      OPTIKS_CHECK(std::lexicographical_compare(before.begin(), before.end(), after.begin(), after.end()));
    }
  }
  OPTIKS_CHECK(reader.finish() == Reason::kValid);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteSpan input(data, size);
  const std::size_t n = 1 + number(input, 1) % kMaxSteps;
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> offsets = {0};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      counts.push_back(number(input, 1));
    }
    offsets.push_back(offsets.back() + number(input, 2));
  }
  for (std::uint64_t& offset : offsets) {
    offset = std::min<std::uint64_t>(offset, input.size());
  }
  std::vector<std::uint8_t> out(size + 1024);
  std::size_t len = 0;
  const std::int32_t status =
      optiks_append_merge(n, input.data(), offsets.data(), counts.data(), out.data(), out.size(), &len);
  OPTIKS_CHECK(status == OPTIKS_OK || status == OPTIKS_E_DATA);
  if (status == OPTIKS_OK) {
    check(ByteSpan(out).first(len));
  }
  return 0;
}
