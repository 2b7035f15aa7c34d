// Store: what snapshots share with their directory, and keep when it is gone; and Snapshot, a version that a reader
// holds.
//
// Thread safety: any number of threads take, use and drop snapshots, without waiting for the writer or for each other.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "directory/secrets.h"
#include "directory/versions.h"
#include "directory/vrf_cache.h"
#include "leaves/leaf_log.h"
#include "optiks/types.h"
#include "trie/tree_store.h"

namespace optiks::ozks {

struct Store {
  // The directory of an epoch, whose trees `trees` has. `kept`: what is kept of the leaf log at the options' path;
  // null: nothing. std::system_error when the log cannot be made or opened.
  Store(Secrets&& keys, const optiks_dir_options_t& options, std::unique_ptr<TreeStore> trees, std::uint64_t epoch,
        const LogState* kept);

  [[nodiscard]] Tag tag(std::uint8_t structure, ByteSpan key) const { return secrets.tag_key.tag({structure, key}); }
  // The record of the key's newest leaf; false when there is none.
  [[nodiscard]] bool find_newest(const Tag& key, LeafRecord& out) const {
    return trees->find_newest(log, key, out) != kNoPlace;
  }
  // The record of the key's latest leaf at the epoch; false when there is none. Reads one record, unless there are
  // newer ones.
  [[nodiscard]] bool latest(const Tag& key, std::uint64_t epoch, LeafRecord& out) const;

  Secrets secrets;
  std::uint64_t period;
  std::uint64_t period_first_epoch;
  std::uint32_t max_value_len;
  bool keeps_values;
  std::unique_ptr<TreeStore> trees;
  VrfCache cache;
  LeafLog log;
  Versions versions;
};

// encode_states: four StructureState (docs/spec/records.md section 2).
void encode_states(const Secrets& secrets, const Trees& trees, std::uint8_t* out);

class Snapshot {
 public:
  explicit Snapshot(std::shared_ptr<Store> store) : store_(std::move(store)), version_(store_->versions.pin()) {}
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() { Versions::unpin(version_); }

  [[nodiscard]] Store& store() const { return *store_; }
  [[nodiscard]] const Version& version() const { return *version_; }

 private:
  std::shared_ptr<Store> store_;
  Version* version_;
};

}  // namespace optiks::ozks
