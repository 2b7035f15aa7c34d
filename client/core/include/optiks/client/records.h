// The records of a client's state (docs/spec/client-state.md section 3), with their encoding. Meta is in journal.h, and
// the keys are in record_key.h.
//
// Each record has two functions. encode() returns the body, or nullopt if the record is longer than a body may be or
// breaks a rule that decode() checks: so a core never writes what it cannot read. decode() accepts exactly the bodies
// that encode() returns, and writes `out` only if it returns kNone. It checks what the page says of one record alone;
// checks that need the key, the trust anchor or other records are the caller's.
//
// Memory: a decoded record takes at most 64 times as many octets as its body, which has fewer than 2^24. Lists of ids
// of one octet need the most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "optiks/client/octets.h"
#include "optiks/client/record_key.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::client::state {

using ozks::verify::Hash;

using Uuid = std::array<std::uint8_t, 16>;  // in the order of RFC 9562

// A key, user id, username or device id: 1 to 255 octets.
using Id = Bytes;

// A SHA-256 that may be missing.
using Sha256 = std::optional<Hash>;

// The latest checkpoint of the log that the client verified, and the latest epoch's record that it covers.
struct Head {
  std::uint64_t size = 0;
  Hash root{};
  Bytes checkpoint{};
  Bytes record{};

  bool operator==(const Head&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, Head& out);
};

// The record of the last epoch of the period in the key.
struct End {
  Bytes record{};

  bool operator==(const End&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, End& out);
};

struct Cosigner {
  std::string vkey{};
  std::uint64_t size = 0;
  Hash root{};
  Bytes checkpoint{};

  bool operator==(const Cosigner&) const = default;
};

// The latest checkpoint of each auditor and witness, in the order of the vkeys' octets. Not empty.
struct Cosigners {
  std::vector<Cosigner> cosigners{};

  bool operator==(const Cosigners&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, Cosigners& out);
};

// Something that the client believed before auditors covered it (docs/spec/cosigners.md section 5).
struct Belief {
  std::uint64_t epoch = 0;
  Hash record{};
  std::int64_t believed_ms = 0;  // since 1970
  std::uint64_t from_epoch = 0;
  std::optional<Id> key{};
  std::uint64_t version = 0;
  Sha256 value{};

  bool operator==(const Belief&) const = default;
};

// Oldest first. Not empty.
struct Unaudited {
  std::vector<Belief> beliefs{};

  bool operator==(const Unaudited&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, Unaudited& out);
};

// The chains and users with an owner's part. Each list is sorted, and one of them is not empty.
struct OwnIndex {
  std::vector<ChainName> chains{};
  std::vector<Id> users{};

  bool operator==(const OwnIndex&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, OwnIndex& out);
};

// A position in the versions of a chain.
struct Cursor {
  std::uint64_t period = 0;
  std::uint64_t version = 0;  // 0: the period has no version so far
  std::uint64_t time = 0;
  std::optional<std::uint64_t> absent{};  // the next version did not exist at this epoch
  std::optional<std::uint64_t> proven{};  // the epoch of the last answer that left out no proof
  Sha256 value{};                         // absent for an erased value

  bool operator==(const Cursor&) const = default;
};

// The version that any verified answer showed last.
struct Seen {
  std::uint64_t least = 0;
  Cursor at{};
  std::uint64_t published = 0;
  bool not_copied = false;

  bool operator==(const Seen&) const = default;
};

struct ValueChange {
  Hash sha256{};

  bool operator==(const ValueChange&) const = default;
};

struct ListChange {
  std::vector<Id> added{};
  std::vector<Id> removed{};

  bool operator==(const ListChange&) const = default;
};

// A change that the owner requested, and that the log has not shown yet.
struct Expected {
  Uuid request{};
  bool overtaken = false;
  std::variant<ValueChange, ListChange> change{};

  bool operator==(const Expected&) const = default;
};

enum class AlarmWhy : std::uint8_t {
  kNotSet = 0,  // the owner did not set the version
  kHandoverUnset = 1,
  kHandoverMissing = 2,
  kHandoverValue = 3,
};

struct Alarm {
  AlarmWhy why = AlarmWhy::kNotSet;
  std::uint64_t period = 0;
  std::uint64_t version = 0;
  std::uint64_t epoch = 0;
  Sha256 value{};

  bool operator==(const Alarm&) const = default;
};

// Epochs of an ended period that the owner can no longer verify.
struct Missed {
  std::uint64_t period = 0;
  std::uint64_t from_epoch = 0;
  std::uint64_t to_epoch = 0;  // not less than from_epoch
  bool accepted = false;

  bool operator==(const Missed&) const = default;
};

// How far the owner compared every version with what it set.
struct Own {
  bool listed_only = false;  // owned only as long as the user's list has the device
  std::optional<Cursor> at{};
  std::vector<Expected> expected{};
  std::vector<Alarm> alarms{};
  std::vector<Missed> no_guarantee{};

  bool operator==(const Own&) const = default;
};

// At least one of the two is present.
struct Chain {
  std::optional<Seen> seen{};
  std::optional<Own> own{};

  bool operator==(const Chain&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, Chain& out);
};

// The value that belongs to the hash in `seen` of a chain. May be empty.
struct Value {
  Bytes octets{};

  bool operator==(const Value&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, Value& out);
};

// The device list that belongs to the hash in `own` of a chain.
struct List {
  Bytes octets{};

  bool operator==(const List&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, List& out);
};

struct NameUser {
  Id user{};
  std::optional<std::uint32_t> generation{};  // in logs that reassign usernames
  std::optional<std::uint64_t> proven{};

  bool operator==(const NameUser&) const = default;
};

struct Name {
  std::uint64_t least = 0;
  std::optional<NameUser> user{};

  bool operator==(const Name&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, Name& out);
};

struct HasLeft {
  bool operator==(const HasLeft&) const = default;
};

struct NameElsewhere {
  Id name{};
  Id user{};

  bool operator==(const NameElsewhere&) const = default;
};

struct PersonAlarm {
  std::uint64_t epoch = 0;
  std::variant<HasLeft, NameElsewhere> what{};

  bool operator==(const PersonAlarm&) const = default;
};

struct OwnPerson {
  std::optional<std::uint64_t> goes_on_from{};
  bool has_left = false;
  std::vector<Id> names{};
  std::vector<Id> followed{};
  std::vector<Uuid> leaving{};  // requests
  std::vector<PersonAlarm> alarms{};

  bool operator==(const OwnPerson&) const = default;
};

// At least one of the two is present.
struct Person {
  std::optional<std::uint64_t> left{};
  std::optional<OwnPerson> own{};

  bool operator==(const Person&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, Person& out);
};

struct LeafName {
  std::uint64_t period = 0;
  std::uint64_t version = 0;
  bool present = false;
  std::uint64_t epoch = 0;
  Hash sha256{};

  bool operator==(const LeafName&) const = default;
};

// The leaf statements that are kept of one key of a structure. Not empty.
struct Leaves {
  static constexpr std::size_t kMaxPresent = 16;
  static constexpr std::size_t kMaxAbsent = 1;

  std::vector<LeafName> leaves{};

  bool operator==(const Leaves&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, Leaves& out);
};

// A leaf statement (docs/spec/broken-append.md section 1).
struct Leaf {
  Bytes statement{};

  bool operator==(const Leaf&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, Leaf& out);
};

// An owner's note, with the opening of its commitment.
struct Note {
  Uuid request{};
  std::array<std::uint8_t, 16> opening{};
  Bytes note{};
  Hash value{};

  bool operator==(const Note&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, Note& out);
};

enum class Breach : std::uint8_t { kFork = 0, kLeafContradicts = 1 };

struct Fork {
  Breach breach = Breach::kFork;
  std::string evidence{};  // the path of the folder, in UTF-8

  bool operator==(const Fork&) const = default;

  [[nodiscard]] std::optional<Bytes> encode() const;
  static RecordFault decode(ByteSpan body, Fork& out);
};

}  // namespace optiks::client::state
