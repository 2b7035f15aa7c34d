// Tests the keys of records.
#include "optiks/client/record_key.h"

#include <gtest/gtest.h>

#include <random>
#include <string_view>

#include "hex.h"
#include "optiks/client/effects.h"
#include "record_octets.h"

namespace optiks::client::state::test {
namespace {

Bytes key_text(std::string_view text) { return {text.begin(), text.end()}; }

RecordFault read_key(ByteSpan octets, RecordKey& key) {
  const RecordFault fault = RecordKey::decode(octets, key);
  if (fault == RecordFault::kNone) {
    EXPECT_EQ(base::to_hex(key.encode()), base::to_hex(octets));
  }
  return fault;
}

TEST(RecordKeys, Octets) {
  EXPECT_EQ(base::to_hex(make_single_key(RecordKind::kHead)), kHeadKeyHex);
  EXPECT_EQ(base::to_hex(make_end_key(258)), kEndKeyHex);
  EXPECT_EQ(base::to_hex(make_chain_key(RecordKind::kChain, {3, key_text("alice")})), kChainKeyHex);
  EXPECT_EQ(base::to_hex(make_id_key(RecordKind::kList, key_text("user"))), kListKeyHex);
  EXPECT_EQ(base::to_hex(make_leaf_key({1, key_text("bob")}, 1, 2, true)), kLeafKeyHex);
  EXPECT_EQ(base::to_hex(make_note_key(key_text("alice"), 3)), kNoteKeyHex);
  RecordKey key;
  ASSERT_EQ(read_key(*base::from_hex(kLeafKeyHex), key), RecordFault::kNone);
  EXPECT_EQ(key, (RecordKey{RecordKind::kLeaf, {1, key_text("bob")}, 1, 2, true, 0}));
  ASSERT_EQ(read_key(*base::from_hex(kNoteKeyHex), key), RecordFault::kNone);
  EXPECT_EQ(key, (RecordKey{.kind = RecordKind::kNote, .name = {0, key_text("alice")}, .sequence = 3}));
}

TEST(RecordKeys, RoundTrip) {
  const Bytes longest(255, 7);
  for (const Bytes& octets :
       {make_single_key(RecordKind::kMeta), make_single_key(RecordKind::kFork), make_end_key(~std::uint64_t{0}),
        make_chain_key(RecordKind::kValue, {2, longest}), make_chain_key(RecordKind::kLeaves, {4, longest}),
        make_id_key(RecordKind::kName, longest), make_id_key(RecordKind::kPerson, key_text("u")),
        make_leaf_key({4, longest}, 1, 2, false), make_note_key(longest, 9)}) {
    RecordKey key;
    EXPECT_EQ(read_key(octets, key), RecordFault::kNone) << base::to_hex(octets);
    EXPECT_LE(octets.size(), kMaxRecordKeyLen);
  }
}

TEST(RecordKeys, Refused) {
  RecordKey key{.kind = RecordKind::kOwn};
  const RecordKey before = key;
  for (const char* hex : {"",
                          "00",
                          "0000",
                          "0200",
                          "03",
                          "0300000000000000",
                          "03000000000000000000",
                          "07",
                          "0703",
                          "070161",
                          "070461",
                          "070061",
                          "080161",
                          "09",
                          "0a",
                          "0b",
                          "0f",
                          "0f03",
                          "0f0061",
                          "0f0561",
                          "0c0361",
                          "0c030000000000000000000000000000000001",
                          "0c03610000000000000000000000000000000002",
                          "0d",
                          "0d0000000000000000"}) {
    EXPECT_EQ(RecordKey::decode(*base::from_hex(hex), key), RecordFault::kMalformed) << hex;
  }
  const Bytes id(256, 1);
  for (const char* hex : {"0703", "09", "0c03", "0d"}) {
    Bytes octets = *base::from_hex(hex);
    octets.insert(octets.end(), id.begin(), id.end());
    octets.resize(octets.size() + (octets[0] == 0x0c ? 17 : octets[0] == 0x0d ? 8 : 0));
    EXPECT_EQ(RecordKey::decode(octets, key), RecordFault::kMalformed) << hex;
  }
  for (const char* hex : {"10", "ff", "1003"}) {
    EXPECT_EQ(RecordKey::decode(*base::from_hex(hex), key), RecordFault::kLater) << hex;
  }
  EXPECT_EQ(key, before);
}

TEST(RecordKeys, ChangedOctets) {
  std::mt19937 random(8);
  int accepted = 0;
  for (int round = 0; round < 50000; ++round) {
    Bytes octets(random() % 30);
    for (std::uint8_t& octet : octets) {
      octet = static_cast<std::uint8_t>(random() % 18);
    }
    RecordKey key;
    accepted += read_key(octets, key) == RecordFault::kNone ? 1 : 0;
  }
  EXPECT_GT(accepted, 5000);
}

TEST(RecordKeys, OrderOfNames) {
  std::mt19937 random(9);
  const auto make_name = [&] {
    ChainName name{static_cast<std::uint8_t>(2 + random() % 2), Bytes(1 + random() % 3)};
    for (std::uint8_t& octet : name.id) {
      octet = random() % 2 == 0 ? 1 : 0xfe;
    }
    return name;
  };
  for (int round = 0; round < 1000; ++round) {
    const ChainName a = make_name();
    const ChainName b = make_name();
    EXPECT_EQ(a < b, make_chain_key(RecordKind::kChain, a) < make_chain_key(RecordKind::kChain, b));
  }
}

}  // namespace
}  // namespace optiks::client::state::test
