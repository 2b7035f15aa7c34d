#include "optiks/ozks/verify/leaves.h"

#include <algorithm>
#include <optional>

#include "labels.h"
#include "try.h"
#include "version_checks.h"

namespace optiks::ozks::verify {
namespace {

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
  statement.key = reader.vector(kKeyBounds);
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
  OPTIKS_TRY(decode_whole(octets, statement));
  OPTIKS_TRY(verify_head_alone(alone, statement.head, head));
  vrf::PublicKey key;
  OPTIKS_TRY(read_vrf_key(head.record, statement.structure, key));
  const StructureView view =
      structure_view(head.record, statement.structure, key, alone.anchor.configuration.max_value_len);
  ShownLeaf shown{.structure = statement.structure,
                  .key = statement.key,
                  .version = statement.version,
                  .epoch = view.epoch,
                  .period = view.period,
                  .vrf_public_key = head.record.structure(statement.structure).vrf_public_key,
                  .present = statement.present};
  if (statement.present) {
    const Member& member = statement.member;
    OneProof proof(statement.version, member.vrf_proof);
    LabelStream labels(view, statement.key, proof);
    VersionEntry entry;
    OPTIKS_TRY(check_member(view, Known(), statement.version, std::nullopt, member, Kind::kEither, labels, entry));
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
    OPTIKS_TRY(check_absent(view, statement.absent, labels));
  }
  out = shown;
  return Reason::kValid;
}

Reason judge_leaves(const Context& context, ByteSpan first, ByteSpan second) {
  ShownLeaf a;
  ShownLeaf b;
  OPTIKS_TRY(verify_statement(context, first, a));
  OPTIKS_TRY(verify_statement(context, second, b));
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
