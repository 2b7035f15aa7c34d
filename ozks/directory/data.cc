#include "directory/data.h"

#include <algorithm>

#include "leaves/directory_error.h"

namespace optiks::ozks {

DirectoryData::DirectoryData(Secrets&& keys, const optiks_dir_options_t& options, std::unique_ptr<TreeStore> trees_in,
                             std::uint64_t epoch, const LogState* kept)
    : secrets(std::move(keys)),
      period(options.period),
      period_first_epoch(options.period_first_epoch),
      max_value_len(options.max_value_len),
      kept_values(kept_values_of(options)),
      reuses_usernames(options.username_reuse != 0),
      trees(std::move(trees_in)),
      cache(options.vrf_cache_bytes),
      log(kept == nullptr ? LeafLog(options.leaf_log_path) : LeafLog(options.leaf_log_path, kept->identity, kept->len)),
      epochs(epoch, trees->staged(), log.size()) {
  lock_memory(secrets);
}

void DirectoryData::require_begun() const {
  if (!has_begun()) {
    throw DirectoryError(OPTIKS_E_STATE, "the directory's period has not begun");
  }
}

bool DirectoryData::latest(const Tag& key, std::uint64_t epoch, LeafRecord& out) const {
  bool found = find_newest(key, out);
  while (found && out.facts().epoch > epoch) {
    const std::uint64_t previous = out.facts().previous;
    found = previous != kNoLogOffset;
    if (found) {
      log.read(previous, out);
    }
  }
  return found;
}

void encode_states(const Secrets& secrets, const Trees& trees, std::uint8_t* out) {
  for (std::size_t i = 0; i < kNumStructures; ++i) {
    out = std::copy(trees[i].root_hash.begin(), trees[i].root_hash.end(), out);
    base::store_be64(out, trees[i].count);
    const auto key = secrets.vrf[i].public_key();
    out = std::copy(key.begin(), key.end(), out + 8);
  }
}

}  // namespace optiks::ozks
