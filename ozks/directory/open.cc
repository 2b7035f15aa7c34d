#include "directory/open.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "linked/linked_trees.h"
#include "stored/lmdb_store.h"

namespace optiks::ozks {

std::unique_ptr<StoredTrees> open_stored_trees(const Secrets& secrets, const optiks_dir_options_t& options) {
  StoreOwner owner;
  owner.period = options.period;
  owner.period_first_epoch = options.period_first_epoch;
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    std::ranges::copy(secrets.vrf[s].public_key(), owner.vrf_public_keys[s].begin());
  }
  owner.tag_check = tag_check(secrets);
  owner.kept_values = kept_values_of(options);
  return std::make_unique<StoredTrees>(std::make_unique<LmdbStore>(options.node_store_path), owner,
                                       options.node_cache_bytes);
}

std::unique_ptr<Directory> open_directory(Secrets&& secrets, const optiks_dir_options_t& options) {
  std::shared_ptr<DirectoryData> data;
  if (options.node_store_path == nullptr) {
    data = std::make_shared<DirectoryData>(std::move(secrets), options, std::make_unique<LinkedTrees>(), 0, nullptr);
  } else {
    std::unique_ptr<StoredTrees> trees = open_stored_trees(secrets, options);
    const StoreState state = trees->state();
    if (state.epoch == 0 && state.owner.period != 0 && state.owner.period_first_epoch != 0) {
      // A process that stopped before its store had an epoch leaves such a store. The period needs its copies, but a
      // directory whose period has begun takes no copies.
      throw std::system_error(std::make_error_code(std::errc::bad_message),
                              "the node store of a period that has begun is empty");
    }
    // A store at epoch 0 has no commit and therefore no leaf log, so a leaf log is created.
    data = std::make_shared<DirectoryData>(std::move(secrets), options, std::move(trees), state.epoch,
                                           state.epoch == 0 ? nullptr : &state.log);
  }
  return std::make_unique<Directory>(std::move(data), options.threads);
}

}  // namespace optiks::ozks
