// The journal in which a host with files keeps a client's state (docs/spec/client-state.md sections 4 and 5). The
// records are in memory. The journal answers the effects Load and Commit, and says which octets the host writes.
//
// Invariants: (1) A commit changes everything or nothing. (2) A state without commits has no file. (3) After a fault of
// open(), or if the host could not write what commit() or compact() returned, the object must not be used any more: the
// host reads the file again.
//
// Thread safety: one thread at a time may use a journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "optiks/client/effects.h"
#include "optiks/client/octets.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::client {

// The record that each commit writes. The core computes it: a host only compares it.
struct Meta {
  ozks::verify::Hash log_id{};
  std::uint64_t revision = 0;     // one more than before the commit
  ozks::verify::Hash set_hash{};  // of the records after the commit

  [[nodiscard]] Bytes encode() const;
};

// Adds the record to a set hash, or removes it: the set hash is an XOR. The record is not meta.
void toggle_record(ozks::verify::Hash& set_hash, ByteSpan key, ByteSpan body);

enum class JournalFault : std::uint8_t {
  kNone,
  kNotAJournal,
  kLaterFormat,  // a later version of the client wrote the file
  kOtherLog,
  kDamaged,
};

// The order of keys: octet by octet, and a prefix comes before a longer key.
struct KeyOrder {
  using is_transparent = void;
  bool operator()(ByteSpan a, ByteSpan b) const;
};

class Journal {
 public:
  struct Opened {
    JournalFault fault = JournalFault::kNone;
    const char* what = "";     // for kDamaged: what is wrong
    std::size_t good_len = 0;  // the length of the whole commits; for kDamaged, the commit after them is damaged
  };

  explicit Journal(const ozks::verify::Hash& log_id) : log_id_(log_id) {}

  // Reads a file into a new journal. If good_len is less than the length of the file, a crash left the beginning of one
  // more commit, and the host cuts the file to good_len before it writes anything.
  [[nodiscard]] Opened open(ByteSpan file);

  [[nodiscard]] std::uint64_t revision() const { return revision_; }

  // Returns all records that a Load names.
  [[nodiscard]] LoadReply load(const Load& load) const;

  // Makes the changes of a commit. Sets `append` to the octets that the host writes at the end of the file, and syncs,
  // before it replies; if the state had no commit, they are a whole file. Without a change, returns kConflict if the
  // state has another revision than the commit's base, and kFailed if the commit breaks a rule of the specification.
  [[nodiscard]] CommitOutcome commit(const Commit& commit, Bytes& append);

  // Returns whether the file has become so long that a host should replace it by compact().
  [[nodiscard]] bool is_worth_compacting() const;

  // Returns the file with only the live records. The host writes it to another name, syncs it, renames it, and syncs
  // the folder. The revision stays.
  [[nodiscard]] Bytes compact();

 private:
  using Digest = ozks::verify::Hash;
  struct Changes {
    std::vector<std::pair<ByteSpan, ByteSpan>> puts;
    std::vector<ByteSpan> deletes;
  };

  // Returns null, or why the octets are not a structure Changes of this state. Sets `next` to the set hash after it.
  const char* read(ByteSpan octets, Changes& changes, Digest& next) const;
  // Returns null, or why the commit may not follow the state. Without meta, only the beginning of a snapshot may.
  const char* check(const Changes& changes, const Digest& next) const;
  void apply(const Changes& changes, const Digest& next);
  void add_frame(Bytes& file, ByteSpan changes);

  Digest log_id_;
  std::map<Bytes, Bytes, KeyOrder> records_;  // with meta
  Digest set_hash_{};
  std::uint64_t revision_ = 0;
  std::array<std::uint8_t, 16> check_{};  // of the last frame or of the header
  std::size_t len_ = 0;                   // of the file
  std::size_t live_len_ = 0;              // of the records, as they are encoded in puts
};

}  // namespace optiks::client
