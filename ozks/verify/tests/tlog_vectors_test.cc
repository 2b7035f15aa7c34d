// The C2SP vectors of tests/vectors/tlog, made with third-party Go programs.
#include <gtest/gtest.h>
#include <sodium.h>

#include <map>

#include "optiks/ozks/verify/checkpoint.h"
#include "optiks/ozks/verify/rfc6962.h"
#include "prover.h"
#include "vectors.h"

namespace optiks::ozks::verify::test {
namespace {

// Hashes one after another, whatever their length.
Bytes concatenate(const Json& hashes) {
  Writer out;
  for (const Json& hash : hashes) {
    out.raw(from_hex(hash));
  }
  return out.get();
}

Bytes log_public_key() { return from_hex(load_vectors("tlog/keys.json")["log"]["public_key_hex"]); }

TEST(TlogVectors, Inclusion) {
  const Json vectors = load_vectors("tlog/inclusion.json")["vectors"];
  std::map<bool, int> seen;
  for (const Json& v : vectors) {
    const bool valid = v["valid"].get<bool>();
    EXPECT_EQ(verify_inclusion(v["index"].get<std::uint64_t>(), v["size"].get<std::uint64_t>(),
                               from_hex(v["leaf_hash_hex"]), from_hex(v["root_hex"]), concatenate(v["proof_hex"])),
              valid)
        << v["id"];
    ++seen[valid];
  }
  EXPECT_EQ(seen[true], 60);
  EXPECT_EQ(seen[false], 20);
}

TEST(TlogVectors, Consistency) {
  const Json vectors = load_vectors("tlog/consistency.json")["vectors"];
  std::map<bool, int> seen;
  for (const Json& v : vectors) {
    const bool valid = v["valid"].get<bool>();
    EXPECT_EQ(verify_consistency(v["size1"].get<std::uint64_t>(), v["size2"].get<std::uint64_t>(),
                                 from_hex(v["root1_hex"]), from_hex(v["root2_hex"]), concatenate(v["proof_hex"])),
              valid)
        << v["id"];
    ++seen[valid];
  }
  EXPECT_EQ(seen[true], 60);
  EXPECT_EQ(seen[false], 20);
}

TEST(TlogVectors, PublishedCheckpoints) {
  const Json sizes = load_vectors("tlog/log/sizes.json");
  const Bytes origin = to_bytes(sizes["origin"].get<std::string>());
  const Bytes key = log_public_key();
  EXPECT_EQ(sizes["sizes"].size(), 11U);
  for (const Json& v : sizes["sizes"]) {
    Checkpoint checkpoint;
    const Bytes note = to_bytes(v["checkpoint"].get<std::string>());
    EXPECT_EQ(name_of(verify_checkpoint(note, origin, key, ed25519_verify, checkpoint)), "valid");
    EXPECT_EQ(checkpoint.size, v["size"].get<std::uint64_t>());
    EXPECT_EQ(base::to_hex(checkpoint.root), v["root_hex"].get<std::string>());
  }
}

// Where docs/spec/board.md section 2 is narrower than the C2SP text, or than the vectors' reading of it.
const std::map<std::string, std::string>& exceptions() {
  static const std::map<std::string, std::string> list = {
      // Extension lines are allowed by the text, never in this log.
      {"extension-line", "checkpoint_malformed"},
      {"del-character-in-extension", "checkpoint_malformed"},
      // Another witness's key is not known to this check: its line is one "of others".
      {"log-good-witness-bad", "valid"},
      // Exactly one line of the log.
      {"duplicate-identical-signature", "checkpoint_signature"},
      // No record is in a tree of size 0 whatever its root is.
      {"size-zero-wrong-root", "valid"},
      // What comes first in our order of checks.
      {"utf8-bom", "checkpoint_origin"},
      {"empty-origin", "checkpoint_origin"},
      {"lines-shuffled", "checkpoint_malformed"},
      // Unspecified by the text, fixed by ours.
      {"hundred-unknown-then-log", "checkpoint_malformed"},
      {"size-max-uint64", "valid"},
      {"noncanonical-base64-signature", "checkpoint_malformed"},
      {"noncanonical-base64-root", "checkpoint_malformed"},
      {"plus-in-key-name", "checkpoint_malformed"},
      {"nbsp-in-key-name", "checkpoint_malformed"},
      {"four-byte-signature-blob", "checkpoint_malformed"},
  };
  return list;
}

// The reason that fits a rejected vector's group.
std::string expected_reason(const Json& v) {
  const auto id = v["id"].get<std::string>();
  if (exceptions().contains(id)) {
    return exceptions().at(id);
  }
  const auto expectation = v["spec_expectation"]["checkpoint"].get<std::string>();
  EXPECT_NE(expectation, "unspecified") << id;
  if (expectation == "accept") {
    return "valid";
  }
  if (id == "other-origin" || id == "origin-trailing-slash" || id == "origin-with-scheme") {
    return "checkpoint_origin";
  }
  const auto group = v["group"].get<std::string>();
  const bool by_signature = group == "bad-signature" || id == "good-then-bad-same-key" ||
                            id == "bad-then-good-same-key" || id == "signature-on-text-without-newline";
  return by_signature ? "checkpoint_signature" : "checkpoint_malformed";
}

TEST(TlogVectors, Notes) {
  const Json file = load_vectors("tlog/notes.json");
  const Bytes origin = to_bytes(file["expected_origin"].get<std::string>());
  const Bytes key = log_public_key();
  EXPECT_EQ(file["vectors"].size(), 92U);
  std::map<std::string, int> seen;
  for (const Json& v : file["vectors"]) {
    const auto encoded = v["note_base64"].get<std::string>();
    // One octet more, as an empty vector has no address to give.
    Bytes note(encoded.size() / 4 * 3 + 1);
    std::size_t len = 0;
    ASSERT_EQ(sodium_base642bin(note.data(), note.size(), encoded.data(), encoded.size(), nullptr, &len, nullptr,
                                sodium_base64_VARIANT_ORIGINAL),
              0);
    note.resize(len);
    Checkpoint checkpoint;
    const std::string reason = name_of(verify_checkpoint(note, origin, key, ed25519_verify, checkpoint));
    EXPECT_EQ(reason, expected_reason(v)) << v["id"] << " " << v["spec_expectation"];
    ++seen[reason];
  }
  EXPECT_GE(seen["valid"], 9);
  EXPECT_GE(seen["checkpoint_malformed"], 40);
  EXPECT_GE(seen["checkpoint_signature"], 10);
  EXPECT_EQ(seen["checkpoint_origin"], 5);
}

TEST(TlogVectors, NonAsciiOrigin) {
  const Json file = load_vectors("tlog/notes.json");
  const Json& v = file["vectors_with_own_keys"][1];
  ASSERT_EQ(v["id"], "non-ascii-name");
  const auto vkey = v["vkeys"][0].get<std::string>();
  const auto name = vkey.substr(0, vkey.find('+'));
  const auto encoded = vkey.substr(vkey.rfind('+') == vkey.find('+') ? 0 : vkey.find('+', vkey.find('+') + 1) + 1);
  Bytes typed_key(33);
  std::size_t len = 0;
  ASSERT_EQ(sodium_base642bin(typed_key.data(), typed_key.size(), encoded.data(), encoded.size(), nullptr, &len,
                              nullptr, sodium_base64_VARIANT_ORIGINAL),
            0);
  ASSERT_EQ(len, 33U);
  Checkpoint checkpoint;
  const Bytes note = to_bytes(v["note"].get<std::string>());
  const ByteSpan key = ByteSpan(typed_key).subspan(1);
  EXPECT_EQ(name_of(verify_checkpoint(note, to_bytes(name), key, ed25519_verify, checkpoint)), "valid");
  EXPECT_EQ(checkpoint.size, 3U);
  EXPECT_EQ(name_of(verify_checkpoint(note, to_bytes(name + "x"), key, ed25519_verify, checkpoint)),
            "checkpoint_origin");
}

}  // namespace
}  // namespace optiks::ozks::verify::test
