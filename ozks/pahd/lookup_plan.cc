#include "pahd/lookup_plan.h"

#include "optiks/ozks/verify/encode.h"

namespace optiks::ozks {

void check_can_answer(const View& view) {
  if (view.data().kept_values != KeptValues::kAll) {
    throw DirectoryError(OPTIKS_E_STATE, "a directory that does not keep all values answers no lookups");
  }
}

std::uint64_t latest_version(const View& view, const Tag& key, LeafRecord& record) {
  return view.data().latest(key, view.state().epoch, record) ? record.facts().version : 0;
}

void LookupPlan::write(ProofWriter& writer, std::size_t& next, Output& out) const {
  const auto members = [&] {
    for (std::size_t member = 1; member <= num_members; ++member) {
      // The last member is the latest version, because a ladder that is not empty ends with the latest version.
      const bool is_latest = member == num_members;
      writer.member(next++, is_latest, false, is_latest ? &latest : nullptr);
    }
  };
  const auto absent = [&] { writer.non_members(next, num_absent); };
  verify::encode_lookup(out, version, members, absent);
}

}  // namespace optiks::ozks
