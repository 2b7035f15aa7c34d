#include "pahd/lookup_plan.h"

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
  out.put_integer(version, 8);
  const std::size_t members_at = out.begin_vector(3);
  for (std::size_t member = 1; member <= num_members; ++member) {
    // The last member is the latest version, because a ladder that is not empty ends with the latest version.
    const bool is_latest = member == num_members;
    writer.member(next++, is_latest, false, is_latest ? &latest : nullptr);
  }
  out.end_vector(members_at, 3);
  const std::size_t absent_at = out.begin_vector(3);
  for (std::size_t absent = 0; absent < num_absent; ++absent) {
    writer.non_member(next++);
  }
  out.end_vector(absent_at, 3);
}

}  // namespace optiks::ozks
