// Scene: the World of the tests of docs/negative-tests.md. The key alice has five versions, bob has one, and carol does
// not exist; there are twenty other keys. The functions that return a string verify an answer and return the name of
// the reason.
#pragma once

#include <string>
#include <string_view>

#include "prover.h"
#include "vectors.h"

namespace optiks::ozks::verify::test {

class Scene : public World {
 public:
  static constexpr std::uint64_t kLast = 9;

  Scene() : Scene(true) {}

  // Returns a scene that has no leaves and only epoch 0.
  static Scene empty() { return Scene(false); }

  [[nodiscard]] LookupParts honest(std::string_view key = "alice", std::uint64_t known = 0) const {
    return keys.lookup(key, kLast, known);
  }

  [[nodiscard]] std::string lookup(const LookupParts& parts, std::string_view key = "alice", const Known& known = {},
                                   std::uint64_t epoch = kLast) const {
    return lookup_answer(encode_answer(head(epoch, last_epoch() + 1), {parts.encode()}), key, known);
  }

  [[nodiscard]] std::string lookup_answer(const Bytes& answer, std::string_view key = "alice",
                                          const Known& known = {}) const {
    return lookup_answer(answer, context(), key, known);
  }

  [[nodiscard]] static std::string lookup_answer(const Bytes& answer, const Context& context,
                                                 std::string_view key = "alice", const Known& known = {},
                                                 std::uint64_t least_epoch = 0) {
    LookupAnswerVerifier verifier;
    Reason reason = verifier.begin(context, answer, 1);
    LookupResult result;
    if (reason == Reason::kValid) {
      reason = verifier.next(to_bytes(key), {least_epoch, known}, result);
    }
    return name_of(reason);
  }

  [[nodiscard]] std::string versions(const VersionsParts& parts, const Known& known = {},
                                     std::string_view key = "alice") const {
    const Bytes answer = encode_answer(head(last_epoch(), last_epoch() + 1), {parts.encode()});
    VersionsAnswerVerifier verifier;
    Reason reason = verifier.begin(context(), answer, 1);
    VersionsResult result;
    if (reason == Reason::kValid) {
      std::vector<VersionEntry> entries(verifier.num_entries());
      reason = verifier.next(to_bytes(key), {0, known}, entries, result);
    }
    return name_of(reason);
  }

  [[nodiscard]] std::string audit_proof(const Bytes& proof, std::uint64_t stored_epoch) const {
    const Bytes stored = record(stored_epoch).encode();
    const Bytes start = record(0).encode();
    AuditResult out;
    const auto verdict = verify_audit(context(), read_record(stored), read_record(start), proof, out);
    return verdict.ok() ? name_of(verdict.value()) : verdict.status().message();
  }

 private:
  explicit Scene(bool populated) {
    if (!populated) {
      return;
    }
    for (int i = 0; i < 20; ++i) {
      keys.put(numbered("user-", i), 1 + static_cast<std::uint64_t>(i) % 8, "value");
    }
    keys.put("bob", 2, "bob's");
    const std::uint64_t epochs[] = {1, 3, 4, 6, 8};
    for (const std::uint64_t epoch : epochs) {
      keys.put("alice", epoch, "alice " + std::to_string(epoch));
    }
    publish(kLast);
  }
};

// Returns the knowledge of a client to whom `version` was proven to be the latest version at epoch `absent_epoch`.
inline Known known_version(std::uint64_t version, std::uint64_t absent_epoch, std::uint64_t time = 0) {
  Known known;
  known.version = version;
  known.time = time;
  known.absent_epoch = absent_epoch;
  known.has_absent = true;
  return known;
}

}  // namespace optiks::ozks::verify::test
