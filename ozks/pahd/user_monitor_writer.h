// Writing what an owner is shown of its own user (docs/spec/user-monitor.md) from a view.
//
// The versions of the list say whose keys are followed. They are found along the leaf log, from the latest back, so
// that all an answer will show is known before its proofs are made.
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

// Why nothing is answered.
enum class Unanswered : std::uint8_t {
  kNothing = 0,    // all is
  kNoUser = 1,     // no such user has a list, or has left
  kNoName = 2,     // a name leads nowhere
  kOtherUser = 3,  // a name leads to another user, and that is not to be told
  kDevices = 4,    // the client knows a later version of the list
  kKey = 5,        // of the key of an id that it names
  kOtherKey = 6,   // an id that it names was on no version of the list that is searched, and that is not to be told
};

// UserMonitorSummary: what an answer will be, known before its proofs are made.
struct UserMonitorSummary {
  // Names, decommission, list and keys that it shows, and one for each 64 versions of the list that had to be
  // read on the way to it.
  std::uint64_t num_entries = 0;
  std::uint64_t num_proofs = 0;
  std::size_t index = 0;  // of the name or the named id that is why
  Unanswered unanswered = Unanswered::kNothing;
};

// UserMonitorPage bounds an answer. Whatever it says, a page has a version of the list, and of each followed key, if
// there are any: else nobody would get on.
struct UserMonitorPage {
  std::uint64_t max_members = 1;      // of the list, and of each key
  std::uint64_t max_all_members = 1;  // of all keys together
  std::uint64_t max_followed = 1;     // ids, beyond which the list's page ends
  std::uint64_t max_bytes = 1;        // about
};

struct UserMonitorRequest {
  UserMonitorQuery query;
  UserMonitorPage page;
  // Whether there is kOtherUser and kOtherKey: who asks may see no other user.
  bool own_only = false;
};

// summarize_user_monitor looks into the table of keys and the leaf log alone.
[[nodiscard]] UserMonitorSummary summarize_user_monitor(const View& view, const UserMonitorRequest& request);

// add_user_monitor adds to a batch what write_user_monitor will need.
UserMonitorSummary add_user_monitor(const View& view, const UserMonitorRequest& request, ProofBatch& batch);

// write_user_monitor writes a UserMonitorAnswer but for its head; nothing of a request that is not answered. What the
// batch lacks is made here.
UserMonitorSummary write_user_monitor(const View& view, const UserMonitorRequest& request, const ProofBatch& batch,
                                      Output& out);

}  // namespace optiks::ozks
