// Verifies whole answers. The checks and their order are those of docs/spec/answers.md. Any thread may call the
// functions, but only one thread at a time may use an object.
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

// A client's input to the verifier (docs/spec/answers.md section 2). The octets to which its views point must outlive
// the verification.
struct Context {
  Anchor anchor;
  Ed25519Verify ed25519 = nullptr;
  std::uint64_t now_ms = 0;
  std::optional<Checkpoint> kept_checkpoint;
  std::optional<KeptRecord> kept_record;
  // The record of the last epoch of the requested period, if that period has ended (docs/spec/periods.md section 5).
  // The head's record must then be this record, and the verifier checks neither the record's age nor the kept record.
  std::optional<EpochRecord> ended_record;
};

struct VerifiedHead {
  EpochRecord record;
  Checkpoint checkpoint;
};

// A client's knowledge of one key, with the least epoch that it accepts for an answer.
struct KeyState {
  std::uint64_t least_epoch = 0;
  Known known;
};

// Does steps 2 to 4 of docs/spec/answers.md section 3 for a decoded head. Writes `out` only if it returns kValid.
Reason verify_head_alone(const Context& context, const Head& head, VerifiedHead& out);

// Does step 4 of docs/spec/answers.md section 3: checks that the checkpoint's log includes the record.
Reason check_included(const EpochRecord& record, const Checkpoint& checkpoint, ByteSpan inclusion);

// Does steps 2 to 5 of docs/spec/answers.md section 3 for a decoded head. Writes `out` only if it returns kValid.
Reason verify_head_of_any_time(const Context& context, const Head& head, VerifiedHead& out);

// Does the steps of docs/spec/answers.md section 3 from step 2 on. If the context has an ended record, does the checks
// for an ended period instead (docs/spec/periods.md section 5). Writes `out` only if it returns kValid.
Reason verify_head(const Context& context, const Head& head, VerifiedHead& out);

// Verifies an answer for `num_keys` keys. The caller calls begin(), then next() once for each key, in the order of the
// request. The verification ends when a call returns another reason than kValid.
template <typename Answer, typename Item>
class AnswerVerifier {
 public:
  AnswerVerifier() = default;
  // An object cannot be copied, because its view_ points to its vrf_public_key_.
  AnswerVerifier(const AnswerVerifier&) = delete;
  AnswerVerifier& operator=(const AnswerVerifier&) = delete;

  // Checks the encoding, the head, the number of answers and the VRF key.
  Reason begin(const Context& context, ByteSpan answer, std::size_t num_keys);

  // Valid after begin.
  [[nodiscard]] const VerifiedHead& head() const { return head_; }
  [[nodiscard]] const Head& encoded_head() const { return answer_.head; }
  [[nodiscard]] const List<Item>& items() const;

 protected:
  // Reads the next item, and checks that the answer's epoch is not before `state.least_epoch`. Aborts if it is called
  // more often than there are keys.
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

// Verifies a LookupAnswer about keys of the structure `keys` (docs/spec/answers.md section 4).
class LookupAnswerVerifier : public AnswerVerifier<LookupAnswer, Lookup> {
 public:
  Reason next(ByteSpan key, const KeyState& state, LookupResult& out);
};

class VersionsAnswerVerifier : public AnswerVerifier<VersionsAnswer, Versions> {
 public:
  // Returns the number of members of all keys together. All next() calls together write at most this number of entries.
  [[nodiscard]] std::size_t num_entries() const;

  // Verifies the answer about the next key. `entries` must have room for the entries of this key and of all later keys.
  Reason next(ByteSpan key, const KeyState& state, std::span<VersionEntry> entries, VersionsResult& out);
};

struct AuditResult {
  EpochRecord record;  // record of the proof's last epoch; a view into the proof
  // Element structure_index(s) is true if the proof showed that the tree of structure s only grew. It is false if the
  // tree was made anew at a switch of the period.
  std::array<bool, kNumStructures> structures{};
};

// Verifies an audit proof by docs/spec/answers.md section 5. `stored` is the auditor's stored record, and
// `period_start` is the record of the first epoch of the stored record's period. Writes `out` only if the reason is
// kValid. The result is a failed status (kUnavailable) only if memory runs out.
[[nodiscard]] base::Result<Reason> verify_audit(const Context& context, const EpochRecord& stored,
                                                const EpochRecord& period_start, ByteSpan octets, AuditResult& out);

}  // namespace optiks::ozks::verify
