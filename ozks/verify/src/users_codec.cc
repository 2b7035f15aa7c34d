// Decodes the structures of docs/spec/users.md and docs/spec/recycled-names.md.
#include "optiks/ozks/verify/users.h"

namespace optiks::ozks::verify {
namespace {

constexpr std::uint8_t kNumKinds = 3;

}  // namespace

PartRecord PartRecord::decode(Reader& reader) {
  PartRecord part;
  part.record = reader.take(kRecordLen);
  part.inclusion = reader.vector({0, kMaxLogProofLen, kHashLen});
  return part;
}

Entry Entry::decode(Reader& reader) {
  Entry entry;
  entry.record = static_cast<std::uint8_t>(reader.integer(1));
  entry.present = reader.discriminant(2) == 1;
  if (entry.present) {
    entry.member = Member::decode(reader);
  } else {
    entry.absent = NonMember::decode(reader);
  }
  return entry;
}

VersionedEntry VersionedEntry::decode(Reader& reader) {
  VersionedEntry entry;
  entry.record = static_cast<std::uint8_t>(reader.integer(1));
  entry.lookup = Lookup::decode(reader);
  return entry;
}

Generations Generations::decode(Reader& reader) {
  Generations generations;
  generations.record = static_cast<std::uint8_t>(reader.integer(1));
  generations.names = Versions::decode(reader);
  generations.left = List<Entry>::decode(reader, kLeftBounds);
  return generations;
}

UserLookup UserLookup::decode(Reader& reader) {
  UserLookup user;
  const std::uint8_t kind = reader.discriminant(kByGenerations + kNumKinds);
  if (kind % kByGenerations >= kNumKinds) {
    reader.fail(Reason::kMalformedEnum);
    return user;
  }
  user.kind = static_cast<UserKind>(kind % kByGenerations);
  if (kind >= kByGenerations) {
    user.generations = Generations::decode(reader);
  } else if (reader.discriminant(2) == 1) {
    user.name = Entry::decode(reader);
  }
  if (user.kind != UserKind::kNone) {
    user.decommissioned = Entry::decode(reader);
  }
  if (user.kind == UserKind::kCurrent) {
    user.devices = VersionedEntry::decode(reader);
    user.keys = List<VersionedEntry>::decode(reader, kKeysBounds);
  }
  return user;
}

UserLookupAnswer UserLookupAnswer::decode(Reader& reader) {
  UserLookupAnswer answer;
  answer.head = Head::decode(reader);
  answer.parts = List<PartRecord>::decode(reader, kPartsBounds);
  answer.users = List<UserLookup>::decode(reader, kUsersBounds);
  return answer;
}

Device Device::decode(Reader& reader) { return {reader.vector(kKeyBounds)}; }

}  // namespace optiks::ozks::verify
