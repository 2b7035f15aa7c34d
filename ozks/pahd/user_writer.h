// Writes the answers of docs/spec/users.md and docs/spec/recycled-names.md from a view. Every entry of an answer is
// from the view's epoch, so the answer has no parts.
//
// Thread safety: any thread, with a view that it holds. No call waits for the writer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "directory/data.h"
#include "pahd/label_prover.h"
#include "pahd/output.h"
#include "pahd/user_queries.h"

namespace optiks::ozks {

// The kind of a client's known state that is newer than the view.
enum class AheadOf : std::uint8_t { kNothing = 0, kUser = 1, kDevices = 2, kKey = 3 };

// The size of an answer, before its proofs are made.
struct UsersSummary {
  std::uint64_t num_entries = 0;
  std::uint64_t num_proofs = 0;
  std::size_t ahead_user = 0;  // index of the user that ahead_of is about
  AheadOf ahead_of = AheadOf::kNothing;
};

// Questions, and the maximum length of an answer about more than one user.
struct UsersRequest {
  UserQueryList queries;
  std::uint64_t max_entries;

  // True if the request is answered: the answer does not have too many entries, and no client knows more than the view.
  [[nodiscard]] bool is_answered(const UsersSummary& summary) const {
    return summary.ahead_of == AheadOf::kNothing && (queries.size() == 1 || summary.num_entries <= max_entries);
  }
};

// Returns the size of the answer, reading only the key table. For a request that is not answered, the function stops as
// soon as it knows that.
[[nodiscard]] UsersSummary summarize_users(const View& view, const UsersRequest& request);

// Adds the labels that write_users will need to a batch. For a request that is not answered, the function adds at most
// the labels of max_entries entries.
UsersSummary add_users(const View& view, const UsersRequest& request, ProofBatch& batch);

// Writes a UserLookupAnswer without its head, or nothing if the request is not answered. Returns false if a proof is
// missing that the source may not make; then nothing is written, but the summary is complete.
[[nodiscard]] bool write_users(const View& view, const UsersRequest& request, const ProofSource& source, Output& out,
                               UsersSummary& summary);

}  // namespace optiks::ozks
