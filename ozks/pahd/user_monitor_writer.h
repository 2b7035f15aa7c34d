// Writes an answer to an owner about its own user (docs/spec/user-monitor.md) from a view.
//
// The versions of the list determine whose keys are followed. The writer follows the versions of the list along the
// leaf log, from the latest version back. So the whole contents of an answer are known before its proofs are made.
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

// The reason why a question is not answered.
enum class Unanswered : std::uint8_t {
  kNothing = 0,   // the question is answered
  kNoUser = 1,    // no such user has a list, or has left
  kNoName = 2,    // a name leads to no user, or to a user that the caller may not see
  kDevices = 3,   // the client knows a later version of the list
  kKey = 4,       // the client knows a later version of the key of an id that it names
  kOtherKey = 5,  // no searched version of the list has an id that the query names, and the caller may not be told
};

// The size of an answer, before its proofs are made.
struct UserMonitorSummary {
  // The number of names, decommission, list and keys that the answer shows, plus one for each 64 versions of the list
  // that had to be read to make the answer.
  std::uint64_t num_entries = 0;
  std::uint64_t num_proofs = 0;
  std::size_t index = 0;  // index of the name or the named id that is the reason
  Unanswered unanswered = Unanswered::kNothing;
};

// Bounds of an answer. A page always has a version of the list, and of each followed key, if there are any: otherwise
// no client would make progress.
struct UserMonitorPage {
  std::uint64_t max_members = 1;      // maximum number of versions of the list, and of each key
  std::uint64_t max_all_members = 1;  // maximum number of versions of all keys together
  std::uint64_t max_followed = 1;     // maximum number of followed ids, beyond which the list's page ends
  std::uint64_t max_bytes = 1;        // approximate size of the answer in octets
};

struct UserMonitorRequest {
  UserMonitorQuery query;
  UserMonitorPage page;
  // Whether the caller may see no other user. Then the answer does not show whether a name leads to another user or to
  // no user: a caller that may not look up names could otherwise find out which names exist.
  bool own_only = false;
};

// Returns the size of an answer. Reads only the key table and the leaf log.
[[nodiscard]] UserMonitorSummary summarize_user_monitor(const View& view, const UserMonitorRequest& request);

// Adds the labels that write_user_monitor will need to a batch.
UserMonitorSummary add_user_monitor(const View& view, const UserMonitorRequest& request, ProofBatch& batch);

// Writes a UserMonitorAnswer without its head, or nothing if the question is not answered. Makes the proofs that the
// batch lacks.
UserMonitorSummary write_user_monitor(const View& view, const UserMonitorRequest& request, const ProofBatch& batch,
                                      Output& out);

}  // namespace optiks::ozks
