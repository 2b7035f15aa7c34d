// The keys of the records of a client's state (docs/spec/client-state.md section 2).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "optiks/client/octets.h"

namespace optiks::client::state {

// The first octet of a key.
enum class RecordKind : std::uint8_t {
  kMeta = 1,
  kHead = 2,
  kEnd = 3,
  kCosigners = 4,
  kUnaudited = 5,
  kOwn = 6,
  kChain = 7,
  kValue = 8,
  kList = 9,
  kName = 10,
  kPerson = 11,
  kLeaf = 12,
  kNote = 13,
  kFork = 14,
  kLeaves = 15,
};

// Why a core refuses a state because of one record.
enum class RecordFault : std::uint8_t {
  kNone,
  kLater,  // a later version of the client wrote the record: the body has a later form, or the key another kind
  kMalformed,
};

// A key of a structure. The order is that of the keys of records.
struct ChainName {
  std::uint8_t structure = 0;  // docs/spec/tree.md
  Bytes id{};                  // 1 to 255 octets

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 finds a 0 in the operator that the compiler makes.
  auto operator<=>(const ChainName&) const = default;
};

// A decoded key. Members that the kind does not have keep their defaults.
struct RecordKey {
  RecordKind kind = RecordKind::kMeta;
  ChainName name{};          // of a chain, value, leaf or leaves; without structure for the other kinds that have an id
  std::uint64_t period = 0;  // of an end or leaf
  std::uint64_t version = 0;   // of a leaf
  bool present = false;        // of a leaf
  std::uint64_t sequence = 0;  // of a note

  bool operator==(const RecordKey&) const = default;

  // Returns the key's octets. The structure and the length of the id must be those that the kind may have.
  [[nodiscard]] Bytes encode() const;
  // Writes `out` only if it returns kNone.
  static RecordFault decode(ByteSpan octets, RecordKey& out);
};

// Returns the key of the only record of a kind: meta, head, cosigners, unaudited, own or fork.
[[nodiscard]] Bytes make_single_key(RecordKind kind);
[[nodiscard]] Bytes make_end_key(std::uint64_t period);
// Returns the key of a chain, value or leaves.
[[nodiscard]] Bytes make_chain_key(RecordKind kind, const ChainName& name);
// Returns the key of a list, name or person.
[[nodiscard]] Bytes make_id_key(RecordKind kind, ByteSpan id);
[[nodiscard]] Bytes make_leaf_key(const ChainName& name, std::uint64_t period, std::uint64_t version, bool present);
[[nodiscard]] Bytes make_note_key(ByteSpan key, std::uint64_t sequence);

}  // namespace optiks::client::state
