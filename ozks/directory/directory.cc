#include "directory/directory.h"

#include <sodium.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "optiks/base/blake2b.h"
#include "optiks/base/check.h"
#include "trie/append_proof.h"
#include "trie/hash_batch.h"

namespace optiks::ozks {
namespace {

constexpr std::uint64_t kNoValue = ~std::uint64_t{0};
// Domains under the tag key: a structure's number is never this one.
constexpr std::uint8_t kCacheDomain = 0xff;

// Structures whose keys have versions (PAHD); in the others (oZKS) a key has one leaf, of version 0.
bool is_versioned(std::uint8_t structure) { return structure == OPTIKS_DEVICES || structure == OPTIKS_KEYS; }

std::uint8_t structure_of(const optiks_leaf_t& row) { return static_cast<std::uint8_t>(row.structure_and_input >> 28); }

ByteSpan label_of(const optiks_leaf_t& row) { return row.label; }

bool before(const optiks_leaf_t& a, const optiks_leaf_t& b) {
  return std::make_pair(structure_of(a), std::memcmp(a.label, b.label, verify::kHashLen)) <
         std::make_pair(structure_of(b), 0);
}

[[noreturn]] void data_error(const char* text) { throw DirectoryError(OPTIKS_E_DATA, text); }

Tag keyed_tag(const base::Secret<32>& key, std::uint8_t domain, ByteSpan data) {
  Tag out;
  base::Blake2b hash(out.size(), key.bytes());
  hash.update({&domain, 1}).update(data).finish(out);
  return out;
}

// Keeps secrets out of the swap. Where RLIMIT_MEMLOCK does not allow it they are swapped like other memory; they are
// erased in any case. Never undone, as that would unlock what else is on the page, and a directory usually lives as
// long as its process.
void lock_memory(std::span<const std::byte> secrets) { static_cast<void>(mlock(secrets.data(), secrets.size())); }

void check_structure(std::uint8_t structure) {
  if (structure < 1 || structure > kNumStructures) {
    throw DirectoryError(OPTIKS_E_ARGUMENT, "a structure is not 1..4");
  }
}

// LabelBatch collects VRF inputs and evaluates those of one structure, which have one key, at once.
class LabelBatch {
 public:
  // `out`, 32 octets, is written by evaluate().
  void add(std::uint8_t structure, ByteSpan key, std::uint64_t version, std::uint8_t* out) {
    Inputs& inputs = inputs_[structure - 1U];
    Alpha(structure, key, version).append_to(inputs.alphas);
    inputs.ends.push_back(inputs.alphas.size());
    inputs.outs.push_back(out);
  }

  void evaluate(const Secrets& secrets) {
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      const Inputs& inputs = inputs_[s];
      if (inputs.outs.empty()) {
        continue;
      }
      std::vector<std::uint8_t> labels(inputs.outs.size() * vrf::kLabelLen);
      vrf::evaluate_batch(secrets.vrf[s], {inputs.alphas, inputs.ends}, labels);
      for (std::size_t i = 0; i < inputs.outs.size(); ++i) {
        std::memcpy(inputs.outs[i], labels.data() + i * vrf::kLabelLen, vrf::kLabelLen);
      }
    }
  }

 private:
  struct Inputs {
    std::vector<std::uint8_t> alphas;
    std::vector<std::size_t> ends{0};
    std::vector<std::uint8_t*> outs;
  };
  std::array<Inputs, kNumStructures> inputs_;
};

}  // namespace

Alpha::Alpha(std::uint8_t structure, ByteSpan key, std::uint64_t version) : len_(2 + key.size() + 8) {
  OPTIKS_CHECK(key.size() <= kMaxKeyLen);
  octets_[0] = structure;
  octets_[1] = static_cast<std::uint8_t>(key.size());
  std::copy(key.begin(), key.end(), octets_.begin() + 2);
  base::store_be64(octets_.data() + 2 + key.size(), version);
}

Store::Store(Secrets&& keys_in, const optiks_dir_options_t& options)
    : secrets(std::move(keys_in)),
      period(options.period),
      period_first_epoch(options.period_first_epoch),
      max_value_len(options.max_value_len),
      cache(options.vrf_cache_bytes),
      versions(0) {
  for (const vrf::SecretKey& key : secrets.vrf) {
    lock_memory(key.memory());
  }
  lock_memory(std::as_bytes(std::span(&secrets.tag_key, 1)));
  if (options.value_log_path != nullptr) {
    values.emplace(options.value_log_path);
  }
}

Tag Store::tag(std::uint8_t structure, ByteSpan key) const { return keyed_tag(secrets.tag_key, structure, key); }

Tag Store::input_tag(ByteSpan alpha) const { return keyed_tag(secrets.tag_key, kCacheDomain, alpha); }

NodeId Store::latest(const Tag& key, std::uint64_t epoch) const {
  NodeId id = keys.find(key);
  while (id != kNoNode && nodes.leaf(id).epoch > epoch) {
    id = nodes.leaf(id).previous;
  }
  return id;
}

void encode_states(const Store& store, const std::array<Tree, kNumStructures>& trees, std::uint8_t* out) {
  for (std::size_t i = 0; i < kNumStructures; ++i) {
    out = std::copy(trees[i].root_hash.begin(), trees[i].root_hash.end(), out);
    base::store_be64(out, trees[i].count);
    const auto key = store.secrets.vrf[i].public_key();
    out = std::copy(key.begin(), key.end(), out + 8);
  }
}

Directory::Directory(Secrets&& secrets, const optiks_dir_options_t& options)
    : store_(std::make_shared<Store>(std::move(secrets), options)) {}

Directory::~Directory() { discard(); }

void Directory::load(std::uint64_t epoch, std::span<const optiks_leaf_t> leaves, ByteSpan values) {
  const Version& current = store_->versions.current();
  if (staged_ != nullptr || epoch < current.epoch) {
    throw DirectoryError(OPTIKS_E_STATE, "leaves are loaded in the order of their epochs, while none is staged");
  }
  std::uint64_t last_epoch = current.epoch;
  Staged batch;
  // At once: growing exactly by each epoch's leaves would copy them all for every epoch.
  batch.leaves.reserve(leaves.size());
  // Epoch by epoch, as versions of one key follow each other; the trees take all leaves at once.
  for (std::size_t first = 0; first < leaves.size();) {
    const std::uint64_t at = leaves[first].epoch;
    std::size_t last = first;
    while (last < leaves.size() && leaves[last].epoch == at) {
      ++last;
    }
    if (at <= last_epoch || at > epoch) {
      data_error("stored leaves are not in the order of their epochs");
    }
    last_epoch = at;
    batch.tags.clear();
    const std::size_t added = batch.leaves.size();
    add_leaves(batch, leaves.subspan(first, last - first), values);
    store_->keys.reserve(batch.tags.size(), epoch);
    for (std::size_t i = 0; i < batch.tags.size(); ++i) {
      const NodeId leaf = batch.leaves[added + i].id;
      if (store_->keys.find(batch.tags[i]) != store_->nodes.leaf(leaf).previous) {
        throw DirectoryError(OPTIKS_E_DUPLICATE, "a key is there twice in one stored epoch");
      }
      store_->keys.put(batch.tags[i], leaf);
    }
    first = last;
  }
  std::array<std::vector<NewLeaf>, kNumStructures> sorted;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    sorted[structure_of(leaves[i]) - 1U].push_back(batch.leaves[i]);
  }
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    std::sort(sorted[s].begin(), sorted[s].end(), [&](const NewLeaf& a, const NewLeaf& b) {
      return store_->nodes.leaf(a.id).label < store_->nodes.leaf(b.id).label;
    });
    if (!apply(store_->nodes, current.trees[s], sorted[s], batch.trees[s], batch.change)) {
      throw DirectoryError(OPTIKS_E_DUPLICATE, "a stored label is there twice");
    }
  }
  if (store_->values) {
    store_->values->flush();
  }
  store_->versions.prepare();
  superseded_.push_back({epoch, std::move(batch.change.superseded)});
  store_->versions.publish(epoch, batch.trees);
  collect();
  count_bytes();
}

std::uint64_t Directory::version_of(std::uint8_t structure, ByteSpan key) const {
  check_structure(structure);
  const NodeId id = store_->keys.find(store_->tag(structure, key));
  return id == kNoNode ? 0 : store_->nodes.leaf(id).version;
}

// The version of a key's next leaf. A key of an oZKS has no second one.
std::uint64_t Directory::next_version(std::uint8_t structure, NodeId latest) const {
  if (is_versioned(structure)) {
    return latest == kNoNode ? 1 : store_->nodes.leaf(latest).version + std::uint64_t{1};
  }
  if (latest != kNoNode) {
    throw DirectoryError(OPTIKS_E_DUPLICATE, "a key of an oZKS is there already");
  }
  return 0;
}

void Directory::expect(const std::uint8_t* structures, const ByteStrings& keys) {
  const Snapshot now(store_);
  Expected expected;
  expected.reserve(keys.size);
  LabelBatch labels;
  for (std::size_t i = 0; i < keys.size; ++i) {
    check_structure(structures[i]);
    const Tag tag = store_->tag(structures[i], keys[i]);
    const NodeId latest = store_->latest(tag, now.version().epoch);
    if (!is_versioned(structures[i]) && latest != kNoNode) {
      continue;
    }
    const auto [at, added] = expected.try_emplace(tag);
    if (added) {
      at->second.version = next_version(structures[i], latest);
      labels.add(structures[i], keys[i], at->second.version, at->second.label.data());
    }
  }
  labels.evaluate(store_->secrets);
  const std::lock_guard lock(expected_mutex_);
  expected_ = std::move(expected);
}

Directory::Expected Directory::take_expected() const {
  const std::lock_guard lock(expected_mutex_);
  return std::exchange(expected_, {});
}

void Directory::prepare(std::uint64_t epoch, const std::uint8_t* structures, const ByteStrings& keys,
                        const ByteStrings& values, optiks_leaf_t* out_rows) const {
  if (epoch != store_->versions.current().epoch + 1) {
    throw DirectoryError(OPTIKS_E_STATE, "leaves are prepared for the next epoch");
  }
  if (keys.size >= (1U << 28)) {
    throw DirectoryError(OPTIKS_E_ARGUMENT, "an epoch takes fewer than 2^28 updates");
  }
  std::vector<Tag> tags(keys.size);
  for (std::size_t i = 0; i < keys.size; ++i) {
    check_structure(structures[i]);
    if (keys[i].empty() || keys[i].size() > kMaxKeyLen || values[i].size() > store_->max_value_len) {
      throw DirectoryError(OPTIKS_E_ARGUMENT, "a key or a value has a length that the configuration does not allow");
    }
    tags[i] = store_->tag(structures[i], keys[i]);
  }
  std::vector<Tag> sorted_tags = tags;
  std::sort(sorted_tags.begin(), sorted_tags.end());
  if (std::adjacent_find(sorted_tags.begin(), sorted_tags.end()) != sorted_tags.end()) {
    throw DirectoryError(OPTIKS_E_DUPLICATE, "a key is there twice in one epoch");
  }
  const Expected expected = take_expected();
  LabelBatch labels;
  std::vector<optiks_leaf_t> out(keys.size);
  for (std::size_t i = 0; i < keys.size; ++i) {
    optiks_leaf_t& row = out[i];
    row.version = next_version(structures[i], store_->keys.find(tags[i]));
    row.epoch = epoch;
    row.value_offset = values.offsets[i];
    row.value_len = static_cast<std::uint32_t>(values[i].size());
    row.structure_and_input = static_cast<std::uint32_t>(structures[i]) << 28 | static_cast<std::uint32_t>(i);
    std::copy(tags[i].begin(), tags[i].end(), row.tag);
    randombytes_buf(row.opening, sizeof(row.opening));
    const Hash commitment = verify::commitment_hash(row.opening, values[i]);
    std::copy(commitment.begin(), commitment.end(), row.commitment);
    const auto known = expected.find(tags[i]);
    if (known != expected.end() && known->second.version == row.version) {
      std::copy(known->second.label.begin(), known->second.label.end(), row.label);
    } else {
      labels.add(structures[i], keys[i], row.version, row.label);
    }
  }
  labels.evaluate(store_->secrets);
  std::sort(out.begin(), out.end(), before);
  std::copy(out.begin(), out.end(), out_rows);
}

// Makes the leaves of one epoch, whose rows are sorted, with the versions that follow the key table's.
void Directory::add_leaves(Staged& staged, std::span<const optiks_leaf_t> leaves, ByteSpan values) {
  staged.leaves.reserve(staged.leaves.size() + leaves.size());
  staged.tags.reserve(staged.tags.size() + leaves.size());
  HashBatch hashes;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const optiks_leaf_t& row = leaves[i];
    const std::uint8_t structure = structure_of(row);
    if (structure < 1 || structure > kNumStructures || (i != 0 && !before(leaves[i - 1], row))) {
      data_error("the leaves of an epoch are not sorted by structure and label");
    }
    Tag tag;
    std::copy_n(row.tag, tag.size(), tag.begin());
    const NodeId previous = store_->keys.find(tag);
    if (row.version != next_version(structure, previous) || row.version > std::numeric_limits<std::uint32_t>::max()) {
      data_error("a leaf's version does not follow the one before it");
    }
    Leaf leaf{};
    std::copy_n(label_of(row).begin(), leaf.label.size(), leaf.label.begin());
    std::copy_n(row.commitment, leaf.commitment.size(), leaf.commitment.begin());
    leaf.epoch = row.epoch;
    leaf.version = static_cast<std::uint32_t>(row.version);
    leaf.previous = previous;
    leaf.locator = kNoLocator;
    if (store_->values && row.value_offset != kNoValue) {
      if (row.value_offset > values.size() || row.value_len > values.size() - row.value_offset ||
          row.value_len > store_->max_value_len) {
        data_error("a value lies outside the values, or is longer than the configuration allows");
      }
      const ByteSpan value = values.subspan(static_cast<std::size_t>(row.value_offset), row.value_len);
      if (verify::commitment_hash(row.opening, value) != leaf.commitment) {
        data_error("a value does not open its commitment");
      }
      leaf.locator = store_->values->append(row.opening, value);
    }
    staged.tags.push_back(tag);
    staged.leaves.push_back({store_->nodes.add_leaf(leaf), {}});
    hashes.add_leaf(leaf.label, leaf.commitment, leaf.epoch, staged.leaves.back().hash);
  }
  hashes.run();
}

void Directory::stage(std::uint64_t epoch, std::span<const optiks_leaf_t> leaves, ByteSpan values, bool with_proofs) {
  const Version& current = store_->versions.current();
  if (staged_ != nullptr || epoch != current.epoch + 1) {
    throw DirectoryError(OPTIKS_E_STATE, "the next epoch is staged, and one at a time");
  }
  staged_ = std::make_unique<Staged>();
  staged_->epoch = epoch;
  staged_->value_log_size = store_->values ? store_->values->size() : 0;
  try {
    if (std::any_of(leaves.begin(), leaves.end(), [&](const optiks_leaf_t& row) { return row.epoch != epoch; })) {
      data_error("a leaf is of another epoch");
    }
    add_leaves(*staged_, leaves, values);
    std::vector<Tag> tags = staged_->tags;
    std::sort(tags.begin(), tags.end());
    if (std::adjacent_find(tags.begin(), tags.end()) != tags.end()) {
      throw DirectoryError(OPTIKS_E_DUPLICATE, "a key is there twice in one epoch");
    }
    std::size_t first = 0;
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      std::size_t last = first;
      while (last < leaves.size() && structure_of(leaves[last]) == s + 1) {
        ++last;
      }
      const std::span<const NewLeaf> added(staged_->leaves.data() + first, last - first);
      if (!apply(store_->nodes, current.trees[s], added, staged_->trees[s], staged_->change)) {
        throw DirectoryError(OPTIKS_E_DUPLICATE, "a label is in the tree already");
      }
      if (with_proofs) {
        make_append_proof(store_->nodes, current.trees[s], added, staged_->proofs);
      }
      first = last;
    }
  } catch (...) {
    discard();
    throw;
  }
}

void Directory::commit() {
  if (staged_ == nullptr) {
    throw DirectoryError(OPTIKS_E_STATE, "no epoch is staged");
  }
  if (store_->values) {
    store_->values->flush();
  }
  store_->keys.reserve(staged_->tags.size(), staged_->epoch);
  store_->versions.prepare();
  superseded_.push_back({staged_->epoch, {}});
  // From here on nothing fails.
  superseded_.back().nodes = std::move(staged_->change.superseded);
  for (std::size_t i = 0; i < staged_->tags.size(); ++i) {
    store_->keys.put(staged_->tags[i], staged_->leaves[i].id);
  }
  store_->versions.publish(staged_->epoch, staged_->trees);
  staged_.reset();
  collect();
  count_bytes();
}

void Directory::discard() noexcept {
  if (staged_ == nullptr) {
    return;
  }
  for (const NodeId id : staged_->change.created) {
    store_->nodes.free_interior(id);
  }
  for (const NewLeaf& leaf : staged_->leaves) {
    store_->nodes.free_leaf(leaf.id);
  }
  if (store_->values) {
    store_->values->truncate(staged_->value_log_size);
  }
  staged_.reset();
}

// Frees what no pinned version can reach.
void Directory::collect() noexcept {
  const std::uint64_t oldest = store_->versions.oldest();
  while (!superseded_.empty() && superseded_.front().epoch <= oldest) {
    for (const NodeId id : superseded_.front().nodes) {
      store_->nodes.free_interior(id);
    }
    superseded_.pop_front();
  }
  store_->keys.collect(oldest);
}

void Directory::count_bytes() {
  store_->tree_bytes.store(store_->nodes.bytes(), std::memory_order_relaxed);
  store_->table_bytes.store(store_->keys.bytes(), std::memory_order_relaxed);
  store_->value_bytes.store(store_->values ? store_->values->size() : 0, std::memory_order_relaxed);
}

}  // namespace optiks::ozks
