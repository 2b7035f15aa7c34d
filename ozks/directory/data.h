// DirectoryData: the data that views share with their directory, and keep alive after the directory is destroyed. View:
// an epoch's state of the directory, which a reader holds.
//
// Thread safety: any number of threads may take, use and destroy views. They wait neither for the writer nor for each
// other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "directory/epoch_states.h"
#include "directory/secrets.h"
#include "directory/vrf_cache.h"
#include "leaves/kept_values.h"
#include "leaves/leaf_log.h"
#include "leaves/leaf_rows.h"
#include "optiks/types.h"
#include "trie/tree_store.h"

namespace optiks::ozks {

struct DirectoryData {
  // Makes the data of a directory whose epoch is `epoch` and whose trees are in `trees`. `kept`: the state of the leaf
  // log that exists at the options' path, or null to create a leaf log. Throws std::system_error if the leaf log cannot
  // be created or opened.
  DirectoryData(Secrets&& keys, const optiks_dir_options_t& options, std::unique_ptr<TreeStore> trees,
                std::uint64_t epoch, const LogState* kept);

  [[nodiscard]] Tag tag(std::uint8_t structure, ByteSpan key) const { return secrets.tag(structure, key); }
  // Reads the record of the key's newest leaf. Returns false if the key has no leaf.
  [[nodiscard]] bool find_newest(const Tag& key, LeafRecord& out) const {
    return trees->find_newest(log, key, out) != kNoLogOffset;
  }
  // Reads the record of the key's latest leaf at the epoch; returns false if the key has no leaf. Reads one record, and
  // one more for each leaf of the key that is newer than the epoch.
  [[nodiscard]] bool latest(const Tag& key, std::uint64_t epoch, LeafRecord& out) const;

  // True if keys of the structure have versions in this log.
  [[nodiscard]] bool has_versions(std::uint8_t structure) const {
    return ozks::has_versions(structure, reuses_usernames);
  }

  // False before a period other than 0 begins. Until then the directory takes copies (docs/spec/periods.md section 2)
  // and gives no views.
  [[nodiscard]] bool has_begun() const { return period == 0 || period_first_epoch.load() != 0; }
  // Throws DirectoryError (OPTIKS_E_STATE) unless the period has begun.
  void require_begun() const;

  Secrets secrets;
  std::uint64_t period;
  std::atomic<std::uint64_t> period_first_epoch;  // 0 in period 0, and in another period until it begins
  std::uint32_t max_value_len;
  KeptValues kept_values;
  bool reuses_usernames;
  std::unique_ptr<TreeStore> trees;
  VrfCache cache;
  LeafLog log;
  EpochStates epochs;
};

// Writes the StructureState of each of the four structures (docs/spec/records.md section 2).
void encode_states(const Secrets& secrets, const Trees& trees, std::uint8_t* out);

class View {
 public:
  explicit View(std::shared_ptr<DirectoryData> data) : data_(std::move(data)), state_(data_->epochs.pin()) {}
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() { EpochStates::unpin(state_); }

  [[nodiscard]] DirectoryData& data() const { return *data_; }
  [[nodiscard]] const EpochState& state() const { return *state_; }

 private:
  std::shared_ptr<DirectoryData> data_;
  EpochState* state_;
};

}  // namespace optiks::ozks
