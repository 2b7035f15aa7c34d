// Tests the encoding of the records of a client's state: round trips, exact octets, and changed octets.
#include "optiks/client/records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include "hex.h"
#include "record_maker.h"
#include "record_octets.h"

namespace optiks::client::state::test {
namespace {

Bytes record_octets(const char* hex) { return *base::from_hex(hex); }

Bytes record_text(std::string_view text) { return {text.begin(), text.end()}; }

// Returns what the body decodes to, after a check that this encodes to the body again.
template <typename Record>
std::optional<Record> read_record(ByteSpan body) {
  Record record;
  if (Record::decode(body, record) != RecordFault::kNone) {
    EXPECT_EQ(record, Record());
    return std::nullopt;
  }
  const auto again = record.encode();
  EXPECT_TRUE(again && std::ranges::equal(*again, body)) << base::to_hex(body);
  return record;
}

template <typename Record>
void expect_octets(const Record& record, const char* hex) {
  ASSERT_TRUE(record.encode());
  EXPECT_EQ(base::to_hex(*record.encode()), hex);
  EXPECT_EQ(read_record<Record>(record_octets(hex)), record);
}

// Encodes random records and reads them back. Reads each beginning of a body, and bodies with one other octet.
template <typename Record>
void check_record(const std::function<Record()>& make, bool ends_with_rest = false) {
  std::mt19937 random(7);
  int accepted = 0;
  for (int round = 0; round < 200; ++round) {
    const Record record = make();
    const auto body = record.encode();
    ASSERT_TRUE(body);
    ASSERT_EQ(read_record<Record>(*body), record);
    if (round >= 8) {
      continue;
    }
    for (std::size_t at = 0; at < body->size(); ++at) {
      ASSERT_EQ(read_record<Record>(ByteSpan(*body).first(at)).has_value(), ends_with_rest && at != 0) << at;
      Bytes changed = *body;
      for (int bit = 0; bit < 8; ++bit) {
        changed[at] = (*body)[at] ^ static_cast<std::uint8_t>(1U << bit);
        accepted += read_record<Record>(changed) ? 1 : 0;
      }
      changed[at] = static_cast<std::uint8_t>(random());
      accepted += read_record<Record>(changed) ? 1 : 0;
    }
    Bytes longer = *body;
    longer.push_back(static_cast<std::uint8_t>(random()));
    ASSERT_EQ(read_record<Record>(longer).has_value(), ends_with_rest);
    Record unchanged = record;
    for (const auto& [form, fault] : {std::pair(0, RecordFault::kMalformed), std::pair(2, RecordFault::kLater),
                                      std::pair(255, RecordFault::kLater)}) {
      Bytes other = *body;
      other[0] = static_cast<std::uint8_t>(form);
      EXPECT_EQ(Record::decode(other, unchanged), fault);
    }
    EXPECT_EQ(unchanged, record);
  }
  EXPECT_GT(accepted, 100);
}

TEST(Records, RandomRecords) {
  RecordMaker maker;
  check_record<Head>([&] { return maker.head(); });
  check_record<End>([&] { return maker.end(); });
  check_record<Cosigners>([&] { return maker.cosigners(); });
  check_record<Unaudited>([&] { return maker.unaudited(); });
  check_record<OwnIndex>([&] { return maker.own_index(); });
  check_record<Chain>([&] { return maker.chain(); });
  check_record<Value>([&] { return maker.value(); }, true);
  check_record<List>([&] { return maker.list(); }, true);
  check_record<Leaf>([&] { return maker.leaf(); }, true);
  check_record<Name>([&] { return maker.name(); });
  check_record<Person>([&] { return maker.person(); });
  check_record<Leaves>([&] { return maker.leaves(); });
  check_record<Note>([&] { return maker.note(); });
  check_record<Fork>([&] { return maker.fork(); });
}

TEST(Records, OctetsOfChains) {
  const Seen seen{9, {2, 7, 5, 9, std::nullopt, record_run(0x40)}, 6, true};
  expect_octets(Chain{.seen = seen}, kChainSeenHex);
  expect_octets(Chain{.seen = seen, .own = Own()}, kChainBothHex);
  const Own own{
      .listed_only = true,
      .at = Cursor{.period = 1, .proven = ~std::uint64_t{0}},
      .expected = {{record_run<16>(0x10), true, ValueChange{record_run(0x60)}},
                   {record_run<16>(0x20), false, ListChange{{record_text("phone"), record_text("pc")}, {}}}},
      .alarms = {{AlarmWhy::kNotSet, 2, 3, 4, record_run(0x80)}, {AlarmWhy::kHandoverMissing, 5, 0, 6, std::nullopt}},
      .no_guarantee = {{1, 3, 8, true}}};
  expect_octets(Chain{.own = own}, kChainOwnHex);
  expect_octets(Value{record_text("value")}, kValueHex);
  expect_octets(List{record_text("value")}, kValueHex);
  expect_octets(Leaf{record_text("value")}, kValueHex);
  expect_octets(OwnIndex{{{2, record_text("user")}, {3, record_text("alice")}}, {record_text("user")}}, kOwnIndexHex);
}

// The test A_body_has_the_octets_of_the_page of client/sdk/tests/RecordTests.cs has the same body.
TEST(Records, OctetsOfAnotherClient) {
  Hash hash;
  hash.fill(0xaa);
  const Chain chain{.seen = Seen{5, {0, 2, 4, 5, std::nullopt, hash}, 4, false},
                    .own = Own{.alarms = {{AlarmWhy::kHandoverMissing, 0, 1, 3, std::nullopt}}}};
  expect_octets(chain,
                "0101"
                "0000000000000005000000000000000000000000000000020000000000000004010000000000000005"
                "0020aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                "000000000000000400"
                "01"
                "0000"
                "000000"
                "00001a"
                "0200000000000000000000000000000001000000000000000300"
                "000000");
}

TEST(Records, OctetsOfPersonsAndNames) {
  expect_octets(Person{.left = 10}, kPersonLeftHex);
  const OwnPerson own{.goes_on_from = 4,
                      .has_left = true,
                      .names = {record_text("bob"), record_text("rob")},
                      .followed = {record_text("pc")},
                      .leaving = {record_run<16>(0x30), record_run<16>(0x50)},
                      .alarms = {{11, HasLeft()}, {12, NameElsewhere{record_text("rob"), record_text("mallory")}}}};
  expect_octets(Person{.own = own}, kPersonOwnHex);
  expect_octets(Name{.least = 3}, kNameOnlyHex);
  expect_octets(Name{.least = 3, .user = NameUser{.user = record_text("user")}}, kNameUserHex);
  expect_octets(Name{.least = 3, .user = NameUser{record_text("user"), 2, 3}}, kNameReusedHex);
}

TEST(Records, OctetsOfOtherRecords) {
  expect_octets(Head{900, record_run(0x20), record_text("checkpoint\n"), record_text("record")}, kHeadHex);
  expect_octets(End{record_text("record")}, kEndHex);
  expect_octets(
      Cosigners{{{"a+1", 5, record_run(1), record_text("note")}, {"b+2", 6, record_run(2), record_text("n")}}},
      kCosignersHex);
  expect_octets(Unaudited{{{8, record_run(3), -2, 7, record_text("alice"), 2, record_run(4)},
                           {9, record_run(5), 1700000000000, 9, std::nullopt, 0, std::nullopt}}},
                kUnauditedHex);
  expect_octets(Leaves{{{1, 2, true, 3, record_run(6)}, {1, 4, false, 5, record_run(7)}}}, kLeavesHex);
  expect_octets(Note{record_run<16>(0x10), record_run<16>(0x20), record_text("the note"), record_run(0x30)}, kNoteHex);
  expect_octets(Fork{Breach::kLeafContradicts, "\u00e9vidence/1"}, kForkHex);
}

// One octet, or one length with its octets, makes each pair of bodies differ.
template <typename Record>
void expect_refused(const std::string& good, const std::string& bad) {
  EXPECT_TRUE(read_record<Record>(record_octets(good.c_str()))) << good;
  Record record;
  EXPECT_EQ(Record::decode(record_octets(bad.c_str()), record), RecordFault::kMalformed) << bad;
}

const std::string kZeros(16, '0');
const std::string kNumbers = kZeros + kZeros + kZeros;
const std::string kSomeHash(64, 'a');

TEST(Records, RefusedFlagsAndKinds) {
  expect_refused<Person>("0101" + kZeros + "00", "0102" + kZeros + "00");
  expect_refused<Person>("0100010001" + std::string(24, '0'), "0100010002" + std::string(24, '0'));
  const std::string own_end(18, '0');
  expect_refused<Chain>("0100010100" + own_end, "0100010200" + own_end);
  expect_refused<Chain>("0100010100" + own_end, "0100010102" + own_end);
  const auto seen = [](const std::string& absent, const std::string& not_copied) {
    return "0101" + kZeros + kNumbers + absent + "0000" + kZeros + not_copied + "00";
  };
  expect_refused<Chain>(seen("00", "01"), seen("02", "01"));
  expect_refused<Chain>(seen("00", "01"), seen("00", "02"));
  const auto expected = [](const std::string& overtaken, const std::string& kind) {
    return "0100010000000018" + kZeros + kZeros + overtaken + kind + std::string(24, '0');
  };
  expect_refused<Chain>(expected("01", "02"), expected("02", "02"));
  expect_refused<Chain>(expected("01", "02"), expected("01", "00"));
  expect_refused<Chain>(expected("01", "02"), expected("01", "03"));
  const auto alarm = [](const std::string& why) { return "010001000000000000001a" + why + kNumbers + "00000000"; };
  expect_refused<Chain>(alarm("03"), alarm("04"));
  expect_refused<Chain>(alarm("00"), alarm("ff"));
  const auto person_alarm = [](const std::string& kind) {
    return "0100010000" + std::string(18, '0') + "000009" + kind + kZeros;
  };
  expect_refused<Person>(person_alarm("01"), person_alarm("00"));
  expect_refused<Person>(person_alarm("01"), person_alarm("03"));
  expect_refused<Name>("01" + kZeros + "0101610000", "01" + kZeros + "0101610200");
  expect_refused<Fork>("0101000161", "0102000161");
}

TEST(Records, RefusedLengths) {
  // Vectors that must not be empty, and records of which at least one part must be present.
  expect_refused<Value>("01", "");
  expect_refused<End>("01000161", "010000");
  expect_refused<Note>("01" + kSomeHash + "00000161" + kSomeHash, "01" + kSomeHash + "000000" + kSomeHash);
  expect_refused<Fork>("0100000161", "01000000");
  expect_refused<Chain>("0100010000" + std::string(18, '0'), "010000");
  expect_refused<Person>("010001" + std::string(28, '0'), "010000");
  expect_refused<OwnIndex>(
      "01000000000002"
      "0100",
      "01000000000001"
      "00");
  expect_refused<OwnIndex>(
      "01000000000002"
      "0100",
      "01000000000000");
  for (const char* empty : {"01000000", "010000"}) {
    EXPECT_FALSE(read_record<Cosigners>(record_octets(empty)));
    EXPECT_FALSE(read_record<Unaudited>(record_octets(empty)));
    EXPECT_FALSE(read_record<Leaves>(record_octets(empty)));
  }
  // Vectors whose lengths are no multiples of the length of their elements, and a SHA-256 of 31 octets.
  const auto leaving = [](const std::string& contents) {
    return "0100010000"
           "000000"
           "000000" +
           contents + "000000";
  };
  expect_refused<Person>(leaving("000010" + kZeros + kZeros), leaving("00000f" + kZeros + kZeros.substr(2)));
  const std::string leaf = kZeros + kZeros + "01" + kZeros + kSomeHash;
  expect_refused<Leaves>("010039" + leaf, "01003a" + leaf + "00");
  const std::string missed =
      "0100010000"
      "000000"
      "000000";
  expect_refused<Chain>(missed + "000019" + kNumbers + "00", missed + "00001a" + kNumbers + "0000");
  const std::string alarm = "0100010000000000";
  expect_refused<Chain>(alarm + "00003a03" + kNumbers + "20" + kSomeHash + "000000",
                        alarm + "00003903" + kNumbers + "1f" + kSomeHash.substr(2) + "000000");
}

TEST(Records, RulesOfSingleRecords) {
  const auto refused = [](const auto& record) { EXPECT_FALSE(record.encode()); };
  const Id id = record_text("x");
  const Cosigner one{"b", 1, {}, {1}};
  refused(Cosigners());
  refused(Cosigners{{one, one}});
  refused(Cosigners{{one, {"a", 1, {}, {1}}}});
  // Octets are compared without signs, as the page compares them.
  EXPECT_TRUE((Cosigners{{one, {"\u00e9", 1, {}, {1}}}}).encode());
  refused(OwnIndex());
  refused(OwnIndex{{{1, id}}, {}});
  refused(OwnIndex{{{4, id}}, {}});
  refused(OwnIndex{{{3, id}, {3, id}}, {}});
  refused(OwnIndex{{{3, id}, {2, id}}, {}});
  refused(OwnIndex{{}, {record_text("ab"), record_text("a")}});
  refused(Chain());
  refused(Chain{.own = Own{.no_guarantee = {{0, 2, 1, false}}}});
  refused(Chain{.own = Own{.alarms = {{static_cast<AlarmWhy>(4), 0, 0, 0, {}}}}});
  refused(Chain{.own = Own{.expected = {{{}, false, ListChange{{Id()}, {}}}}}});
  refused(Person());
  refused(Name{.user = NameUser()});
  for (const char* text : {"\xff", "a\xc0\x80", "\xed\xa0\x80"}) {
    refused(Fork{Breach::kFork, text});
    Bytes body{1, 0, 0, static_cast<std::uint8_t>(std::string_view(text).size())};
    body.insert(body.end(), octets_of(text).begin(), octets_of(text).end());
    EXPECT_FALSE(read_record<Fork>(body)) << base::to_hex(body);
  }
  refused(Fork{});
  Leaves leaves{std::vector<LeafName>(Leaves::kMaxPresent, LeafName{.present = true})};
  leaves.leaves.push_back({});
  EXPECT_TRUE(leaves.encode());
  leaves.leaves.push_back({});
  refused(leaves);
  leaves.leaves.back().present = true;
  refused(leaves);
  refused(Leaves());
  // The same rules hold for bodies.
  Bytes body = *(Chain{.own = Own{.no_guarantee = {{0, 2, 2, false}}}}).encode();
  body[body.size() - 2] = 1;
  EXPECT_FALSE(read_record<Chain>(body));
  body = *(OwnIndex{{}, {record_text("a"), record_text("b")}}).encode();
  body.back() = 'a';
  EXPECT_FALSE(read_record<OwnIndex>(body));
}

TEST(Records, LongestRecords) {
  EXPECT_TRUE(End{Bytes(0xffff)}.encode());
  EXPECT_FALSE(End{Bytes(0x10000)}.encode());
  EXPECT_TRUE(read_record<Value>(*Value{Bytes(0xfffffe)}.encode()));
  EXPECT_FALSE(Value{Bytes(0xffffff)}.encode());
  EXPECT_FALSE(read_record<Value>(Bytes(0x1000000, 1)));
  EXPECT_FALSE((Note{.note = Bytes(0xffffff)}).encode());
  EXPECT_FALSE((Person{.own = OwnPerson{.names = {Id(256, 1)}}}).encode());
  // A list with more octets than fit, and two lists that do not fit into one body.
  const Own alarms{.alarms = std::vector<Alarm>(0xffffff / 26 + 1)};
  EXPECT_FALSE(Chain{.own = alarms}.encode());
  const Own both{.alarms = std::vector<Alarm>(400000), .no_guarantee = std::vector<Missed>(300000)};
  EXPECT_FALSE(Chain{.own = both}.encode());
}

}  // namespace
}  // namespace optiks::client::state::test
