// Whole answers in the order of checks of docs/spec/answers.md. Any thread; one thread at a time for one object.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "optiks/base/status.h"
#include "optiks/ozks/verify/checkpoint.h"
#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/lookup.h"
#include "optiks/ozks/verify/reasons.h"
#include "optiks/ozks/verify/record.h"
#include "optiks/ozks/verify/versions.h"

namespace optiks::ozks::verify {

// Context: what a verifier brings (section 2). Views; all of it outlives the verification.
struct Context {
  Anchor anchor;
  Ed25519Verify ed25519 = nullptr;
  std::uint64_t now_ms = 0;
  std::optional<Checkpoint> kept_checkpoint;
  std::optional<KeptRecord> kept_record;
  // Of the last epoch of the period that is asked for, if that has ended (docs/spec/periods.md section 5): the head's
  // record is this one, and neither its age nor the kept record is looked at.
  std::optional<EpochRecord> ended_record;
};

struct VerifiedHead {
  EpochRecord record;
  Checkpoint checkpoint;
};

// KeyState: what a verifier brings for one key.
struct KeyState {
  std::uint64_t least_epoch = 0;
  Known known;
};

// verify_head_alone: section 3 steps 2 to 4, for a decoded head. `out` is written on kValid only.
Reason verify_head_alone(const Context& context, const Head& head, VerifiedHead& out);

// check_included: section 3 step 4.
Reason check_included(const EpochRecord& record, const Checkpoint& checkpoint, ByteSpan inclusion);

// verify_head_of_any_time: section 3 steps 2 to 5, for a decoded head. `out` is written on kValid only.
Reason verify_head_of_any_time(const Context& context, const Head& head, VerifiedHead& out);

// verify_head: section 3 from step 2 on, or what takes its place for an ended period, likewise.
Reason verify_head(const Context& context, const Head& head, VerifiedHead& out);

// AnswerVerifier goes through an answer to `num_keys` keys: begin, then one next for each key in the order asked. The
// first reason that is not kValid ends it.
template <typename Answer, typename Item>
class AnswerVerifier {
 public:
  AnswerVerifier() = default;
  // The view points at the key beside it.
  AnswerVerifier(const AnswerVerifier&) = delete;
  AnswerVerifier& operator=(const AnswerVerifier&) = delete;

  // Decoding, the head, the number of answers, the VRF key.
  Reason begin(const Context& context, ByteSpan answer, std::size_t num_keys);

  // Valid after begin.
  [[nodiscard]] const VerifiedHead& head() const { return head_; }
  [[nodiscard]] const Head& encoded_head() const { return answer_.head; }
  [[nodiscard]] const List<Item>& items() const;

 protected:
  // The next item, after the check of its least epoch. Aborts when called more often than there are keys.
  Reason take(const KeyState& state, Item& out);
  [[nodiscard]] const StructureView& view() const { return view_; }

 private:
  Answer answer_;
  VerifiedHead head_;
  vrf::PublicKey vrf_public_key_;
  StructureView view_;
  std::optional<typename List<Item>::Iterator> position_;
  std::size_t left_ = 0;
};

// Structure keys, section 4.
class LookupAnswerVerifier : public AnswerVerifier<LookupAnswer, Lookup> {
 public:
  Reason next(ByteSpan key, const KeyState& state, LookupResult& out);
};

class VersionsAnswerVerifier : public AnswerVerifier<VersionsAnswer, Versions> {
 public:
  // Members of all keys together: the capacity that the entries of all `next` calls need.
  [[nodiscard]] std::size_t num_entries() const;

  // entries: room for what is left of num_entries.
  Reason next(ByteSpan key, const KeyState& state, std::span<VersionEntry> entries, VersionsResult& out);
};

struct AuditResult {
  EpochRecord record;  // of the last epoch; a view into the proof
  // Of structure s at s - 1: whether its tree was shown to have only grown. Not that of a structure which a switch of
  // the period makes anew.
  std::array<bool, kNumStructures> structures{};
};

// verify_audit: section 5, from the auditor's stored record and the record of the first epoch of its period. `out` is
// written on kValid only. The result is a failed status (kUnavailable) only when there is no memory.
[[nodiscard]] base::Result<Reason> verify_audit(const Context& context, const EpochRecord& stored,
                                                const EpochRecord& period_start, ByteSpan octets, AuditResult& out);

}  // namespace optiks::ozks::verify
