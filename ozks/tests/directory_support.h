// Helpers that use a directory through the C ABI and check its answers with the verifier.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "optiks/optiks.h"
#include "optiks/ozks/verify/lookup.h"
#include "optiks/ozks/verify/versions.h"
#include "support.h"

namespace optiks::ozks::test {

// The structures of a log, as numbers of one octet.
inline constexpr std::uint8_t kUsernames = OPTIKS_USERNAMES;
inline constexpr std::uint8_t kDevices = OPTIKS_DEVICES;
inline constexpr std::uint8_t kKeys = OPTIKS_KEYS;
inline constexpr std::uint8_t kDecommissioned = OPTIKS_DECOMMISSIONED;

// Returns the text with the number appended.
[[nodiscard]] inline std::string numbered(std::string text, std::uint64_t number) {
  return text.append(std::to_string(number));
}

struct Update {
  std::uint8_t structure;
  std::string key;
  std::string value;
};

// Byte strings in the form of contract rule 4 of optiks.h.
struct Blob {
  Bytes octets;
  std::vector<std::uint64_t> offsets = {0};

  void add(const std::string& text) {
    octets.insert(octets.end(), text.begin(), text.end());
    offsets.push_back(octets.size());
  }
};

using States = std::array<std::uint8_t, OPTIKS_STATES_LEN>;

// The leaves of one epoch as the database stores them.
struct StoredEpoch {
  std::uint64_t epoch;
  std::vector<optiks_leaf_t> rows;
  Bytes values;
};

struct DestroySnapshot {
  void operator()(optiks_view_t* view) const { optiks_view_destroy(view); }
};
struct DestroyStaged {
  void operator()(optiks_staged_t* staged) const { optiks_staged_destroy(staged); }
};
struct DestroyDirectory {
  void operator()(optiks_dir_t* dir) const { optiks_dir_destroy(dir); }
};
struct DestroyProofs {
  void operator()(optiks_proofs_t* proofs) const { optiks_proofs_destroy(proofs); }
};
using ViewHandle = std::unique_ptr<optiks_view_t, DestroySnapshot>;
using StagedHandle = std::unique_ptr<optiks_staged_t, DestroyStaged>;
using DirectoryHandle = std::unique_ptr<optiks_dir_t, DestroyDirectory>;
using ProofsHandle = std::unique_ptr<optiks_proofs_t, DestroyProofs>;

// Returns the newest value of each key, or "-" for a key without a value.
[[nodiscard]] std::vector<std::string> newest_values(const optiks_dir_t* dir, std::uint8_t structure,
                                                     const std::vector<std::string>& keys);

// Returns the path of a file whose name contains the test's name, so that tests do not share files.
[[nodiscard]] std::string scratch_file(const std::string& name);

// Returns options of a directory with fixed secrets.
[[nodiscard]] optiks_dir_options_t options_with(const char* leaf_log_path, std::uint64_t vrf_cache_bytes = 1 << 20);
[[nodiscard]] DirectoryHandle create(const optiks_dir_options_t& options);
[[nodiscard]] std::string last_error();

// Prepares an epoch and returns its rows, with the values of all updates in one blob.
[[nodiscard]] StoredEpoch prepare(const optiks_dir_t* dir, std::uint64_t epoch, const std::vector<Update>& updates);
[[nodiscard]] StagedHandle stage(optiks_dir_t* dir, const StoredEpoch& epoch, bool with_proofs = true);
void commit(StagedHandle staged);
// Prepares, stages and commits an epoch.
StoredEpoch publish(optiks_dir_t* dir, std::uint64_t epoch, const std::vector<Update>& updates);

[[nodiscard]] Bytes staged_proofs(const optiks_staged_t* staged);
[[nodiscard]] States states_of(const optiks_dir_t* dir, std::uint64_t* epoch = nullptr);

// Writes lookups, or the versions of a key, as a replica does if their proofs are not cached: adds the question to a
// batch, makes the proofs, and gets the answer. The parameters are those of optiks_proofs_lookup_many and
// optiks_proofs_versions. Returns the status of the first call that fails.
std::int32_t write_lookups(const optiks_view_t* view, std::uint8_t structure, std::size_t n, const std::uint8_t* keys,
                           const std::uint64_t* key_offsets, const std::uint64_t* known_periods,
                           const std::uint64_t* known_versions, std::uint8_t* out, std::size_t capacity,
                           std::size_t* out_len, std::uint64_t* out_ends);
std::int32_t write_versions(const optiks_view_t* view, std::uint8_t structure, const std::uint8_t* key,
                            std::size_t key_len, std::uint64_t from, std::uint32_t max_members, std::size_t max_bytes,
                            std::uint8_t* out, std::size_t capacity, std::size_t* out_len);

// A view of a directory, with the facts that a verifier needs to check answers from it.
class Seen {
 public:
  // The view must be of a directory in period 0.
  explicit Seen(ViewHandle view);
  explicit Seen(optiks_dir_t* dir);

  [[nodiscard]] const optiks_view_t* view() const { return view_.get(); }
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  [[nodiscard]] const States& states() const { return states_; }
  [[nodiscard]] verify::StructureView view(std::uint8_t structure) const;

  // Returns the encoded Lookup of each key.
  [[nodiscard]] std::vector<Bytes> lookups(std::uint8_t structure, const std::vector<std::string>& keys,
                                           const std::vector<verify::Known>& known) const;
  [[nodiscard]] Bytes lookup(std::uint8_t structure, const std::string& key, const verify::Known& known = {}) const;
  [[nodiscard]] Bytes versions(std::uint8_t structure, const std::string& key, std::uint64_t from,
                               std::uint32_t max_members = 1U << 20, std::size_t max_bytes = SIZE_MAX) const;

  // The functions return the verifier's verdict on an answer. Values in the results point into the answer.
  verify::Reason check(std::uint8_t structure, const std::string& key, const verify::Known& known, const Bytes& answer,
                       verify::LookupResult& out) const;
  verify::Reason check(std::uint8_t structure, const std::string& key, const verify::Known& known, const Bytes& answer,
                       std::vector<verify::VersionEntry>& entries, verify::VersionsResult& out) const;
  // Looks up a key and verifies the answer. Returns the value, "" for a key that is proven absent, or "#<reason>" if
  // the verifier refuses the answer.
  [[nodiscard]] std::string value(std::uint8_t structure, const std::string& key) const;

 private:
  ViewHandle view_;
  std::uint64_t epoch_ = 0;
  std::uint64_t period_ = 0;
  std::uint64_t period_first_epoch_ = 0;
  States states_{};
  std::array<vrf::PublicKey, verify::kNumStructures> vrf_keys_;
};

[[nodiscard]] inline std::string key_name(std::uint64_t i) { return numbered("key ", i); }

// Returns 0 to 11 updates of the structures `keys` and `devices`. Some are of new keys, and others are new versions.
[[nodiscard]] std::vector<Update> random_updates(Random& random, std::uint64_t epoch);

[[nodiscard]] inline std::string text_of(ByteSpan octets) { return {octets.begin(), octets.end()}; }

}  // namespace optiks::ozks::test
