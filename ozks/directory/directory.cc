#include "directory/directory.h"

#include <sodium.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "directory/leaf_rows.h"
#include "optiks/base/blake2b.h"
#include "optiks/base/check.h"
#include "trie/append_proof.h"
#include "trie/hash_batch.h"
#include "trie/parallel.h"

namespace optiks::ozks {
namespace {

// So many keys ahead their places in the key table are asked for.
constexpr std::size_t kPrefetched = 8;
// Hashes for which another thread pays.
constexpr std::size_t kHashedAtOnce = 128;
// So many leaves a load adds to a tree at once.
constexpr std::size_t kLoadLen = 4096;
// Domains under the tag key: a structure's number is never this one.
constexpr std::uint8_t kCacheDomain = 0xff;
constexpr std::uint8_t kCheckDomain = 0xfe;

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

  void evaluate(const Secrets& secrets, unsigned threads) {
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      const Inputs& inputs = inputs_[s];
      const std::size_t n = inputs.outs.size();
      // Large enough for what a batch shares, small enough that no thread waits long for the last.
      const std::size_t chunk_len = threads == 1 ? n : std::max<std::size_t>(64, n / threads / 32 * 8);
      for_each_index(threads, n == 0 ? 0 : (n - 1) / chunk_len + 1, [&](std::size_t chunk) {
        const std::size_t first = chunk * chunk_len;
        const std::size_t size = std::min(chunk_len, n - first);
        std::vector<std::uint8_t> labels(size * vrf::kLabelLen);
        vrf::evaluate_batch(secrets.vrf[s], {inputs.alphas, std::span(inputs.ends).subspan(first, size + 1)}, labels);
        for (std::size_t i = 0; i < size; ++i) {
          std::memcpy(inputs.outs[first + i], labels.data() + i * vrf::kLabelLen, vrf::kLabelLen);
        }
      });
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

Tag tag_check(const Secrets& secrets) { return secrets.tag_key.tag({kCheckDomain, {}}); }

Store::Store(Secrets&& keys_in, const optiks_dir_options_t& options, const LogState* kept)
    : secrets(std::move(keys_in)),
      period(options.period),
      period_first_epoch(options.period_first_epoch),
      max_value_len(options.max_value_len),
      keeps_values(options.without_values == 0),
      cache(options.vrf_cache_bytes),
      log(kept == nullptr ? LeafLog(options.leaf_log_path) : LeafLog(options.leaf_log_path, kept->identity, kept->len)),
      versions(0) {
  for (const vrf::SecretKey& key : secrets.vrf) {
    lock_memory(key.memory());
  }
  lock_memory(secrets.tag_key.memory());
}

Tag Store::tag(std::uint8_t structure, ByteSpan key) const { return secrets.tag_key.tag({structure, key}); }

Tag Store::input_tag(ByteSpan alpha) const { return secrets.tag_key.tag({kCacheDomain, alpha}); }

void Store::input_tags(std::span<const Alpha> alphas, std::span<Tag> out) const {
  std::vector<TagInput> inputs;
  inputs.reserve(alphas.size());
  for (const Alpha& alpha : alphas) {
    inputs.push_back({kCacheDomain, alpha.get()});
  }
  secrets.tag_key.tag_many(inputs, out);
}

NodeId Store::newest(const Tag& key, LeafRecord& out) const {
  return keys.find(key, [&](NodeId leaf) {
    read(leaf, out);
    return out.facts().tag == key;
  });
}

bool Store::find_newest(const Tag& key, LeafRecord& out) const {
  if (stored == nullptr) {
    return newest(key, out) != kNoNode;
  }
  std::uint64_t place = kNoPlace;
  const bool found = stored->find(key, place);
  if (found) {
    log.read(place, out);
  }
  return found;
}

bool Store::latest(const Tag& key, std::uint64_t epoch, LeafRecord& out) const {
  bool found = find_newest(key, out);
  while (found && out.facts().epoch > epoch) {
    const std::uint64_t previous = out.facts().previous;
    found = previous != kNoPlace;
    if (found) {
      log.read(previous, out);
    }
  }
  return found;
}

void Store::prefetch_latest(const Tag& key) const {
  const NodeId likely = keys.find(key, [](NodeId) { return true; });
  if (likely != kNoNode) {
    prefetch(&nodes.leaf(likely), sizeof(Leaf));
  }
}

bool Store::is_of_key(NodeId leaf, const Tag& key) const {
  LeafFacts facts;
  log.read_facts(nodes.leaf(leaf).log_place(), facts);
  return facts.tag == key;
}

void encode_states(const Store& store, const std::array<Tree, kNumStructures>& trees, std::uint8_t* out) {
  for (std::size_t i = 0; i < kNumStructures; ++i) {
    out = std::copy(trees[i].root_hash.begin(), trees[i].root_hash.end(), out);
    base::store_be64(out, trees[i].count);
    const auto key = store.secrets.vrf[i].public_key();
    out = std::copy(key.begin(), key.end(), out + 8);
  }
}

Directory::Directory(Secrets&& secrets, const optiks_dir_options_t& options, const LogState* kept)
    : store_(std::make_shared<Store>(std::move(secrets), options, kept)), threads_(std::max(1U, options.threads)) {}

Directory::~Directory() { Directory::discard(); }

void Directory::load(std::uint64_t epoch, std::span<const optiks_leaf_t> leaves, ByteSpan values) {
  const Version& current = store_->versions.current();
  if (staged_ != nullptr || epoch < current.epoch) {
    throw DirectoryError(OPTIKS_E_STATE, "leaves are loaded in the order of their epochs, while none is staged");
  }
  Staged batch;
  make_room(batch, leaves);
  // Epoch by epoch, as versions of one key follow each other; the trees take all leaves at once.
  for_each_epoch(leaves, current.epoch, epoch, [&](std::span<const optiks_leaf_t> leaves_then) {
    batch.keys.clear();
    add_leaves(batch, leaves_then, values);
    // The key table leads to them from here on.
    store_->log.flush();
    store_->keys.reserve(batch.keys, epoch);
    for (const KeyTable::Entry& entry : batch.keys) {
      const NodeId now = store_->keys.find(
          entry.tag, [&](NodeId leaf) { return leaf == entry.previous || store_->is_of_key(leaf, entry.tag); });
      if (now != entry.previous) {
        throw DirectoryError(OPTIKS_E_DUPLICATE, "a key is there twice in one stored epoch");
      }
      store_->keys.put(entry);
    }
  });
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    const auto by_label = [&](const NewLeaf& a, const NewLeaf& b) {
      return store_->nodes.leaf(a.id).label < store_->nodes.leaf(b.id).label;
    };
    // The leaves of one epoch are sorted already.
    if (!std::ranges::is_sorted(batch.leaves[s], by_label)) {
      std::ranges::sort(batch.leaves[s], by_label);
    }
    // Nobody reads meanwhile: what is superseded is free at once, and little of it at a time.
    batch.trees[s] = current.trees[s];
    for (std::size_t first = 0; first < batch.leaves[s].size(); first += kLoadLen) {
      const auto leaves_now =
          std::span(batch.leaves[s]).subspan(first, std::min(kLoadLen, batch.leaves[s].size() - first));
      const Tree before = batch.trees[s];
      Change change;
      if (!apply(store_->nodes, before, leaves_now, threads_, batch.trees[s], change)) {
        throw DirectoryError(OPTIKS_E_DUPLICATE, "a stored label is there twice");
      }
      for (const NodeId id : change.superseded) {
        store_->nodes.free_interior(id);
      }
    }
  }
  store_->versions.prepare();
  store_->versions.publish(epoch, batch.trees, store_->log.size());
  collect();
  count_bytes();
}

std::uint64_t Directory::version_of(std::uint8_t structure, ByteSpan key) const {
  check_structure(structure);
  LeafRecord record;
  return store_->find_newest(store_->tag(structure, key), record) ? record.facts().version : 0;
}

void Directory::expect(const std::uint8_t* structures, const ByteStrings& keys) {
  const Snapshot now(store_);
  Expected expected;
  expected.reserve(keys.size);
  LabelBatch labels;
  LeafRecord record;
  for (std::size_t i = 0; i < keys.size; ++i) {
    check_structure(structures[i]);
    const Tag tag = store_->tag(structures[i], keys[i]);
    const bool exists = store_->latest(tag, now.version().epoch, record);
    if (!is_versioned(structures[i]) && exists) {
      continue;
    }
    const auto [at, added] = expected.try_emplace(tag);
    if (added) {
      at->second.version = next_version(structures[i], exists ? &record.facts() : nullptr);
      labels.add(structures[i], keys[i], at->second.version, at->second.label.data());
    }
  }
  labels.evaluate(store_->secrets, threads_);
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
  for (std::size_t i = 0; i < keys.size; ++i) {
    check_structure(structures[i]);
    if (keys[i].empty() || keys[i].size() > kMaxKeyLen || values[i].size() > store_->max_value_len) {
      throw DirectoryError(OPTIKS_E_ARGUMENT, "a key or a value has a length that the configuration does not allow");
    }
  }
  std::vector<std::array<std::uint8_t, kOpeningLen>> openings(keys.size);
  if (!openings.empty()) {
    randombytes_buf(openings.data(), openings.size() * kOpeningLen);
  }
  std::vector<Tag> tags(keys.size);
  std::vector<Hash> commitments(keys.size);
  for_each_index(threads_, (keys.size + kHashedAtOnce - 1) / kHashedAtOnce, [&](std::size_t chunk) {
    const std::size_t first = chunk * kHashedAtOnce;
    const std::size_t last = std::min(keys.size, first + kHashedAtOnce);
    std::vector<TagInput> inputs;
    HashBatch hashes;
    for (std::size_t i = first; i < last; ++i) {
      inputs.push_back({structures[i], keys[i]});
      hashes.add_commitment(openings[i], values[i], commitments[i]);
    }
    hashes.run();
    store_->secrets.tag_key.tag_many(inputs, std::span(tags).subspan(first, last - first));
    for (std::size_t i = first; i < last; ++i) {
      store_->keys.prefetch(tags[i]);
    }
  });
  if (has_twice(tags)) {
    throw DirectoryError(OPTIKS_E_DUPLICATE, "a key is there twice in one epoch");
  }
  const Expected expected = take_expected();
  LabelBatch labels;
  LeafRecord record;
  std::vector<optiks_leaf_t> out(keys.size);
  for (std::size_t i = 0; i < keys.size; ++i) {
    optiks_leaf_t& row = out[i];
    row.version = next_version(structures[i], store_->find_newest(tags[i], record) ? &record.facts() : nullptr);
    row.epoch = epoch;
    row.value_offset = values.offsets[i];
    row.value_len = static_cast<std::uint32_t>(values[i].size());
    row.structure_and_input = static_cast<std::uint32_t>(structures[i]) << 28 | static_cast<std::uint32_t>(i);
    std::copy(tags[i].begin(), tags[i].end(), row.tag);
    std::ranges::copy(openings[i], row.opening);
    std::ranges::copy(commitments[i], row.commitment);
    const auto known = expected.find(tags[i]);
    if (known != expected.end() && known->second.version == row.version) {
      std::copy(known->second.label.begin(), known->second.label.end(), row.label);
    } else {
      labels.add(structures[i], keys[i], row.version, row.label);
    }
  }
  labels.evaluate(store_->secrets, threads_);
  sort_rows(out, out_rows);
}

// Room for the leaves, which then stay where they are while they are hashed.
void Directory::make_room(Staged& staged, std::span<const optiks_leaf_t> leaves) {
  const std::array<std::size_t, kNumStructures> counts = count_by_structure(leaves);
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    staged.leaves[s].reserve(counts[s]);
  }
}

// Makes the leaves of one epoch, whose rows are sorted, with the versions that follow the key table's.
void Directory::add_leaves(Staged& staged, std::span<const optiks_leaf_t> leaves, ByteSpan values) {
  if (store_->keeps_values) {
    for_each_index(threads_, (leaves.size() + kHashedAtOnce - 1) / kHashedAtOnce, [&](std::size_t chunk) {
      const std::size_t first = chunk * kHashedAtOnce;
      check_values(leaves.subspan(first, std::min(kHashedAtOnce, leaves.size() - first)), values,
                   store_->max_value_len);
    });
  }
  staged.keys.reserve(leaves.size());
  HashBatch hashes;
  LeafRecord record;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (i + kPrefetched < leaves.size()) {
      store_->keys.prefetch(tag_of(leaves[i + kPrefetched]));
    }
    const optiks_leaf_t& row = leaves[i];
    const std::uint8_t structure = structure_of(row);
    const Tag tag = tag_of(row);
    const NodeId previous = store_->newest(tag, record);
    const LeafFacts facts = previous == kNoNode
                                ? next_facts(leaves, i, nullptr, kNoPlace)
                                : next_facts(leaves, i, &record.facts(), store_->nodes.leaf(previous).log_place());
    const bool is_kept = store_->keeps_values && has_value(row);
    Leaf leaf;
    std::ranges::copy(row.label, leaf.label.begin());
    leaf.set_log_place(store_->log.append(facts, is_kept ? ByteSpan(row.opening) : ByteSpan(),
                                          is_kept ? value_of(row, values) : ByteSpan()));
    std::vector<NewLeaf>& added = staged.leaves[structure - 1U];
    added.push_back({.id = store_->nodes.add_leaf(leaf)});
    staged.keys.push_back({tag, added.back().id, previous});
    hashes.add_leaf(row.label, row.commitment, row.epoch, added.back().hash);
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
  staged_->log_size = store_->log.size();
  try {
    if (std::any_of(leaves.begin(), leaves.end(), [&](const optiks_leaf_t& row) { return row.epoch != epoch; })) {
      data_error("a leaf is of another epoch");
    }
    make_room(*staged_, leaves);
    add_leaves(*staged_, leaves, values);
    std::vector<Tag> tags(leaves.size());
    std::ranges::transform(staged_->keys, tags.begin(), &KeyTable::Entry::tag);
    if (has_twice(tags)) {
      throw DirectoryError(OPTIKS_E_DUPLICATE, "a key is there twice in one epoch");
    }
    std::vector<Hash> commitments(with_proofs ? leaves.size() : 0);
    for (std::size_t i = 0; i < commitments.size(); ++i) {
      std::ranges::copy(leaves[i].commitment, commitments[i].begin());
    }
    std::size_t first = 0;
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      std::vector<NewLeaf>& added = staged_->leaves[s];
      if (!apply(store_->nodes, current.trees[s], added, threads_, staged_->trees[s], staged_->change)) {
        throw DirectoryError(OPTIKS_E_DUPLICATE, "a label is in the tree already");
      }
      if (with_proofs) {
        const std::span<const Hash> theirs = std::span(commitments).subspan(first, added.size());
        make_append_proof(store_->nodes, store_->log, current.trees[s], added, theirs, threads_, staged_->proofs);
      }
      first += added.size();
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
  store_->log.flush();
  store_->keys.reserve(staged_->keys, staged_->epoch);
  store_->versions.prepare();
  superseded_.push_back({staged_->epoch, {}});
  // From here on nothing fails.
  superseded_.back().nodes = std::move(staged_->change.superseded);
  for (const KeyTable::Entry& entry : staged_->keys) {
    store_->keys.put(entry);
  }
  store_->versions.publish(staged_->epoch, staged_->trees, store_->log.size());
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
  for (const std::vector<NewLeaf>& leaves : staged_->leaves) {
    for (const NewLeaf& leaf : leaves) {
      store_->nodes.free_leaf(leaf.id);
    }
  }
  store_->log.truncate(staged_->log_size);
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
  store_->log_bytes.store(store_->log.size(), std::memory_order_relaxed);
}

}  // namespace optiks::ozks
