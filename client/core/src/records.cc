#include "optiks/client/records.h"

#include <algorithm>
#include <utility>

#include "optiks/ozks/verify/facts.h"
#include "optiks/ozks/verify/text.h"
#include "record_codec.h"

namespace optiks::client::state {

// The fields of each structure, in the order of the page. These functions are not in an unnamed namespace, because a
// codec finds them in the namespace of their argument.
namespace bounds {

using ozks::verify::kMax16;
using ozks::verify::kMax24;
using ozks::verify::VectorBounds;

inline constexpr VectorBounds kShort{1, kMax16};
inline constexpr VectorBounds kLong{1, kMax24};
inline constexpr VectorBounds kList{0, kMax24};
inline constexpr VectorBounds kLeaves{1, kMax16, 8 + 8 + 1 + 8 + ozks::verify::kHashLen};
inline constexpr VectorBounds kMissed{0, kMax24, 8 + 8 + 8 + 1};
inline constexpr VectorBounds kUuids{0, kMax24, std::tuple_size_v<Uuid>};

}  // namespace bounds

using codec::Is;

template <typename Codec, Is<Head> T>
void code(Codec& codec, T& head) {
  codec.integer(head.size);
  codec.array(head.root);
  codec.octets(bounds::kLong, head.checkpoint);
  codec.octets(bounds::kShort, head.record);
}

template <typename Codec, Is<End> T>
void code(Codec& codec, T& end) {
  codec.octets(bounds::kShort, end.record);
}

template <typename Codec, Is<Cosigner> T>
void code(Codec& codec, T& cosigner) {
  codec.octets(bounds::kShort, cosigner.vkey);
  codec.integer(cosigner.size);
  codec.array(cosigner.root);
  codec.octets(bounds::kLong, cosigner.checkpoint);
}

template <typename Codec, Is<Cosigners> T>
void code(Codec& codec, T& all) {
  codec.list(bounds::kLong, all.cosigners);
}

template <typename Codec, Is<Belief> T>
void code(Codec& codec, T& belief) {
  codec.integer(belief.epoch);
  codec.array(belief.record);
  codec.integer(belief.believed_ms);
  codec.integer(belief.from_epoch);
  codec.optional(belief.key);
  codec.integer(belief.version);
  codec.sha256(belief.value);
}

template <typename Codec, Is<Unaudited> T>
void code(Codec& codec, T& unaudited) {
  codec.list(bounds::kLong, unaudited.beliefs);
}

template <typename Codec, Is<ChainName> T>
void code(Codec& codec, T& name) {
  codec.integer(name.structure);
  code(codec, name.id);
}

template <typename Codec, Is<OwnIndex> T>
void code(Codec& codec, T& own) {
  codec.list(bounds::kList, own.chains);
  codec.list(bounds::kList, own.users);
}

template <typename Codec, Is<Cursor> T>
void code(Codec& codec, T& cursor) {
  codec.integer(cursor.period);
  codec.integer(cursor.version);
  codec.integer(cursor.time);
  codec.optional(cursor.absent);
  codec.optional(cursor.proven);
  codec.sha256(cursor.value);
}

template <typename Codec, Is<Seen> T>
void code(Codec& codec, T& seen) {
  codec.integer(seen.least);
  code(codec, seen.at);
  codec.integer(seen.published);
  codec.flag(seen.not_copied);
}

template <typename Codec, Is<ValueChange> T>
void code(Codec& codec, T& change) {
  codec.array(change.sha256);
}

template <typename Codec, Is<ListChange> T>
void code(Codec& codec, T& change) {
  codec.list(bounds::kList, change.added);
  codec.list(bounds::kList, change.removed);
}

template <typename Codec, Is<Expected> T>
void code(Codec& codec, T& expected) {
  codec.array(expected.request);
  codec.flag(expected.overtaken);
  codec.kind(expected.change);
  std::visit([&](auto& change) { code(codec, change); }, expected.change);
}

template <typename Codec, Is<Alarm> T>
void code(Codec& codec, T& alarm) {
  codec.choice(alarm.why, 4);
  codec.integer(alarm.period);
  codec.integer(alarm.version);
  codec.integer(alarm.epoch);
  codec.sha256(alarm.value);
}

template <typename Codec, Is<Missed> T>
void code(Codec& codec, T& missed) {
  codec.integer(missed.period);
  codec.integer(missed.from_epoch);
  codec.integer(missed.to_epoch);
  codec.flag(missed.accepted);
}

template <typename Codec, Is<Own> T>
void code(Codec& codec, T& own) {
  codec.flag(own.listed_only);
  codec.optional(own.at);
  codec.list(bounds::kList, own.expected);
  codec.list(bounds::kList, own.alarms);
  codec.list(bounds::kMissed, own.no_guarantee);
}

template <typename Codec, Is<Chain> T>
void code(Codec& codec, T& chain) {
  codec.optional(chain.seen);
  codec.optional(chain.own);
}

template <typename Codec, Is<NameUser> T>
void code(Codec& codec, T& user) {
  code(codec, user.user);
  codec.optional(user.generation);
  codec.optional(user.proven);
}

template <typename Codec, Is<Name> T>
void code(Codec& codec, T& name) {
  codec.integer(name.least);
  codec.optional(name.user);
}

template <typename Codec, Is<HasLeft> T>
void code(Codec& /*codec*/, T& /*left*/) {}

template <typename Codec, Is<NameElsewhere> T>
void code(Codec& codec, T& elsewhere) {
  code(codec, elsewhere.name);
  code(codec, elsewhere.user);
}

template <typename Codec, Is<PersonAlarm> T>
void code(Codec& codec, T& alarm) {
  codec.kind(alarm.what);
  codec.integer(alarm.epoch);
  std::visit([&](auto& what) { code(codec, what); }, alarm.what);
}

template <typename Codec, Is<OwnPerson> T>
void code(Codec& codec, T& own) {
  codec.optional(own.goes_on_from);
  codec.flag(own.has_left);
  codec.list(bounds::kList, own.names);
  codec.list(bounds::kList, own.followed);
  codec.list(bounds::kUuids, own.leaving);
  codec.list(bounds::kList, own.alarms);
}

template <typename Codec, Is<Person> T>
void code(Codec& codec, T& person) {
  codec.optional(person.left);
  codec.optional(person.own);
}

template <typename Codec, Is<LeafName> T>
void code(Codec& codec, T& leaf) {
  codec.integer(leaf.period);
  codec.integer(leaf.version);
  codec.flag(leaf.present);
  codec.integer(leaf.epoch);
  codec.array(leaf.sha256);
}

template <typename Codec, Is<Leaves> T>
void code(Codec& codec, T& leaves) {
  codec.list(bounds::kLeaves, leaves.leaves);
}

template <typename Codec, Is<Note> T>
void code(Codec& codec, T& note) {
  codec.array(note.request);
  codec.array(note.opening);
  codec.octets(bounds::kLong, note.note);
  codec.array(note.value);
}

template <typename Codec, Is<Fork> T>
void code(Codec& codec, T& fork) {
  codec.choice(fork.breach, 2);
  codec.octets(bounds::kShort, fork.evidence);
}

namespace {

constexpr std::uint8_t kForm = 1;  // the newest form of each record, and the first one
constexpr std::size_t kMaxBodyLen = ozks::verify::kMax24;

// True if each element is less than the next one.
template <typename T>
bool are_sorted(const std::vector<T>& list) {
  return std::ranges::adjacent_find(list, [](const T& a, const T& b) { return !(a < b); }) == list.end();
}

// The rules of single records that their fields do not express.
template <typename T>
bool is_valid(const T& /*record*/) {
  return true;
}

bool is_valid(const Cosigners& all) {
  // std::string compares octets: char_traits<char> compares them as unsigned.
  return std::ranges::adjacent_find(all.cosigners, [](const Cosigner& a, const Cosigner& b) {
           return a.vkey >= b.vkey;
         }) == all.cosigners.end();
}

bool is_valid(const OwnIndex& own) {
  return (!own.chains.empty() || !own.users.empty()) && are_sorted(own.chains) && are_sorted(own.users) &&
         std::ranges::all_of(own.chains,
                             [](const ChainName& name) { return ozks::verify::has_versions(name.structure); });
}

bool is_valid(const Chain& chain) {
  return (chain.seen || chain.own) &&
         (!chain.own || std::ranges::all_of(chain.own->no_guarantee,
                                            [](const Missed& missed) { return missed.from_epoch <= missed.to_epoch; }));
}

bool is_valid(const Person& person) { return person.left || person.own; }

bool is_valid(const Leaves& leaves) {
  const auto present = std::ranges::count(leaves.leaves, true, &LeafName::present);
  return static_cast<std::size_t>(present) <= Leaves::kMaxPresent &&
         leaves.leaves.size() - static_cast<std::size_t>(present) <= Leaves::kMaxAbsent;
}

bool is_valid(const Fork& fork) { return ozks::verify::is_utf8(octets_of(fork.evidence)); }

template <typename T>
std::optional<Bytes> encode_record(const T& record) {
  codec::Encoder out;
  out.integer(kForm);
  code(out, record);
  Bytes body = out.take();
  return !out.failed() && is_valid(record) && body.size() <= kMaxBodyLen ? std::optional(std::move(body))
                                                                         : std::nullopt;
}

RecordFault check_form(ByteSpan body) {
  if (body.empty() || body.size() > kMaxBodyLen || body[0] < kForm) {
    return RecordFault::kMalformed;
  }
  return body[0] == kForm ? RecordFault::kNone : RecordFault::kLater;
}

template <typename T>
RecordFault decode_record(ByteSpan body, T& out) {
  if (const RecordFault fault = check_form(body); fault != RecordFault::kNone) {
    return fault;
  }
  codec::Decoder decoder(body.subspan(1));
  T record;
  code(decoder, record);
  if (!decoder.finish() || !is_valid(record)) {
    return RecordFault::kMalformed;
  }
  out = std::move(record);
  return RecordFault::kNone;
}

// The records whose octets go to the end of the body.
std::optional<Bytes> encode_rest(const Bytes& octets) {
  if (octets.size() >= kMaxBodyLen) {
    return std::nullopt;
  }
  Bytes body;
  body.reserve(1 + octets.size());
  body.push_back(kForm);
  body.insert(body.end(), octets.begin(), octets.end());
  return body;
}

RecordFault decode_rest(ByteSpan body, Bytes& out) {
  const RecordFault fault = check_form(body);
  if (fault == RecordFault::kNone) {
    out.assign(body.begin() + 1, body.end());
  }
  return fault;
}

}  // namespace

std::optional<Bytes> Head::encode() const { return encode_record(*this); }
RecordFault Head::decode(ByteSpan body, Head& out) { return decode_record(body, out); }

std::optional<Bytes> End::encode() const { return encode_record(*this); }
RecordFault End::decode(ByteSpan body, End& out) { return decode_record(body, out); }

std::optional<Bytes> Cosigners::encode() const { return encode_record(*this); }
RecordFault Cosigners::decode(ByteSpan body, Cosigners& out) { return decode_record(body, out); }

std::optional<Bytes> Unaudited::encode() const { return encode_record(*this); }
RecordFault Unaudited::decode(ByteSpan body, Unaudited& out) { return decode_record(body, out); }

std::optional<Bytes> OwnIndex::encode() const { return encode_record(*this); }
RecordFault OwnIndex::decode(ByteSpan body, OwnIndex& out) { return decode_record(body, out); }

std::optional<Bytes> Chain::encode() const { return encode_record(*this); }
RecordFault Chain::decode(ByteSpan body, Chain& out) { return decode_record(body, out); }

std::optional<Bytes> Name::encode() const { return encode_record(*this); }
RecordFault Name::decode(ByteSpan body, Name& out) { return decode_record(body, out); }

std::optional<Bytes> Person::encode() const { return encode_record(*this); }
RecordFault Person::decode(ByteSpan body, Person& out) { return decode_record(body, out); }

std::optional<Bytes> Leaves::encode() const { return encode_record(*this); }
RecordFault Leaves::decode(ByteSpan body, Leaves& out) { return decode_record(body, out); }

std::optional<Bytes> Note::encode() const { return encode_record(*this); }
RecordFault Note::decode(ByteSpan body, Note& out) { return decode_record(body, out); }

std::optional<Bytes> Fork::encode() const { return encode_record(*this); }
RecordFault Fork::decode(ByteSpan body, Fork& out) { return decode_record(body, out); }

std::optional<Bytes> Value::encode() const { return encode_rest(octets); }
RecordFault Value::decode(ByteSpan body, Value& out) { return decode_rest(body, out.octets); }

std::optional<Bytes> List::encode() const { return encode_rest(octets); }
RecordFault List::decode(ByteSpan body, List& out) { return decode_rest(body, out.octets); }

std::optional<Bytes> Leaf::encode() const { return encode_rest(statement); }
RecordFault Leaf::decode(ByteSpan body, Leaf& out) { return decode_rest(body, out.statement); }

}  // namespace optiks::client::state
