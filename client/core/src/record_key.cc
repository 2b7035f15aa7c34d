#include "optiks/client/record_key.h"

#include <utility>

#include "optiks/base/check.h"
#include "optiks/client/effects.h"
#include "optiks/client/tls_writer.h"
#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/facts.h"

namespace optiks::client::state {
namespace {

using ozks::verify::Reader;
using ozks::verify::Reason;

constexpr std::size_t kNumberLen = 8;

// Which fields follow the kind. The id has no length field: all octets between the structure and the suffix are its.
struct Layout {
  bool structure = false;
  bool id = false;
  std::size_t suffix = 0;
};

constexpr std::size_t kLongestSuffix = 2 * kNumberLen + 1;
static_assert(2 + ozks::verify::kMaxKeyLen + kLongestSuffix <= kMaxRecordKeyLen);

Layout layout_of(RecordKind kind) {
  switch (kind) {
    case RecordKind::kMeta:
    case RecordKind::kHead:
    case RecordKind::kCosigners:
    case RecordKind::kUnaudited:
    case RecordKind::kOwn:
    case RecordKind::kFork:
      return {};
    case RecordKind::kEnd:
      return {.suffix = kNumberLen};
    case RecordKind::kChain:
    case RecordKind::kValue:
    case RecordKind::kLeaves:
      return {.structure = true, .id = true};
    case RecordKind::kList:
    case RecordKind::kName:
    case RecordKind::kPerson:
      return {.id = true};
    case RecordKind::kLeaf:
      return {.structure = true, .id = true, .suffix = kLongestSuffix};
    case RecordKind::kNote:
      return {.id = true, .suffix = kNumberLen};
  }
  return {};
}

// Chains and values belong to keys or device lists, leaves to any structure.
bool may_have_structure(RecordKind kind, std::uint8_t structure) {
  return kind == RecordKind::kChain || kind == RecordKind::kValue ? ozks::verify::has_versions(structure)
                                                                  : ozks::verify::is_structure(structure);
}

Bytes owned_id(ByteSpan id) { return {id.begin(), id.end()}; }

}  // namespace

Bytes RecordKey::encode() const {
  const Layout layout = layout_of(kind);
  TlsWriter out;
  out.integer(static_cast<std::uint8_t>(kind), 1);
  if (layout.structure) {
    OPTIKS_CHECK(may_have_structure(kind, name.structure));
    out.integer(name.structure, 1);
  }
  if (layout.id) {
    OPTIKS_CHECK(!name.id.empty() && name.id.size() <= ozks::verify::kMaxKeyLen);
    out.raw(name.id);
  }
  if (kind == RecordKind::kEnd || kind == RecordKind::kLeaf) {
    out.integer(period, kNumberLen);
  }
  if (kind == RecordKind::kLeaf) {
    out.integer(version, kNumberLen);
    out.integer(present ? 1 : 0, 1);
  }
  if (kind == RecordKind::kNote) {
    out.integer(sequence, kNumberLen);
  }
  return out.take();
}

RecordFault RecordKey::decode(ByteSpan octets, RecordKey& out) {
  if (octets.empty() || octets[0] == 0) {
    return RecordFault::kMalformed;
  }
  if (octets[0] > static_cast<std::uint8_t>(RecordKind::kLeaves)) {
    return RecordFault::kLater;
  }
  RecordKey key{.kind = static_cast<RecordKind>(octets[0])};
  const Layout layout = layout_of(key.kind);
  const std::size_t other = 1 + (layout.structure ? 1U : 0U) + layout.suffix;
  if (octets.size() < other) {
    return RecordFault::kMalformed;
  }
  const std::size_t id_len = octets.size() - other;
  if (layout.id ? id_len == 0 || id_len > ozks::verify::kMaxKeyLen : id_len != 0) {
    return RecordFault::kMalformed;
  }
  Reader reader(octets.subspan(1));
  if (layout.structure) {
    key.name.structure = static_cast<std::uint8_t>(reader.integer(1));
    if (!may_have_structure(key.kind, key.name.structure)) {
      return RecordFault::kMalformed;
    }
  }
  key.name.id = owned_id(reader.take(id_len));
  if (key.kind == RecordKind::kEnd || key.kind == RecordKind::kLeaf) {
    key.period = reader.integer(kNumberLen);
  }
  if (key.kind == RecordKind::kLeaf) {
    key.version = reader.integer(kNumberLen);
    key.present = reader.discriminant(2) == 1;
  }
  if (key.kind == RecordKind::kNote) {
    key.sequence = reader.integer(kNumberLen);
  }
  if (reader.finish() != Reason::kValid) {
    return RecordFault::kMalformed;
  }
  out = std::move(key);
  return RecordFault::kNone;
}

Bytes make_single_key(RecordKind kind) {
  const Layout layout = layout_of(kind);
  OPTIKS_CHECK(!layout.id && layout.suffix == 0);
  return RecordKey{.kind = kind}.encode();
}

Bytes make_end_key(std::uint64_t period) { return RecordKey{.kind = RecordKind::kEnd, .period = period}.encode(); }

Bytes make_chain_key(RecordKind kind, const ChainName& name) {
  const Layout layout = layout_of(kind);
  OPTIKS_CHECK(layout.structure && layout.suffix == 0);
  return RecordKey{.kind = kind, .name = name}.encode();
}

Bytes make_id_key(RecordKind kind, ByteSpan id) {
  const Layout layout = layout_of(kind);
  OPTIKS_CHECK(layout.id && !layout.structure && layout.suffix == 0);
  return RecordKey{.kind = kind, .name = {.id = owned_id(id)}}.encode();
}

Bytes make_leaf_key(const ChainName& name, std::uint64_t period, std::uint64_t version, bool present) {
  return RecordKey{.kind = RecordKind::kLeaf, .name = name, .period = period, .version = version, .present = present}
      .encode();
}

Bytes make_note_key(ByteSpan key, std::uint64_t sequence) {
  return RecordKey{.kind = RecordKind::kNote, .name = {.id = owned_id(key)}, .sequence = sequence}.encode();
}

}  // namespace optiks::client::state
