#include "optiks/ozks/verify/answers.h"

#include "optiks/base/check.h"
#include "optiks/ozks/verify/append.h"
#include "optiks/ozks/verify/rfc6962.h"

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
  const Reason reason = verify_checkpoint(head.checkpoint, context.anchor.configuration.origin,
                                          context.anchor.log_public_key, context.ed25519, out);
  if (reason != Reason::kValid) {
    return reason;
  }
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
  Reason reason = check_period_start(period_start, stored, context.anchor);
  if (reason != Reason::kValid) {
    return reason;
  }
  std::uint64_t period_start_ms = period_start.time_ms;
  EpochRecord before = stored;
  for (records = records.subspan(kRecordLen); !records.empty(); records = records.subspan(kRecordLen)) {
    const EpochRecord record = read_record(records.first(kRecordLen));
    reason = check_record(record, context.anchor);
    if (reason != Reason::kValid) {
      return reason;
    }
    // The comparison must not wrap: no epoch follows the epoch 2^64 - 1, not even epoch 0.
    if (record.epoch <= before.epoch || record.epoch - before.epoch != 1) {
      return Reason::kRecordEpoch;
    }
    reason = check_record_after(record, before, context.anchor.configuration, period_start_ms);
    if (reason == Reason::kValid) {
      reason = check_not_from_future(record, context.anchor.configuration, context.now_ms);
    }
    if (reason != Reason::kValid) {
      return reason;
    }
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
    const Reason reason = verify_append(stored.epoch, std::span(states).first(num_records),
                                        proof.structures[structure_index(id)], workspace);
    if (reason != Reason::kValid) {
      return reason;
    }
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
  Reason reason = check_record(found.record, context.anchor);
  if (reason == Reason::kValid) {
    reason = check_checkpoint(context, head, found.checkpoint);
  }
  if (reason == Reason::kValid) {
    reason = check_included(found.record, found.checkpoint, head.inclusion);
  }
  if (reason == Reason::kValid) {
    out = found;
  }
  return reason;
}

Reason verify_head_of_any_time(const Context& context, const Head& head, VerifiedHead& out) {
  VerifiedHead found;
  Reason reason = verify_head_alone(context, head, found);
  if (reason == Reason::kValid && context.kept_record) {
    reason = check_against_kept(found.record, *context.kept_record, context.anchor);
  }
  if (reason == Reason::kValid) {
    out = found;
  }
  return reason;
}

Reason verify_head(const Context& context, const Head& head, VerifiedHead& out) {
  VerifiedHead found;
  Reason reason = Reason::kValid;
  if (context.ended_record) {
    reason = verify_head_alone(context, head, found);
    if (reason == Reason::kValid && !equal(found.record.octets, context.ended_record->octets)) {
      reason = Reason::kRecordEpoch;
    }
  } else {
    reason = verify_head_of_any_time(context, head, found);
    if (reason == Reason::kValid) {
      reason = check_fresh(found.record, context.anchor.configuration, context.now_ms);
    }
  }
  if (reason == Reason::kValid) {
    out = found;
  }
  return reason;
}

template <typename Answer, typename Item>
const List<Item>& AnswerVerifier<Answer, Item>::items() const {
  return items_of(answer_);
}

template <typename Answer, typename Item>
Reason AnswerVerifier<Answer, Item>::begin(const Context& context, ByteSpan answer, std::size_t num_keys) {
  Reason reason = decode_whole(answer, answer_);
  if (reason == Reason::kValid) {
    reason = verify_head(context, answer_.head, head_);
  }
  if (reason != Reason::kValid) {
    return reason;
  }
  if (items().size() != num_keys) {
    return Reason::kAnswerCount;
  }
  reason = read_vrf_key(head_.record, kKeys, vrf_public_key_);
  if (reason != Reason::kValid) {
    return reason;
  }
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
  const Reason reason = take(state, lookup);
  return reason == Reason::kValid ? verify_lookup(view(), key, state.known, lookup, out) : reason;
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
  const Reason reason = take(state, versions);
  return reason == Reason::kValid ? verify_versions(view(), key, state.known, versions, entries, out) : reason;
}

base::Result<Reason> verify_audit(const Context& context, const EpochRecord& stored, const EpochRecord& period_start,
                                  ByteSpan octets, AuditResult& out) {
  AuditProof proof;
  Reason reason = decode_whole(octets, proof);
  if (reason == Reason::kValid) {
    reason = check_audit_records(context, stored, period_start, proof.records);
  }
  if (reason != Reason::kValid) {
    return reason;
  }
  const EpochRecord last = read_record(proof.records.last(kRecordLen));
  const bool switched = last.period != stored.period;
  if (switched) {
    reason = check_switch(proof);
    if (reason != Reason::kValid) {
      return reason;
    }
  }
  std::optional<AppendWorkspace> workspace = AppendWorkspace::create(proof.records.size() / kRecordLen - 1);
  if (!workspace) {
    return base::Status(base::StatusCode::kUnavailable, "no memory for the hashes of an append-only proof");
  }
  reason = check_structures(stored, proof, switched, *workspace);
  if (reason == Reason::kValid) {
    out.record = last;
    for (const std::uint8_t id : kStructures) {
      out.structures[structure_index(id)] = !switched || !is_per_period(id);
    }
  }
  return reason;
}

}  // namespace optiks::ozks::verify
