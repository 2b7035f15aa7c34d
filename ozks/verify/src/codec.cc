#include "optiks/ozks/verify/codec.h"

#include "optiks/vrf/facts.h"

namespace optiks::ozks::verify {

void Reader::fail(Reason reason) {
  if (!failed()) {
    reason_ = reason;
    rest_ = {};
  }
}

ByteSpan Reader::take(std::size_t count) {
  if (count > rest_.size()) {
    fail(Reason::kMalformedTruncated);
    return {};
  }
  const ByteSpan taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

std::uint64_t Reader::integer(std::size_t octets) {
  std::uint64_t value = 0;
  for (const std::uint8_t octet : take(octets)) {
    value = value << 8 | octet;
  }
  return value;
}

ByteSpan Reader::vector(const VectorBounds& bounds) {
  const std::uint64_t length = integer(bounds.length_octets());
  if (!failed() && (length < bounds.low || length > bounds.high || length % bounds.unit != 0)) {
    fail(Reason::kMalformedLength);
  }
  return failed() ? ByteSpan() : take(static_cast<std::size_t>(length));
}

std::uint8_t Reader::discriminant(std::uint8_t count) {
  const auto value = static_cast<std::uint8_t>(integer(1));
  if (value >= count) {
    fail(Reason::kMalformedEnum);
    return 0;
  }
  return value;
}

Reason Reader::finish() {
  if (more()) {
    fail(Reason::kMalformedTrailing);
  }
  return reason_;
}

Path Path::decode(Reader& reader) {
  Path path;
  path.mask = reader.take(kHashLen);
  path.siblings = reader.vector(kSiblingsBounds);
  return path;
}

Member Member::decode(Reader& reader) {
  Member member;
  member.vrf_proof = reader.take(vrf::kProofLen);
  member.epoch = reader.integer(8);
  member.opened = reader.discriminant(2) == 1;
  if (member.opened) {
    member.opening = reader.take(kOpeningLen);
    member.value = reader.vector(kValueBounds);
  } else {
    member.commitment = reader.take(kHashLen);
  }
  member.path = Path::decode(reader);
  return member;
}

NonMember NonMember::decode(Reader& reader) {
  NonMember proof;
  proof.vrf_proof = reader.take(vrf::kProofLen);
  proof.node = static_cast<NodeKind>(reader.discriminant(3));
  switch (proof.node) {
    case NodeKind::kEmpty:
      return proof;
    case NodeKind::kInterior:
      proof.length = static_cast<std::size_t>(reader.integer(1));
      proof.position = reader.take(kHashLen);
      proof.left = reader.take(kHashLen);
      proof.right = reader.take(kHashLen);
      break;
    case NodeKind::kLeaf:
      proof.length = 8 * kHashLen;
      proof.position = reader.take(kHashLen);
      proof.commitment = reader.take(kHashLen);
      proof.epoch = reader.integer(8);
      break;
  }
  proof.path = Path::decode(reader);
  return proof;
}

Lookup Lookup::decode(Reader& reader) {
  Lookup lookup;
  lookup.version = reader.integer(8);
  lookup.members = List<Member>::decode(reader, kMembersBounds);
  lookup.absent = List<NonMember>::decode(reader, kAbsentBounds);
  return lookup;
}

Versions Versions::decode(Reader& reader) {
  Versions versions;
  versions.version = reader.integer(8);
  versions.from = reader.integer(8);
  versions.members = List<Member>::decode(reader, kMembersBounds);
  versions.absent = List<NonMember>::decode(reader, kAbsentBounds);
  return versions;
}

AppendProof AppendProof::decode(Reader& reader) {
  AppendProof proof;
  proof.leaves = reader.vector(kLeavesBounds);
  proof.opened = reader.vector(kOpenedBounds);
  return proof;
}

Head Head::decode(Reader& reader) {
  Head head;
  head.record = reader.take(kRecordLen);
  head.inclusion = reader.vector({0, kMaxLogProofLen, kHashLen});
  head.consistency = reader.vector({0, kMaxLogProofLen, kHashLen});
  head.checkpoint = reader.vector({0, kMax16});
  return head;
}

LookupAnswer LookupAnswer::decode(Reader& reader) {
  LookupAnswer answer;
  answer.head = Head::decode(reader);
  answer.lookups = List<Lookup>::decode(reader, {1, kMax32});
  return answer;
}

VersionsAnswer VersionsAnswer::decode(Reader& reader) {
  VersionsAnswer answer;
  answer.head = Head::decode(reader);
  answer.versions = List<Versions>::decode(reader, {1, kMax32});
  return answer;
}

AuditProof AuditProof::decode(Reader& reader) {
  AuditProof proof;
  proof.records = reader.vector({2 * kRecordLen, kMaxAuditRecords * kRecordLen, kRecordLen});
  for (AppendProof& structure : proof.structures) {
    structure = AppendProof::decode(reader);
  }
  return proof;
}

}  // namespace optiks::ozks::verify
