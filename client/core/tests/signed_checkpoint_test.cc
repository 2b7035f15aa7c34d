// Tests checkpoints and cosignatures with the vectors of tests/vectors/tlog and board.
#include "optiks/client/signed_checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "optiks/ozks/verify/text.h"
#include "prover.h"
#include "vectors.h"

namespace optiks::client::test {
namespace {

using ozks::verify::test::ed25519_verify;
using ozks::verify::test::load_vectors;
using ozks::verify::test::name_of;

VerifierKey key_of(const nlohmann::json& vkey) {
  const auto text = vkey.get<std::string>();
  const auto key = VerifierKey::parse(octets_of(text));
  EXPECT_TRUE(key) << text;
  return key.value_or(VerifierKey());
}

struct KnownKeys {
  VerifierKey log;
  std::vector<VerifierKey> cosigners;
};

// Returns the keys of tlog/keys.json: the log, and the witnesses and the auditor as cosigners.
KnownKeys known_keys() {
  const nlohmann::json file = load_vectors("tlog/keys.json");
  KnownKeys keys{.log = key_of(file["log"]["vkey"]), .cosigners = {}};
  for (const nlohmann::json& witness : file["witnesses"]) {
    keys.cosigners.push_back(key_of(witness["vkey"]));
  }
  keys.cosigners.push_back(key_of(file["auditor"]["vkey"]));
  return keys;
}

std::string open_note(const std::string& note, const KnownKeys& keys, SignedCheckpoint& out) {
  return name_of(SignedCheckpoint::open(octets_of(note), keys.log, keys.cosigners, ed25519_verify, out));
}

TEST(SignedCheckpoint, NotesOfTheVectors) {
  const KnownKeys keys = known_keys();
  std::map<std::string, std::string> reasons;
  const nlohmann::json board = load_vectors("board/notes.json")["vectors"];
  for (const nlohmann::json& v : board) {
    reasons[v["note"].get<std::string>()] = v["reason"].get<std::string>();
  }
  const nlohmann::json vectors = load_vectors("tlog/notes.json")["vectors"];
  EXPECT_EQ(vectors.size(), 92U);
  int accepted = 0;
  for (const nlohmann::json& v : vectors) {
    const auto id = v["id"].get<std::string>();
    SCOPED_TRACE(id);
    // Two notes are not UTF-8, so that only the base64 has their octets.
    const auto base64 = v["note_base64"].get<std::string>();
    Bytes octets(*ozks::verify::base64_decoded_length(octets_of(base64)));
    ozks::verify::base64_decode(octets_of(base64), octets);
    const std::string note(text_of(octets));
    ASSERT_TRUE(reasons.contains(base::to_hex(octets)));
    SignedCheckpoint opened;
    const std::string expected = id == "log-good-witness-bad" ? "checkpoint_signature" : reasons[base::to_hex(octets)];
    ASSERT_EQ(open_note(note, keys, opened), expected);
    if (expected != "valid") {
      EXPECT_TRUE(opened.text.empty());
      continue;
    }
    ++accepted;
    const nlohmann::json& parsed = v["parse_checkpoint"];
    EXPECT_EQ(std::to_string(opened.checkpoint.size), parsed["size"].get<std::string>());
    EXPECT_EQ(base::to_hex(opened.checkpoint.root), parsed["root_hex"].get<std::string>());
    std::multiset<std::string> names{keys.log.name};
    for (const VerifiedCosignature& cosignature : opened.cosignatures) {
      names.insert(keys.cosigners[cosignature.cosigner].name);
    }
    EXPECT_EQ(names, parsed["verified_names"].get<std::multiset<std::string>>());
    SignedCheckpoint again;
    EXPECT_EQ(open_note(opened.note(), keys, again), "valid");
    EXPECT_TRUE(again.cosignatures.empty());
  }
  EXPECT_EQ(accepted, 10);
}

TEST(SignedCheckpoint, ValidCosignatures) {
  const KnownKeys keys = known_keys();
  const nlohmann::json vectors = load_vectors("tlog/cosignatures.json")["valid"];
  EXPECT_EQ(vectors.size(), 27U);
  std::map<std::string, int> seen;
  for (const nlohmann::json& v : vectors) {
    SCOPED_TRACE(v["id"].get<std::string>());
    const auto body = v["checkpoint_body"].get<std::string>();
    SignedCheckpoint opened;
    const std::string reason = open_note(v["note"].get<std::string>(), keys, opened);
    ++seen[reason];
    // This log has neither empty trees nor extension lines.
    const bool refused = body.find("\n0\n") != std::string::npos || std::ranges::count(body, '\n') != 3;
    ASSERT_EQ(reason, refused ? "checkpoint_malformed" : "valid");
    if (refused) {
      continue;
    }
    ASSERT_EQ(opened.cosignatures.size(), 1U);
    const VerifiedCosignature& cosignature = opened.cosignatures[0];
    EXPECT_EQ(keys.cosigners[cosignature.cosigner].vkey(), v["vkey"].get<std::string>());
    EXPECT_EQ(cosignature.timestamp, v["timestamp"].get<std::uint64_t>());
    EXPECT_EQ(cosignature.line + "\n", v["line"].get<std::string>());
    EXPECT_EQ(opened.text, body);
    SignedCheckpoint again;
    EXPECT_EQ(open_note(opened.note_with(cosignature), keys, again), "valid");
    EXPECT_EQ(again.cosignatures.size(), 1U);
  }
  EXPECT_GE(seen["valid"], 15);
}

TEST(SignedCheckpoint, InvalidCosignatures) {
  const KnownKeys keys = known_keys();
  const nlohmann::json vectors = load_vectors("tlog/cosignatures.json")["invalid"];
  EXPECT_EQ(vectors.size(), 20U);
  for (const nlohmann::json& v : vectors) {
    const auto id = v["id"].get<std::string>();
    SCOPED_TRACE(id);
    SignedCheckpoint opened;
    const std::string reason = open_note(v["note"].get<std::string>(), keys, opened);
    if (id == "milliseconds") {
      // A valid cosignature whose time is far ahead. The caller compares it with its clock.
      EXPECT_EQ(reason, "valid");
      ASSERT_EQ(opened.cosignatures.size(), 1U);
      EXPECT_GT(opened.cosignatures[0].timestamp, 1767225599999U);
    } else if (id == "key-id-of-type-0x01" || id == "other-name") {
      EXPECT_EQ(reason, "valid");
      EXPECT_TRUE(opened.cosignatures.empty());
    } else {
      EXPECT_EQ(reason, id == "three-lines-only-with-extension" ? "checkpoint_malformed" : "checkpoint_signature");
    }
  }
}

// Several cosignatures of one cosigner: the latest counts, wherever its line is.
TEST(SignedCheckpoint, TheLatestCosignatureCounts) {
  const KnownKeys keys = known_keys();
  const nlohmann::json vectors = load_vectors("tlog/cosignatures.json")["valid"];
  std::map<std::pair<std::string, std::string>, std::map<std::uint64_t, std::string>> lines;
  std::map<std::string, std::string> notes;
  for (const nlohmann::json& v : vectors) {
    SignedCheckpoint opened;
    const auto note = v["note"].get<std::string>();
    if (open_note(note, keys, opened) == "valid") {
      notes[opened.text] = opened.note();
      lines[{opened.text, v["vkey"].get<std::string>()}][v["timestamp"].get<std::uint64_t>()] =
          v["line"].get<std::string>();
    }
  }
  int compared = 0;
  for (const auto& [key, by_time] : lines) {
    if (by_time.size() < 2) {
      continue;
    }
    ++compared;
    const std::string oldest = by_time.begin()->second;
    const std::string newest = by_time.rbegin()->second;
    for (const std::string& both : {oldest + newest, newest + oldest}) {
      SignedCheckpoint opened;
      ASSERT_EQ(open_note(notes[key.first] + both, keys, opened), "valid");
      ASSERT_EQ(opened.cosignatures.size(), 1U);
      EXPECT_EQ(opened.cosignatures[0].timestamp, by_time.rbegin()->first);
    }
  }
  EXPECT_GE(compared, 1);
}

}  // namespace
}  // namespace optiks::client::test
