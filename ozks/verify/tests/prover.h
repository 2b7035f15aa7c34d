// A naive prover. For each proof it rebuilds the whole tree from its leaves, or hashes the whole log. It shares no code
// with the server, and only the hash functions with the verifier. Tests use the prover's parts to build the answers of
// a malicious server.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "optiks/ozks/verify/answers.h"
#include "optiks/ozks/verify/hash.h"
#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks::verify::test {

using Bytes = std::vector<std::uint8_t>;

Bytes to_bytes(std::string_view text);
Bytes to_bytes(ByteSpan octets);

// Returns the prefix followed by the number, for example "user-3".
std::string numbered(std::string_view prefix, int number);

// Writes structures in the encoding of docs/spec/encoding.md.
class Writer {
 public:
  Writer& integer(std::uint64_t value, std::size_t octets);
  Writer& raw(ByteSpan octets);
  // Writes a vector. Its length is encoded in `length_octets` octets.
  Writer& vector(ByteSpan contents, std::size_t length_octets);
  [[nodiscard]] const Bytes& get() const { return out_; }

 private:
  Bytes out_;
};

struct Leaf {
  Hash label{};
  Hash commitment{};
  std::uint64_t epoch = 0;
};

struct PathParts {
  Hash mask{};
  std::vector<Hash> siblings;

  [[nodiscard]] Bytes encode() const;
};

struct MemberParts {
  Bytes vrf_proof;
  std::uint64_t epoch = 0;
  std::uint8_t kind = 0;
  Bytes commitment;  // 32
  Bytes opening;     // 16
  Bytes value;
  PathParts path;

  [[nodiscard]] Bytes encode() const;
};

struct NonMemberParts {
  Bytes vrf_proof;
  std::uint8_t node = 0;
  std::uint8_t length = 0;
  Hash position{};  // prefix or label
  Hash left{}, right{};
  Hash commitment{};
  std::uint64_t epoch = 0;
  PathParts path;

  [[nodiscard]] Bytes encode() const;
};

struct LookupParts {
  std::uint64_t version = 0;
  std::vector<MemberParts> members;
  std::vector<NonMemberParts> absent;

  [[nodiscard]] Bytes encode() const;
};

struct VersionsParts {
  std::uint64_t version = 0;
  std::uint64_t from = 1;
  std::vector<MemberParts> members;
  std::vector<NonMemberParts> absent;

  [[nodiscard]] Bytes encode() const;
};

struct AddedLeafParts {
  Hash label{};
  Hash commitment{};
  std::uint8_t offset = 0;
};

struct AppendParts {
  std::vector<AddedLeafParts> leaves;
  Bytes opened;

  [[nodiscard]] Bytes encode() const;
};

// A naive Patricia tree over a set of leaves.
class Tree {
 public:
  explicit Tree(std::vector<Leaf> leaves);
  ~Tree();

  [[nodiscard]] Hash root() const;
  [[nodiscard]] std::size_t count() const { return leaves_.size(); }
  [[nodiscard]] const std::vector<Leaf>& leaves() const { return leaves_; }
  // Returns the path to a label that is in the tree.
  [[nodiscard]] PathParts path_to(const Hash& label) const;
  // Returns a proof of absence, which opens the node at which the walk to an absent label ends. The caller must set
  // vrf_proof.
  [[nodiscard]] NonMemberParts absent(const Hash& label) const;
  // Returns the append-only proof that this tree, which is of epoch a, grows by these leaves. The epochs of the leaves
  // must be greater than a.
  [[nodiscard]] AppendParts append(std::uint64_t a, std::vector<Leaf> added) const;
  // Returns a false proof of absence for a label that is in the tree. It opens the deepest interior node above the
  // label's leaf.
  [[nodiscard]] NonMemberParts open_parent_of(const Hash& label) const;

 private:
  struct Node;
  using NodePtr = std::unique_ptr<Node>;
  static NodePtr build(std::span<const Leaf> leaves);
  static void tokens(const Node& node, std::size_t length, std::span<const Leaf> added, Bytes& out);
  [[nodiscard]] std::vector<const Node*> walk(const Hash& label, const Node*& end) const;
  static PathParts path_of(const std::vector<const Node*>& ancestors, const Hash& label);

  std::vector<Leaf> leaves_;
  NodePtr root_;
};

struct StateParts {
  Hash root{};
  std::uint64_t count = 0;
  Hash vrf_public_key{};
};

struct RecordParts {
  std::uint16_t format = 1;
  Hash log_id{};
  std::uint64_t epoch = 0;
  std::uint64_t period = 0;
  std::uint64_t period_first_epoch = 0;
  std::uint64_t time_ms = 0;
  std::array<StateParts, 4> structures;
  Hash previous{};

  [[nodiscard]] Bytes encode() const;
};

struct HeadParts {
  Bytes record;
  std::vector<Hash> inclusion;
  std::vector<Hash> consistency;
  Bytes checkpoint;

  [[nodiscard]] Bytes encode() const;
};

// Encodes a whole answer, which has the head and the encoded items.
Bytes encode_answer(const HeadParts& head, const std::vector<Bytes>& items);

struct ConfigurationParts {
  std::uint16_t format = 1;
  std::uint16_t suite = 1;
  Bytes origin = to_bytes("optiks.example/log");
  std::uint64_t period_length_ms = 7'776'000'000;
  std::uint8_t retained_periods = 2;
  std::uint8_t username_reuse = 0;
  std::uint8_t max_key_len = 255;
  std::uint32_t max_value_len = 65'536;
  std::uint16_t max_devices = 64;
  std::uint32_t heartbeat_ms = 60'000;
  std::uint32_t max_ahead_ms = 60'000;
  std::uint32_t max_behind_ms = 300'000;

  [[nodiscard]] Bytes encode() const;
};

// An Ed25519 key whose seed is one octet repeated 32 times.
class SigningKey {
 public:
  explicit SigningKey(std::uint8_t seed);
  [[nodiscard]] const Bytes& public_key() const { return public_; }
  [[nodiscard]] Bytes sign(ByteSpan message) const;
  // Returns the first four octets of SHA-256(name || 0x0A || type || public key).
  [[nodiscard]] Bytes key_id(std::string_view name, std::uint8_t type = 1) const;

 private:
  Bytes public_;
  Bytes secret_;
};

std::string base64(ByteSpan octets);
std::string signature_line(std::string_view name, ByteSpan key_id, ByteSpan signature);
// Returns a signed note: the body, an empty line, and one signature line by the key.
std::string signed_note(const std::string& body, std::string_view name, const SigningKey& key);
std::string checkpoint_body(std::string_view origin, std::uint64_t size, const Hash& root);

// Returns the root of a log by the definition of RFC 6962.
Hash log_root(std::span<const Hash> leaves);
std::vector<Hash> log_inclusion(std::span<const Hash> leaves, std::size_t index);
std::vector<Hash> log_consistency(std::span<const Hash> leaves, std::size_t old_size);

// Ed25519Verify by libsodium.
bool ed25519_verify(ByteSpan public_key, ByteSpan message, ByteSpan signature);

// The structure `keys` in one period: makes the proofs for lookups and histories at each epoch.
class KeyDirectory {
 public:
  explicit KeyDirectory(std::uint8_t vrf_seed, std::uint8_t structure = kKeys);

  // Adds the next version of a key in an epoch. The epochs of successive calls must not decrease.
  void put(std::string_view key, std::uint64_t epoch, std::string_view value);
  // Adds an arbitrary version of a key in an arbitrary epoch.
  void put_version(std::string_view key, std::uint64_t version, std::uint64_t epoch, std::string_view value);

  // Returns the tree of all leaves up to an epoch.
  [[nodiscard]] Tree tree(std::uint64_t epoch) const;
  [[nodiscard]] std::vector<Leaf> added_in(std::uint64_t epoch) const;
  [[nodiscard]] StateParts state(std::uint64_t epoch) const;
  [[nodiscard]] std::uint64_t latest(std::string_view key, std::uint64_t epoch) const;

  [[nodiscard]] Hash label(std::string_view key, std::uint64_t version) const;
  [[nodiscard]] Bytes vrf_proof(std::string_view key, std::uint64_t version) const;
  [[nodiscard]] MemberParts member(std::string_view key, std::uint64_t version, std::uint64_t epoch, bool opened) const;
  [[nodiscard]] NonMemberParts absent(std::string_view key, std::uint64_t version, std::uint64_t epoch) const;
  [[nodiscard]] LookupParts lookup(std::string_view key, std::uint64_t epoch, std::uint64_t known = 0) const;
  // Returns a Lookup that claims that `version` is the latest version.
  [[nodiscard]] LookupParts lookup_at(std::string_view key, std::uint64_t version, std::uint64_t epoch,
                                      std::uint64_t known = 0) const;
  [[nodiscard]] VersionsParts versions(std::string_view key, std::uint64_t epoch, std::uint64_t known,
                                       std::size_t max_members = SIZE_MAX) const;
  [[nodiscard]] ByteSpan public_key() const { return key_.public_key(); }

 private:
  struct Entry {
    Leaf leaf;
    Bytes opening;
    Bytes value;
  };
  [[nodiscard]] Bytes alpha(std::string_view key, std::uint64_t version) const;

  vrf::SecretKey key_;
  std::uint8_t structure_;
  std::map<std::pair<std::string, std::uint64_t>, Entry> entries_;
  std::uint8_t next_opening_ = 1;
};

// A log over a KeyDirectory, with an epoch each second. The other three structures are empty.
class World {
 public:
  static constexpr std::uint64_t kStartMs = 1'700'000'000'000;

  World();

  KeyDirectory keys{7};
  ConfigurationParts configuration;
  SigningKey log_key{1};

  // Publishes the epochs up to `last_epoch`.
  void publish(std::uint64_t last_epoch);
  [[nodiscard]] std::uint64_t last_epoch() const { return records_.size() - 1; }
  [[nodiscard]] const RecordParts& record(std::uint64_t epoch) const {
    return records_[static_cast<std::size_t>(epoch)];
  }
  [[nodiscard]] Hash log_id() const;
  [[nodiscard]] std::vector<Hash> log_leaves(std::size_t size) const;
  [[nodiscard]] Bytes checkpoint(std::uint64_t size) const;
  [[nodiscard]] Checkpoint checkpoint_of(std::uint64_t size) const;
  // Returns a head with the record of `epoch` and the checkpoint of size `size`. The head is for a client that keeps
  // the checkpoint of size `kept_size`.
  [[nodiscard]] HeadParts head(std::uint64_t epoch, std::uint64_t size, std::uint64_t kept_size = 0) const;
  // Returns the time of the client's clock, which is one second after the last epoch.
  [[nodiscard]] std::uint64_t now_ms() const { return records_.back().time_ms + 1000; }
  // Returns a verifier's context. Its views point into this object, which keeps the octets of the configuration alive.
  [[nodiscard]] Context context() const;
  [[nodiscard]] Bytes audit(std::uint64_t a, std::uint64_t b) const;

 private:
  std::vector<RecordParts> records_;
  mutable Bytes configuration_octets_;
};

}  // namespace optiks::ozks::verify::test
