#include "optiks/ozks/verify/leaves.h"

#include <algorithm>
#include <optional>

#include "labels.h"
#include "version_checks.h"

namespace optiks::ozks::verify {
namespace {

// Returns the record's facts about the statement's structure. For a structure whose tree is never made anew, the view
// always has period 0.
StructureView view_of(const EpochRecord& record, const LeafStatement& statement, const vrf::PublicKey& key,
                      const Configuration& configuration) {
  const StructureState& state = record.structure(statement.structure);
  const bool per_period = is_per_period(statement.structure);
  return {.structure = statement.structure,
          .epoch = record.epoch,
          .period = per_period ? record.period : 0,
          .period_first_epoch = per_period ? record.period_first_epoch : 0,
          .count = state.count,
          .root = state.root,
          .vrf_public_key = &key,
          .max_value_len = configuration.max_value_len};
}

bool contradict(const ShownLeaf& a, const ShownLeaf& b) {
  if (a.present && b.present) {
    return a.commitment != b.commitment || a.leaf_epoch != b.leaf_epoch;
  }
  if (!a.present && !b.present) {
    return false;
  }
  const ShownLeaf& present = a.present ? a : b;
  const ShownLeaf& absent = a.present ? b : a;
  return absent.epoch >= present.time;
}

}  // namespace

LeafStatement LeafStatement::decode(Reader& reader) {
  LeafStatement statement;
  statement.head = Head::decode(reader);
  statement.structure = static_cast<std::uint8_t>(reader.integer(1));
  if (!is_structure(statement.structure)) {
    reader.fail(Reason::kMalformedEnum);
    statement.structure = 1;
  }
  statement.key = reader.vector(1, kMaxKeyLen);
  statement.version = reader.integer(8);
  statement.present = reader.discriminant(2) == 1;
  if (statement.present) {
    statement.member = Member::decode(reader);
  } else {
    statement.absent = NonMember::decode(reader);
  }
  return statement;
}

Reason verify_statement(const Context& context, ByteSpan octets, ShownLeaf& out) {
  Context alone;
  alone.anchor = context.anchor;
  alone.ed25519 = context.ed25519;
  LeafStatement statement;
  VerifiedHead head;
  Reason reason = decode_whole(octets, statement);
  if (reason == Reason::kValid) {
    reason = verify_head_alone(alone, statement.head, head);
  }
  if (reason != Reason::kValid) {
    return reason;
  }
  const ByteSpan encoded_key = head.record.structure(statement.structure).vrf_public_key;
  vrf::PublicKey key;
  if (vrf::PublicKey::parse_vartime(encoded_key, key) != vrf::Reason::kValid) {
    return Reason::kVrfKeyInvalid;
  }
  const StructureView view = view_of(head.record, statement, key, alone.anchor.configuration);
  ShownLeaf shown{.structure = statement.structure,
                  .key = statement.key,
                  .version = statement.version,
                  .epoch = view.epoch,
                  .period = view.period,
                  .vrf_public_key = encoded_key,
                  .present = statement.present};
  if (statement.present) {
    const Member& member = statement.member;
    OneProof proof(statement.version, member.vrf_proof);
    LabelStream labels(view, statement.key, proof);
    VersionEntry entry;
    reason = check_member(view, Known(), statement.version, std::nullopt, member, Kind::kEither, labels, entry);
    shown.leaf_epoch = entry.leaf_epoch;
    shown.time = entry.time;
    if (member.opened) {
      shown.commitment = commitment_hash(member.opening, member.value);
    } else {
      std::ranges::copy(member.commitment, shown.commitment.begin());
    }
  } else {
    OneProof proof(statement.version, statement.absent.vrf_proof);
    LabelStream labels(view, statement.key, proof);
    reason = check_absent(view, statement.absent, labels);
  }
  if (reason == Reason::kValid) {
    out = shown;
  }
  return reason;
}

Reason judge_leaves(const Context& context, ByteSpan first, ByteSpan second) {
  ShownLeaf a;
  ShownLeaf b;
  Reason reason = verify_statement(context, first, a);
  if (reason == Reason::kValid) {
    reason = verify_statement(context, second, b);
  }
  if (reason != Reason::kValid) {
    return reason;
  }
  if (a.structure != b.structure || !std::ranges::equal(a.key, b.key) || a.version != b.version ||
      a.period != b.period) {
    return Reason::kLeafUnrelated;
  }
  if (!equal(a.vrf_public_key, b.vrf_public_key)) {
    return Reason::kRecordVrfKey;
  }
  return contradict(a, b) ? Reason::kLeafContradicts : Reason::kLeafAgrees;
}

}  // namespace optiks::ozks::verify
