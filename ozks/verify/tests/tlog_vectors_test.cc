// Tests the vectors of tests/vectors/tlog, which were made with Go programs of third parties that implement C2SP.
#include <gtest/gtest.h>
#include <sodium.h>

#include <map>

#include "optiks/ozks/verify/checkpoint.h"
#include "optiks/ozks/verify/rfc6962.h"
#include "prover.h"
#include "vectors.h"

namespace optiks::ozks::verify::test {
namespace {

// Concatenates hashes, which may have a wrong length.
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
    const std::string reason = name_of(verify_checkpoint(note, origin, key, ed25519_verify, checkpoint));
    if (v["size"].get<std::uint64_t>() == 0) {
      EXPECT_EQ(reason, "checkpoint_malformed");
      continue;
    }
    EXPECT_EQ(reason, "valid");
    EXPECT_EQ(checkpoint.size, v["size"].get<std::uint64_t>());
    EXPECT_EQ(base::to_hex(checkpoint.root), v["root_hex"].get<std::string>());
  }
}

// Tests that the notes in tlog/notes.json, from C2SP and of this project, get the verdicts of docs/spec/board.md
// section 2.
TEST(TlogVectors, Notes) {
  const Bytes origin = to_bytes(load_vectors("tlog/notes.json")["expected_origin"].get<std::string>());
  const Bytes key = log_public_key();
  std::map<std::string, int> seen;
  const Json vectors = load_vectors("board/notes.json")["vectors"];
  for (const Json& v : vectors) {
    Checkpoint checkpoint;
    const std::string reason = name_of(verify_checkpoint(from_hex(v["note"]), origin, key, ed25519_verify, checkpoint));
    EXPECT_EQ(reason, v["reason"].get<std::string>()) << v["kind"];
    ++seen[reason];
  }
  EXPECT_GE(seen["valid"], 20);
  EXPECT_GE(seen["checkpoint_malformed"], 70);
  EXPECT_GE(seen["checkpoint_signature"], 15);
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
