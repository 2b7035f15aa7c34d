// Writing the answers of docs/spec/users.md and docs/spec/recycled-names.md from a view: all of one answer is of its
// epoch, so that it has no parts.
//
// Thread safety: any thread, with a view that it holds. Nothing waits for the writer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "directory/data.h"
#include "pahd/label_prover.h"
#include "pahd/output.h"
#include "pahd/user_queries.h"

namespace optiks::ozks {

// What a client knows that the view does not have.
enum class AheadOf : std::uint8_t { kNothing = 0, kUser = 1, kDevices = 2, kKey = 3 };

// UsersSummary: what an answer will be, known before its proofs are made.
struct UsersSummary {
  std::uint64_t num_entries = 0;
  std::uint64_t num_proofs = 0;
  std::size_t ahead_user = 0;  // index of the user who the rest is about
  AheadOf ahead_of = AheadOf::kNothing;
};

// UsersRequest: questions, and how long an answer about more than one user may be.
struct UsersRequest {
  UserQueryList queries;
  std::uint64_t max_entries;

  // Whether an answer is written: there are not too many entries, and no client is ahead.
  [[nodiscard]] bool is_answered(const UsersSummary& summary) const {
    return summary.ahead_of == AheadOf::kNothing && (queries.size() == 1 || summary.num_entries <= max_entries);
  }
};

// summarize_users looks into the table of keys alone. Of requests that are not answered it stops where that is known.
[[nodiscard]] UsersSummary summarize_users(const View& view, const UsersRequest& request);

// add_users adds to a batch what write_users will need; of a request that is not answered no more than max_entries
// need.
UsersSummary add_users(const View& view, const UsersRequest& request, ProofBatch& batch);

// write_users writes a UserLookupAnswer but for its head: nothing of a request that is not answered. False when the
// source has not all proofs and makes none, with nothing written and the summary made.
[[nodiscard]] bool write_users(const View& view, const UsersRequest& request, const ProofSource& source, Output& out,
                               UsersSummary& summary);

}  // namespace optiks::ozks
