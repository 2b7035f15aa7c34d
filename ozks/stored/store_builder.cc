#include "stored/store_builder.h"

#include <vector>

#include "leaves/directory_error.h"
#include "leaves/leaf_rows.h"

namespace optiks::ozks {
namespace {

// The maximum memory of each of the three ExternalSort objects.
constexpr std::size_t kSortMemory = std::size_t{16} << 20;
// The number of leaves that are put into a tree at once. It is small, so that few pages are in memory at the same time.
constexpr std::size_t kStageBatch = 4096;
// The number of keys that one transaction writes.
constexpr std::size_t kKeyBatch = std::size_t{1} << 16;

}  // namespace

StoreBuilder::StoreBuilder(StoredTrees& trees, bool reuses_usernames)
    : trees_(trees),
      reuses_usernames_(reuses_usernames),
      by_label_(trees.folder(), kSortMemory),
      by_tag_(trees.folder(), kSortMemory),
      links_(trees.folder(), kSortMemory) {}

void StoreBuilder::add(std::uint8_t structure, const NewLeaf& leaf, const LeafFacts& facts) {
  by_label_.add({leaf.label, leaf.hash, leaf.log_offset, structure});
  by_tag_.add({facts.tag, leaf.log_offset, facts.previous, facts.version, structure});
}

void StoreBuilder::build(LeafLog& log, Workers& workers) {
  by_tag_.sort();
  write_keys();
  links_.sort();
  for (Link link{}; links_.next(link);) {
    log.link(link.log_offset, link.previous);
  }
  by_label_.sort();
  stage_trees(workers);
}

void StoreBuilder::stage_trees(Workers& workers) {
  std::vector<NewLeaf> leaves;
  leaves.reserve(kStageBatch);
  LeafByLabel next{};
  for (bool is_more = by_label_.next(next); is_more;) {
    const std::uint8_t structure = next.structure;
    leaves.clear();
    while (is_more && next.structure == structure && leaves.size() < kStageBatch) {
      leaves.push_back({next.label, next.hash, next.log_offset});
      is_more = by_label_.next(next);
    }
    if (!trees_.stage(structure, leaves, workers)) {
      throw DirectoryError(OPTIKS_E_DUPLICATE, "a label is in the tree already");
    }
  }
}

void StoreBuilder::write_keys() {
  std::vector<StoredTrees::Key> keys;
  keys.reserve(kKeyBatch);
  LeafByTag before{};
  LeafByTag leaf{};
  for (bool is_first = true; by_tag_.next(leaf); is_first = false, before = leaf) {
    if (!is_first && leaf.tag == before.tag) {
      follow(before, leaf);
      keys.back().log_offset = leaf.log_offset;
      continue;
    }
    check_version(has_versions(leaf.structure, reuses_usernames_), leaf.version, nullptr);
    if (leaf.previous != kNoLogOffset) {
      data_error("the record of a key's first version names one before");
    }
    if (keys.size() == kKeyBatch) {
      trees_.put_keys_ahead(keys);
      keys.clear();
    }
    keys.push_back({leaf.tag, leaf.log_offset});
  }
  trees_.put_keys_ahead(keys);
}

// Checks that `leaf` is of the version after the version of `before`. Both leaves belong to the same key. Adds a link
// if the record of `leaf` does not refer to the record of `before` yet.
void StoreBuilder::follow(const LeafByTag& before, const LeafByTag& leaf) {
  LeafFacts latest;
  latest.version = before.version;
  check_version(has_versions(leaf.structure, reuses_usernames_), leaf.version, &latest);
  if (leaf.structure != before.structure || leaf.log_offset < before.log_offset) {
    data_error("versions of one key are of several structures, or not in the order of their epochs");
  }
  if (leaf.previous == kNoLogOffset) {
    links_.add({leaf.log_offset, before.log_offset});
  } else if (leaf.previous != before.log_offset) {
    data_error("a record names another one than that of the version before");
  }
}

}  // namespace optiks::ozks
