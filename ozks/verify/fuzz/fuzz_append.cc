// Verifies an append-only proof. The fuzzer cannot find inputs that fit fixed tree states. So the target takes the
// counts of the states from the list of leaves in the input. The first octet of the input is the number of epochs.
#include <array>
#include <vector>

#include "fuzz_support.h"
#include "optiks/base/check.h"
#include "optiks/ozks/verify/append.h"

using namespace optiks::ozks::verify;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::size_t num_epochs = 1U + data[0];
  AppendProof proof;
  if (decode_whole(ByteSpan(data + 1, size - 1), proof) != Reason::kValid) {
    return 0;
  }
  const Hash root{};
  std::vector<TreeState> states(num_epochs + 1, TreeState{root, 1});
  for (std::size_t i = 0; i < proof.leaves.size(); i += kAddedLeafLen) {
    const std::size_t offset = proof.leaves[i + kAddedLeafLen - 1];
    for (std::size_t j = offset + 1; j < states.size(); ++j) {
      ++states[j].count;
    }
  }
  auto workspace = AppendWorkspace::create(num_epochs);
  OPTIKS_CHECK(workspace.has_value());
  fuzz::check_reason(verify_append(7, states, proof, *workspace));
  return 0;
}
