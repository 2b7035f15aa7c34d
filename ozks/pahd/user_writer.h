// Writes the answers of docs/spec/users.md and docs/spec/recycled-names.md from a view. Every entry of an answer is of
// the view's epoch, so the answer's list of parts is empty.
//
// Thread safety: any thread that holds a view may call these functions. No call waits for the directory's writer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "directory/data.h"
#include "pahd/label_prover.h"
#include "pahd/output.h"
#include "pahd/user_queries.h"

namespace optiks::ozks {

// Says which part of a client's known state is newer than the view.
enum class AheadOf : std::uint8_t { kNothing = 0, kUser = 1, kDevices = 2, kKey = 3 };

// The size of an answer, known before its proofs are made.
struct UsersSummary {
  std::uint64_t num_entries = 0;
  std::uint64_t num_proofs = 0;
  std::size_t ahead_user = 0;  // index of the user to whom `ahead_of` refers
  AheadOf ahead_of = AheadOf::kNothing;
};

// Questions about users, and the maximum number of entries in an answer about more than one user.
struct UsersRequest {
  UserQueryList queries;
  std::uint64_t max_entries;

  // True if the request has an answer: the answer does not have too many entries, and no client knows a newer state
  // than the view.
  [[nodiscard]] bool is_answered(const UsersSummary& summary) const {
    return summary.ahead_of == AheadOf::kNothing && (queries.size() == 1 || summary.num_entries <= max_entries);
  }
};

// Returns the size of the answer. Reads only the key table and the leaf log. If the request has no answer, stops as
// soon as it finds this.
[[nodiscard]] UsersSummary summarize_users(const View& view, const UsersRequest& request);

// Adds to the batch the labels that write_users() will need. If the request has no answer, adds at most the labels of
// `max_entries` entries.
UsersSummary add_users(const View& view, const UsersRequest& request, ProofBatch& batch);

// Writes a UserLookupAnswer without its head. Writes nothing if the request has no answer. If `batch` is null and a
// proof is not cached, returns false and writes nothing; the summary is then complete.
[[nodiscard]] bool write_users(const View& view, const UsersRequest& request, const ProofBatch* batch, Output& out,
                               UsersSummary& summary);

}  // namespace optiks::ozks
