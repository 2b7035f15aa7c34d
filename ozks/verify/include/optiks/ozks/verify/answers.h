// Verifies whole answers in the order of checks of docs/spec/answers.md. Any thread; one thread at a time for one
// object.
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

// A client's input to the verifier (section 2). Its views must outlive the verification.
struct Context {
  Anchor anchor;
  Ed25519Verify ed25519 = nullptr;
  std::uint64_t now_ms = 0;
  std::optional<Checkpoint> kept_checkpoint;
  std::optional<KeptRecord> kept_record;
  // The record of the last epoch of the requested period, if that period has ended (docs/spec/periods.md section 5).
  // The head's record must be this record; the verifier checks neither its age nor the kept record.
  std::optional<EpochRecord> ended_record;
};

struct VerifiedHead {
  EpochRecord record;
  Checkpoint checkpoint;
};

// A client's knowledge of one key.
struct KeyState {
  std::uint64_t least_epoch = 0;
  Known known;
};

// Does steps 2 to 4 of section 3, for a decoded head. `out` is written only on kValid.
Reason verify_head_alone(const Context& context, const Head& head, VerifiedHead& out);

// Does step 4 of section 3: checks that the checkpoint includes the record.
Reason check_included(const EpochRecord& record, const Checkpoint& checkpoint, ByteSpan inclusion);

// Does steps 2 to 5 of section 3, for a decoded head. `out` is written only on kValid.
Reason verify_head_of_any_time(const Context& context, const Head& head, VerifiedHead& out);

// Does section 3 from step 2 on, or its replacement for an ended period. `out` is written only on kValid.
Reason verify_head(const Context& context, const Head& head, VerifiedHead& out);

// Verifies an answer for `num_keys` keys: call begin, then next once for each key in the order of the request. The
// first reason other than kValid ends the verification.
template <typename Answer, typename Item>
class AnswerVerifier {
 public:
  AnswerVerifier() = default;
  // Not copyable: view_ points at vrf_key_ in the same object.
  AnswerVerifier(const AnswerVerifier&) = delete;
  AnswerVerifier& operator=(const AnswerVerifier&) = delete;

  // Checks the encoding, the head, the number of answers and the VRF key.
  Reason begin(const Context& context, ByteSpan answer, std::size_t num_keys);

  // Valid after begin.
  [[nodiscard]] const VerifiedHead& head() const { return head_; }
  [[nodiscard]] const Head& encoded_head() const { return answer_.head; }
  [[nodiscard]] const List<Item>& items() const;

 protected:
  // Reads the next item and checks its least epoch. Aborts if it is called more often than there are keys.
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

// Verifies lookups in structure keys, as section 4 says.
class LookupAnswerVerifier : public AnswerVerifier<LookupAnswer, Lookup> {
 public:
  Reason next(ByteSpan key, const KeyState& state, LookupResult& out);
};

class VersionsAnswerVerifier : public AnswerVerifier<VersionsAnswer, Versions> {
 public:
  // Returns the number of members of all keys together, which is the capacity for the entries of all `next` calls.
  [[nodiscard]] std::size_t num_entries() const;

  // entries has room for the entries of this key and of all following keys.
  Reason next(ByteSpan key, const KeyState& state, std::span<VersionEntry> entries, VersionsResult& out);
};

struct AuditResult {
  EpochRecord record;  // record of the last epoch; a view into the proof
  // Element s - 1: whether the proof showed that the tree of structure s only grew. False for a structure whose tree a
  // switch of the period makes anew.
  std::array<bool, kNumStructures> structures{};
};

// Verifies an audit proof by section 5, from the auditor's stored record and the record of the first epoch of its
// period. `out` is written only on kValid. The result is a failed status (kUnavailable) only if memory runs out.
[[nodiscard]] base::Result<Reason> verify_audit(const Context& context, const EpochRecord& stored,
                                                const EpochRecord& period_start, ByteSpan octets, AuditResult& out);

}  // namespace optiks::ozks::verify
