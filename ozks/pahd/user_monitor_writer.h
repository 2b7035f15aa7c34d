// Writes an answer to an owner about its own user (docs/spec/user-monitor.md) from a view.
//
// The versions of the user's device list determine which device ids are followed, and the answer shows the keys of
// these ids. The writer reads the versions of the list from the leaf log, from the latest version back. So it knows the
// whole contents of an answer before it makes the proofs.
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

// The reason why a question is not answered.
enum class Unanswered : std::uint8_t {
  kNothing = 0,   // the question has an answer
  kNoUser = 1,    // no user with this id has a device list or has left
  kNoName = 2,    // a name leads to no user, or to a user that the caller may not see
  kDevices = 3,   // the client knows a later version of the list than the view has
  kKey = 4,       // the client knows a later version of a key than the view has
  kOtherKey = 5,  // with own_only: an id that the query names is in no searched version of the list
};

// The size of an answer, known before its proofs are made.
struct UserMonitorSummary {
  // The number of names, decommissions, lists and keys in the answer, plus one for each 64 versions of the list that
  // were read to make the answer.
  std::uint64_t num_entries = 0;
  std::uint64_t num_proofs = 0;
  std::size_t index = 0;  // index of the name or named id that is the cause of `unanswered`
  Unanswered unanswered = Unanswered::kNothing;
};

// Bounds of an answer. A page has at least one version of the list and of each followed key that has versions, even if
// this exceeds the bounds. Otherwise a client could not make progress.
struct UserMonitorPage {
  std::uint64_t max_members = 1;      // maximum number of versions of the list, and of versions of each key
  std::uint64_t max_all_members = 1;  // maximum number of versions of all keys together
  std::uint64_t max_followed = 1;     // maximum number of followed device ids; a page ends before it follows more ids
  std::uint64_t max_bytes = 1;        // approximate size of the answer in octets
};

struct UserMonitorRequest {
  UserMonitorQuery query;
  UserMonitorPage page;
  // True if the caller may learn nothing about other users. The answer then does not show whether a name leads to
  // another user or to no user. Otherwise a caller that may not look up names could find out which names exist.
  bool own_only = false;
};

// Returns the size of an answer. The function reads only the key table and the leaf log.
[[nodiscard]] UserMonitorSummary summarize_user_monitor(const View& view, const UserMonitorRequest& request);

// Adds to the batch the labels that write_user_monitor() will need.
UserMonitorSummary add_user_monitor(const View& view, const UserMonitorRequest& request, ProofBatch& batch);

// Writes a UserMonitorAnswer without its head. Writes nothing if the question has no answer. Makes the proofs that are
// neither in the batch nor cached.
UserMonitorSummary write_user_monitor(const View& view, const UserMonitorRequest& request, const ProofBatch& batch,
                                      Output& out);

}  // namespace optiks::ozks
