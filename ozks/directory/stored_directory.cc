#include "directory/stored_directory.h"

#include <algorithm>
#include <utility>

#include "leaves/hash_batch.h"
#include "leaves/leaf_rows.h"
#include "stored/lmdb_store.h"

namespace optiks::ozks {
namespace {

StoreOwner owner_of(const Secrets& secrets, const optiks_dir_options_t& options) {
  StoreOwner owner;
  owner.period = options.period;
  owner.period_first_epoch = options.period_first_epoch;
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    std::ranges::copy(secrets.vrf[s].public_key(), owner.vrf_public_keys[s].begin());
  }
  owner.tag_check = tag_check(secrets);
  owner.keeps_values = options.without_values == 0;
  return owner;
}

}  // namespace

std::unique_ptr<StoredDirectory> StoredDirectory::open(Secrets&& secrets, const optiks_dir_options_t& options,
                                                       const LogState* log) {
  auto trees = std::make_unique<StoredTrees>(std::make_unique<LmdbStore>(options.node_store_path),
                                             owner_of(secrets, options), options.node_cache_bytes);
  // Until the first commit there is no leaf log that belongs to the store.
  const bool is_new = trees->state().epoch == 0;
  const LogState kept = trees->state().log;
  if (!is_new && log != nullptr) {
    throw DirectoryError(OPTIKS_E_STATE, "the node store has a directory already");
  }
  return std::unique_ptr<StoredDirectory>(
      new StoredDirectory(std::move(secrets), options, std::move(trees), is_new ? log : &kept));
}

StoredDirectory::StoredDirectory(Secrets&& secrets, const optiks_dir_options_t& options,
                                 std::unique_ptr<StoredTrees> trees, const LogState* kept)
    : Directory(std::move(secrets), options, kept) {
  const StoreState& state = trees->state();
  store()->versions.prepare();
  store()->versions.publish(state.epoch, state.trees, store()->log.size());
  store()->stored = std::move(trees);
  count_bytes();
}

StoredDirectory::~StoredDirectory() { StoredDirectory::discard(); }

void StoredDirectory::begin(std::uint64_t epoch, std::span<const optiks_leaf_t> leaves) {
  auto staged = std::make_unique<Staged>();
  staged->epoch = epoch;
  staged->log_size = store()->log.size();
  // They stay where they are while they are hashed.
  const std::array<std::size_t, kNumStructures> counts = count_by_structure(leaves);
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    staged->leaves[s].reserve(counts[s]);
  }
  staged->keys.reserve(leaves.size());
  staged_ = std::move(staged);
}

bool StoredDirectory::find_newest(const Tag& tag, Newest& out) const {
  const auto added = staged_->keys.find(tag);
  if (added != staged_->keys.end()) {
    out = added->second;
    return true;
  }
  if (!trees().find(tag, out.place)) {
    return false;
  }
  store()->log.read_facts(out.place, out.facts);
  return true;
}

// Takes in the leaves of one epoch, whose rows are sorted, with the versions that follow the latest.
void StoredDirectory::add_leaves(std::span<const optiks_leaf_t> leaves, ByteSpan values) {
  const bool keeps_values = store()->keeps_values;
  if (keeps_values) {
    check_values(leaves, values, store()->max_value_len);
  }
  HashBatch hashes;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const optiks_leaf_t& row = leaves[i];
    const Tag tag = tag_of(row);
    Newest newest;
    const bool exists = find_newest(tag, newest);
    if (exists && newest.facts.epoch == row.epoch && row.epoch != 0) {
      throw DirectoryError(OPTIKS_E_DUPLICATE, "a key is there twice in one epoch");
    }
    const LeafFacts facts = next_facts(leaves, i, exists ? &newest.facts : nullptr, newest.place);
    const bool is_kept = keeps_values && has_value(row);
    const std::uint64_t place = store()->log.append(facts, is_kept ? ByteSpan(row.opening) : ByteSpan(),
                                                    is_kept ? value_of(row, values) : ByteSpan());
    StoredLeaf& leaf = staged_->leaves[structure_of(row) - 1U].emplace_back();
    std::ranges::copy(row.label, leaf.label.begin());
    leaf.locator = place;
    hashes.add_leaf(row.label, row.commitment, row.epoch, leaf.hash);
    staged_->keys.insert_or_assign(tag, Newest{place, facts});
  }
  hashes.run();
}

void StoredDirectory::build_trees(const char* duplicate) {
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    std::vector<StoredLeaf>& leaves = staged_->leaves[s];
    // The leaves of one epoch are sorted already.
    if (!std::ranges::is_sorted(leaves, {}, &StoredLeaf::label)) {
      std::ranges::sort(leaves, {}, &StoredLeaf::label);
    }
    if (!trees().stage(s, leaves)) {
      throw DirectoryError(OPTIKS_E_DUPLICATE, duplicate);
    }
  }
}

void StoredDirectory::load(std::uint64_t epoch, std::span<const optiks_leaf_t> leaves, ByteSpan values) {
  const std::uint64_t before = trees().state().epoch;
  if (staged_ != nullptr || epoch < before) {
    throw DirectoryError(OPTIKS_E_STATE, "leaves are loaded in the order of their epochs, while none is staged");
  }
  begin(epoch, leaves);
  try {
    for_each_epoch(leaves, before, epoch,
                   [&](std::span<const optiks_leaf_t> leaves_then) { add_leaves(leaves_then, values); });
    build_trees("a stored label is there twice");
    commit();
  } catch (...) {
    discard();
    throw;
  }
}

void StoredDirectory::stage(std::uint64_t epoch, std::span<const optiks_leaf_t> leaves, ByteSpan values,
                            bool with_proofs) {
  if (staged_ != nullptr || epoch != trees().state().epoch + 1) {
    throw DirectoryError(OPTIKS_E_STATE, "the next epoch is staged, and one at a time");
  }
  if (with_proofs) {
    throw DirectoryError(OPTIKS_E_STATE, "a directory in stored mode makes no append-only proofs");
  }
  begin(epoch, leaves);
  try {
    if (std::any_of(leaves.begin(), leaves.end(), [&](const optiks_leaf_t& row) { return row.epoch != epoch; })) {
      data_error("a leaf is of another epoch");
    }
    add_leaves(leaves, values);
    build_trees("a label is in the tree already");
  } catch (...) {
    discard();
    throw;
  }
}

void StoredDirectory::commit() {
  if (staged_ == nullptr) {
    throw DirectoryError(OPTIKS_E_STATE, "no epoch is staged");
  }
  Store& store = *this->store();
  store.log.flush();
  store.log.sync();
  store.versions.prepare();
  std::vector<StoredTrees::Key> keys;
  keys.reserve(staged_->keys.size());
  for (const auto& [tag, newest] : staged_->keys) {
    keys.push_back({tag, newest.place});
  }
  trees().commit(staged_->epoch, {store.log.identity(), store.log.size()}, std::move(keys), store.versions.oldest());
  // From here on nothing fails.
  store.versions.publish(staged_->epoch, trees().state().trees, store.log.size());
  staged_.reset();
  count_bytes();
}

void StoredDirectory::discard() noexcept {
  if (staged_ == nullptr) {
    return;
  }
  trees().discard();
  store()->log.truncate(staged_->log_size);
  staged_.reset();
}

}  // namespace optiks::ozks
