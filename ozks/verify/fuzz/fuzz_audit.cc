// Verifies an audit proof as an auditor who stores the proof's own first record. Then verifies only the append-only
// proofs, with the tree states that the proof's records claim.
#include <vector>

#include "fuzz_support.h"
#include "optiks/base/check.h"
#include "optiks/ozks/verify/append.h"

using namespace optiks::ozks::verify;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input(data, size);
  AuditProof proof;
  if (decode_whole(input, proof) != Reason::kValid) {
    return 0;
  }
  const EpochRecord stored = read_record(proof.records.first(kRecordLen));
  Context context = fuzz::context_for(stored.octets);
  context.now_ms = UINT64_MAX;
  AuditResult result;
  const auto verdict = verify_audit(context, stored, stored, input, result);
  OPTIKS_CHECK(verdict.ok());
  fuzz::check_reason(verdict.value());

  const std::size_t num_records = proof.records.size() / kRecordLen;
  auto workspace = AppendWorkspace::create(num_records - 1);
  OPTIKS_CHECK(workspace.has_value());
  std::vector<TreeState> states(num_records);
  for (const std::uint8_t id : kStructures) {
    for (std::size_t j = 0; j < num_records; ++j) {
      const StructureState state = read_record(proof.records.subspan(j * kRecordLen, kRecordLen)).structure(id);
      states[j] = {state.root, state.count};
    }
    fuzz::check_reason(verify_append(stored.epoch, states, proof.structures[structure_index(id)], *workspace));
  }
  return 0;
}
