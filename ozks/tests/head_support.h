// Makes the heads of answers for a directory that has no signed log, and the verifier's context for these answers.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "directory_support.h"
#include "optiks/ozks/verify/rfc6962.h"
#include "verify/tests/prover.h"

namespace optiks::ozks::test {

class LogOverDirectory {
 public:
  explicit LogOverDirectory(std::uint8_t username_reuse = 0)
      : configuration_{.username_reuse = username_reuse}, configuration_octets_(configuration_.encode()) {
    EXPECT_EQ(verify::make_anchor(configuration_octets_, key_.public_key(), context_.anchor), verify::Reason::kValid);
    context_.ed25519 = verify::test::ed25519_verify;
    context_.now_ms = kTimeMs + 1000;
  }

  // Returns the verifier's context, which is valid as long as this object.
  [[nodiscard]] const verify::Context& context() const { return context_; }

  // Returns the head of an answer about the directory's epoch, which must be `epoch`.
  [[nodiscard]] Bytes head(const optiks_dir_t* dir, std::uint64_t epoch) const {
    verify::test::RecordParts record;
    record.log_id = context_.anchor.log_id;
    record.epoch = epoch;
    record.time_ms = kTimeMs;
    const States states = states_of(dir);
    for (std::size_t s = 0; s < record.structures.size(); ++s) {
      const ByteSpan state = ByteSpan(states).subspan(s * OPTIKS_STRUCTURE_STATE_LEN, OPTIKS_STRUCTURE_STATE_LEN);
      std::ranges::copy(state.first(32), record.structures[s].root.begin());
      record.structures[s].count = base::load_be64(state.data() + 32);
      std::ranges::copy(state.subspan(40), record.structures[s].vrf_public_key.begin());
    }
    verify::test::HeadParts parts;
    parts.record = record.encode();
    // The contents of earlier records do not matter, so their leaf hashes in the log are zeros.
    std::vector<verify::Hash> leaves(epoch + 1);
    leaves[epoch] = verify::log_leaf_hash(parts.record);
    parts.inclusion = verify::test::log_inclusion(leaves, epoch);
    const std::string origin = text_of(configuration_.origin);
    parts.checkpoint = verify::test::to_bytes(verify::test::signed_note(
        verify::test::checkpoint_body(origin, leaves.size(), verify::test::log_root(leaves)), origin, key_));
    return parts.encode();
  }

 private:
  static constexpr std::uint64_t kTimeMs = 1'700'000'000'000;

  verify::test::SigningKey key_{1};
  verify::test::ConfigurationParts configuration_;
  Bytes configuration_octets_;
  verify::Context context_;
};

// Returns the encoding of a device list.
[[nodiscard]] inline Bytes device_list(const std::set<std::string>& devices) {
  verify::test::Writer ids;
  for (const std::string& device : devices) {
    ids.vector(verify::test::to_bytes(device), 1);
  }
  return verify::test::Writer().vector(ids.get(), 3).get();
}

[[nodiscard]] inline ByteSpan as_octets(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace optiks::ozks::test
