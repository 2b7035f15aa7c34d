#include "optiks/ozks/verify/answers.h"

#include "optiks/base/check.h"
#include "optiks/ozks/verify/append.h"
#include "optiks/ozks/verify/rfc6962.h"
#include "try.h"

namespace optiks::ozks::verify {
namespace {

// Does step 3 of docs/spec/answers.md section 3.
Reason check_checkpoint(const Context& context, const Head& head, Checkpoint& out) {
  const std::optional<Checkpoint>& kept = context.kept_checkpoint;
  if (head.checkpoint.empty()) {
    if (!kept) {
      return Reason::kCheckpointMissing;
    }
    out = *kept;
    return head.consistency.empty() ? Reason::kValid : Reason::kCheckpointConsistency;
  }
  OPTIKS_TRY(verify_checkpoint(head.checkpoint, context.anchor.configuration.origin, context.anchor.log_public_key,
                               context.ed25519, out));
  if (!kept) {
    return head.consistency.empty() ? Reason::kValid : Reason::kCheckpointConsistency;
  }
  if (out.size < kept->size) {
    return Reason::kStale;
  }
  if (out.size == kept->size && out.root != kept->root) {
    return Reason::kFork;
  }
  const bool consistent = verify_consistency(kept->size, out.size, kept->root, out.root, head.consistency);
  return consistent ? Reason::kValid : Reason::kCheckpointConsistency;
}

const List<Lookup>& items_of(const LookupAnswer& answer) { return answer.lookups; }
const List<Versions>& items_of(const VersionsAnswer& answer) { return answer.versions; }

// Does steps 2 and 3 of docs/spec/answers.md section 5.
Reason check_audit_records(const Context& context, const EpochRecord& stored, const EpochRecord& period_start,
                           ByteSpan records) {
  if (!equal(records.first(kRecordLen), stored.octets)) {
    return Reason::kAuditStart;
  }
  OPTIKS_TRY(check_period_start(period_start, stored, context.anchor));
  std::uint64_t period_start_ms = period_start.time_ms;
  EpochRecord before = stored;
  for (records = records.subspan(kRecordLen); !records.empty(); records = records.subspan(kRecordLen)) {
    const EpochRecord record = read_record(records.first(kRecordLen));
    OPTIKS_TRY(check_record(record, context.anchor));
    // The comparison must not wrap: no epoch follows the epoch 2^64 - 1, not even epoch 0.
    if (record.epoch <= before.epoch || record.epoch - before.epoch != 1) {
      return Reason::kRecordEpoch;
    }
    OPTIKS_TRY(check_record_after(record, before, context.anchor.configuration, period_start_ms));
    OPTIKS_TRY(check_not_from_future(record, context.anchor.configuration, context.now_ms));
    if (record.period != before.period) {
      period_start_ms = record.time_ms;
    }
    before = record;
  }
  return Reason::kValid;
}

// Does step 4 of docs/spec/answers.md section 5, for a proof whose records are of two periods.
Reason check_switch(const AuditProof& proof) {
  if (proof.records.size() != 2 * kRecordLen) {
    return Reason::kAuditCrossesSwitch;
  }
  for (const std::uint8_t id : kStructures) {
    const AppendProof& proven = proof.structures[structure_index(id)];
    if (is_per_period(id) && (!proven.leaves.empty() || !proven.opened.empty())) {
      return Reason::kAuditCrossesSwitch;
    }
  }
  return Reason::kValid;
}

Reason check_structures(const EpochRecord& stored, const AuditProof& proof, bool switched, AppendWorkspace& workspace) {
  std::array<TreeState, kMaxAuditRecords> states;
  const std::size_t num_records = proof.records.size() / kRecordLen;
  for (const std::uint8_t id : kStructures) {
    if (switched && is_per_period(id)) {
      continue;
    }
    for (std::size_t j = 0; j < num_records; ++j) {
      const StructureState state = read_record(proof.records.subspan(j * kRecordLen, kRecordLen)).structure(id);
      states[j] = {state.root, state.count};
    }
    OPTIKS_TRY(verify_append(stored.epoch, std::span(states).first(num_records), proof.structures[structure_index(id)],
                             workspace));
  }
  return Reason::kValid;
}

}  // namespace

Reason check_included(const EpochRecord& record, const Checkpoint& checkpoint, ByteSpan inclusion) {
  if (record.epoch >= checkpoint.size) {
    return Reason::kInclusionIndex;
  }
  const Hash leaf = log_leaf_hash(record.octets);
  return verify_inclusion(record.epoch, checkpoint.size, leaf, checkpoint.root, inclusion) ? Reason::kValid
                                                                                           : Reason::kInclusionProof;
}

Reason verify_head_alone(const Context& context, const Head& head, VerifiedHead& out) {
  VerifiedHead found;
  found.record = read_record(head.record);
  OPTIKS_TRY(check_record(found.record, context.anchor));
  OPTIKS_TRY(check_checkpoint(context, head, found.checkpoint));
  OPTIKS_TRY(check_included(found.record, found.checkpoint, head.inclusion));
  out = found;
  return Reason::kValid;
}

Reason verify_head_of_any_time(const Context& context, const Head& head, VerifiedHead& out) {
  VerifiedHead found;
  OPTIKS_TRY(verify_head_alone(context, head, found));
  if (context.kept_record) {
    OPTIKS_TRY(check_against_kept(found.record, *context.kept_record, context.anchor));
  }
  out = found;
  return Reason::kValid;
}

Reason verify_head(const Context& context, const Head& head, VerifiedHead& out) {
  VerifiedHead found;
  if (context.ended_record) {
    OPTIKS_TRY(verify_head_alone(context, head, found));
    if (!equal(found.record.octets, context.ended_record->octets)) {
      return Reason::kRecordEpoch;
    }
  } else {
    OPTIKS_TRY(verify_head_of_any_time(context, head, found));
    OPTIKS_TRY(check_fresh(found.record, context.anchor.configuration, context.now_ms));
  }
  out = found;
  return Reason::kValid;
}

template <typename Answer, typename Item>
const List<Item>& AnswerVerifier<Answer, Item>::items() const {
  return items_of(answer_);
}

template <typename Answer, typename Item>
Reason AnswerVerifier<Answer, Item>::begin(const Context& context, ByteSpan answer, std::size_t num_keys) {
  OPTIKS_TRY(decode_whole(answer, answer_));
  OPTIKS_TRY(verify_head(context, answer_.head, head_));
  if (items().size() != num_keys) {
    return Reason::kAnswerCount;
  }
  OPTIKS_TRY(read_vrf_key(head_.record, kKeys, vrf_public_key_));
  view_ = structure_view(head_.record, kKeys, vrf_public_key_, context.anchor.configuration.max_value_len);
  position_.emplace(items().begin());
  left_ = num_keys;
  return Reason::kValid;
}

template <typename Answer, typename Item>
Reason AnswerVerifier<Answer, Item>::take(const KeyState& state, Item& out) {
  OPTIKS_CHECK(left_ != 0);
  out = **position_;
  ++*position_;
  --left_;
  return view_.epoch >= state.least_epoch ? Reason::kValid : Reason::kStale;
}

template class AnswerVerifier<LookupAnswer, Lookup>;
template class AnswerVerifier<VersionsAnswer, Versions>;

Reason LookupAnswerVerifier::next(ByteSpan key, const KeyState& state, LookupResult& out) {
  Lookup lookup;
  OPTIKS_TRY(take(state, lookup));
  return verify_lookup(view(), key, state.known, lookup, out);
}

std::size_t VersionsAnswerVerifier::num_entries() const {
  std::size_t count = 0;
  for (const Versions& versions : items()) {
    count += versions.members.size();
  }
  return count;
}

Reason VersionsAnswerVerifier::next(ByteSpan key, const KeyState& state, std::span<VersionEntry> entries,
                                    VersionsResult& out) {
  Versions versions;
  OPTIKS_TRY(take(state, versions));
  return verify_versions(view(), key, state.known, versions, entries, out);
}

base::Result<Reason> verify_audit(const Context& context, const EpochRecord& stored, const EpochRecord& period_start,
                                  ByteSpan octets, AuditResult& out) {
  AuditProof proof;
  OPTIKS_TRY(decode_whole(octets, proof));
  OPTIKS_TRY(check_audit_records(context, stored, period_start, proof.records));
  const EpochRecord last = read_record(proof.records.last(kRecordLen));
  const bool switched = last.period != stored.period;
  if (switched) {
    OPTIKS_TRY(check_switch(proof));
  }
  std::optional<AppendWorkspace> workspace = AppendWorkspace::create(proof.records.size() / kRecordLen - 1);
  if (!workspace) {
    return base::Status(base::StatusCode::kUnavailable, "no memory for the hashes of an append-only proof");
  }
  OPTIKS_TRY(check_structures(stored, proof, switched, *workspace));
  out.record = last;
  for (const std::uint8_t id : kStructures) {
    out.structures[structure_index(id)] = !switched || !is_per_period(id);
  }
  return Reason::kValid;
}

}  // namespace optiks::ozks::verify
