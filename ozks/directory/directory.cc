#include "directory/directory.h"

#include <sodium.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "leaves/hash_batch.h"
#include "leaves/leaf_rows.h"
#include "linked/append_proof.h"
#include "optiks/base/blake2b.h"
#include "optiks/base/check.h"

namespace optiks::ozks {
namespace {

// So many keys ahead their places in the key table are asked for.
constexpr std::size_t kPrefetched = 8;
// Hashes for which another thread pays.
constexpr std::size_t kHashedAtOnce = 64;
// So many leaves a load adds to a tree at once.
constexpr std::size_t kLoadLen = 4096;
// So many leaves of an epoch, whose records are queued together.
constexpr std::size_t kAddedAtOnce = 4096;
// Keys put into the table for which another thread pays.
constexpr std::size_t kPutAtOnce = 256;
// A domain under the tag key: a structure's number is never this one.
constexpr std::uint8_t kCheckDomain = 0xfe;

// Keeps secrets out of the swap and out of core dumps. Where RLIMIT_MEMLOCK does not allow the first they are swapped
// like other memory; they are erased in any case. Never undone, as that would unlock what else is on the page, and a
// directory usually lives as long as its process.
void lock_memory(std::span<const std::byte> secrets) {
  static_cast<void>(mlock(secrets.data(), secrets.size()));
  // By whole pages.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::size_t before = reinterpret_cast<std::uintptr_t>(secrets.data()) % page;
  static_cast<void>(madvise(const_cast<std::byte*>(secrets.data()) - before, before + secrets.size(), MADV_DONTDUMP));
}

void check_structure(std::uint8_t structure) {
  if (structure < 1 || structure > kNumStructures) {
    throw DirectoryError(OPTIKS_E_ARGUMENT, "a structure is not 1..4");
  }
}

// Adding: what is known of a new leaf before it is made.
struct Adding {
  ByteSpan opening;  // and value: what its record keeps
  ByteSpan value;
  std::uint64_t place;  // behind that of the first record
  NewLeaf* leaf;
};

// LabelBatch collects VRF inputs and evaluates those of one structure, which have one key, at once.
class LabelBatch {
 public:
  // `out`, 32 octets, is written by evaluate().
  void add(std::uint8_t structure, ByteSpan key, std::uint64_t version, std::uint8_t* out) {
    Inputs& inputs = inputs_[structure - 1U];
    const Alpha alpha(structure, key, version);
    inputs.alphas.insert(inputs.alphas.end(), alpha.get().begin(), alpha.get().end());
    inputs.ends.push_back(inputs.alphas.size());
    inputs.outs.push_back(out);
  }

  void evaluate(const Secrets& secrets, Workers& workers) {
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      const Inputs& inputs = inputs_[s];
      const std::vector<std::size_t> begins = chunks(inputs.outs.size(), workers.threads());
      workers.for_each_index(begins.size() - 1, [&](std::size_t chunk) {
        const std::size_t first = begins[chunk];
        const std::size_t size = begins[chunk + 1] - first;
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

  // Where chunks begin, and n. The largest at both ends, where threads begin, and smaller and smaller towards the
  // middle, where they meet, so that none waits long for the last. Of sizes that the VRF computes well: 64 together, or
  // a smaller power of two.
  static std::vector<std::size_t> chunks(std::size_t n, unsigned threads) {
    constexpr std::size_t kLeast = 8;
    constexpr std::size_t kTogether = 64;
    std::vector<std::size_t> from_first{0};
    std::vector<std::size_t> from_last{n};
    for (std::size_t rest = n; rest != 0;) {
      const std::size_t share = std::max(kLeast, rest / (std::size_t{2} * threads));
      const std::size_t good = share < kTogether ? std::bit_floor(share) : share / kTogether * kTogether;
      const std::size_t size = threads == 1 ? rest : std::min(rest, good);
      rest -= size;
      if (from_first.back() <= n - from_last.back()) {
        from_first.push_back(from_first.back() + size);
      } else {
        from_last.push_back(from_last.back() - size);
      }
    }
    // Both are as long, and end at the same place.
    from_first.insert(from_first.end(), from_last.rbegin() + 1, from_last.rend());
    return from_first;
  }
};

}  // namespace

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
    : store_(std::make_shared<Store>(std::move(secrets), options, kept)), workers_(options.threads) {}

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
      if (!apply(store_->nodes, before, leaves_now, workers_, batch.trees[s], change)) {
        throw DirectoryError(OPTIKS_E_DUPLICATE, "a stored label is there twice");
      }
      store_->nodes.free_interiors(change.superseded);
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
    if (!verify::has_versions(structures[i]) && exists) {
      continue;
    }
    const auto [at, added] = expected.try_emplace(tag);
    if (added) {
      at->second.version = next_version(structures[i], exists ? &record.facts() : nullptr);
      labels.add(structures[i], keys[i], at->second.version, at->second.label.data());
    }
  }
  labels.evaluate(store_->secrets, workers_);
  const std::lock_guard lock(expected_mutex_);
  for (const auto& [tag, label] : expected) {
    expected_.insert_or_assign(tag, label);
  }
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
  std::vector<Tag> tags(keys.size);
  std::vector<optiks_leaf_t> out(keys.size);
  workers_.for_each_index((keys.size + kHashedAtOnce - 1) / kHashedAtOnce, [&](std::size_t chunk) {
    const std::size_t first = chunk * kHashedAtOnce;
    const std::size_t last = std::min(keys.size, first + kHashedAtOnce);
    std::vector<TagInput> inputs;
    inputs.reserve(last - first);
    for (std::size_t i = first; i < last; ++i) {
      inputs.push_back({structures[i], keys[i]});
    }
    store_->secrets.tag_key.tag_many(inputs, std::span(tags).subspan(first, last - first));
    for (std::size_t i = first; i < last; ++i) {
      store_->keys.prefetch(tags[i]);
    }
    std::array<std::array<std::uint8_t, kOpeningLen>, kHashedAtOnce> openings;
    randombytes_buf(openings.data(), (last - first) * kOpeningLen);
    std::array<Hash, kHashedAtOnce> commitments;
    HashBatch hashes;
    for (std::size_t i = first; i < last; ++i) {
      hashes.add_commitment(openings[i - first], values[i], commitments[i - first]);
    }
    hashes.run();
    LeafRecord record;
    for (std::size_t i = first; i < last; ++i) {
      optiks_leaf_t& row = out[i];
      row.version = next_version(structures[i], store_->find_newest(tags[i], record) ? &record.facts() : nullptr);
      row.epoch = epoch;
      row.value_offset = values.offsets[i];
      row.value_len = static_cast<std::uint32_t>(values[i].size());
      row.structure_and_input = static_cast<std::uint32_t>(structures[i]) << 28 | static_cast<std::uint32_t>(i);
      std::ranges::copy(tags[i], row.tag);
      std::ranges::copy(openings[i - first], row.opening);
      std::ranges::copy(commitments[i - first], row.commitment);
    }
  });
  if (has_twice(tags)) {
    throw DirectoryError(OPTIKS_E_DUPLICATE, "a key is there twice in one epoch");
  }
  const Expected expected = take_expected();
  LabelBatch labels;
  for (std::size_t i = 0; i < keys.size; ++i) {
    const auto known = expected.find(tags[i]);
    if (known != expected.end() && known->second.version == out[i].version) {
      std::ranges::copy(known->second.label, out[i].label);
    } else {
      labels.add(structures[i], keys[i], out[i].version, out[i].label);
    }
  }
  labels.evaluate(store_->secrets, workers_);
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
    check_places(leaves, values, store_->max_value_len);
  }
  staged.keys.reserve(staged.keys.size() + leaves.size());
  for (std::size_t first = 0; first < leaves.size(); first += kAddedAtOnce) {
    const std::size_t size = std::min(kAddedAtOnce, leaves.size() - first);
    const std::size_t first_key = staged.keys.size();
    // What follows the one before: ids, and places in the log. All else is made by the workers.
    std::vector<Adding> adding(size);
    std::size_t len = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const optiks_leaf_t& row = leaves[first + i];
      const bool is_kept = store_->keeps_values && has_value(row);
      adding[i].opening = is_kept ? ByteSpan(row.opening) : ByteSpan();
      adding[i].value = is_kept ? value_of(row, values) : ByteSpan();
      adding[i].place = len;
      len += LeafLog::record_len(adding[i].opening, adding[i].value);
      const NodeId id = store_->nodes.allocate_leaf();
      adding[i].leaf = &staged.leaves[structure_of(row) - 1U].emplace_back(NewLeaf{.id = id});
      staged.keys.push_back({tag_of(row), id, kNoNode});
    }
    const std::uint64_t place = store_->log.queue(len);
    workers_.for_each_index((size + kHashedAtOnce - 1) / kHashedAtOnce, [&](std::size_t chunk) {
      const std::size_t begin = chunk * kHashedAtOnce;
      const std::size_t end = std::min(size, begin + kHashedAtOnce);
      if (store_->keeps_values) {
        check_commitments(leaves.subspan(first + begin, end - begin), values);
      }
      HashBatch hashes;
      LeafRecord record;
      for (std::size_t i = begin; i < end; ++i) {
        if (i + kPrefetched < end) {
          store_->keys.prefetch(staged.keys[first_key + i + kPrefetched].tag);
        }
        const optiks_leaf_t& row = leaves[first + i];
        KeyTable::Entry& key = staged.keys[first_key + i];
        key.previous = store_->newest(key.tag, record);
        const LeafFacts facts = key.previous == kNoNode ? next_facts(leaves, first + i, nullptr, kNoPlace)
                                                        : next_facts(leaves, first + i, &record.facts(),
                                                                     store_->nodes.leaf(key.previous).log_place());
        store_->log.put(place + adding[i].place, facts, adding[i].opening, adding[i].value);
        Leaf& leaf = store_->nodes.new_leaf(key.leaf);
        std::ranges::copy(row.label, leaf.label.begin());
        leaf.set_log_place(place + adding[i].place);
        hashes.add_leaf(row.label, row.commitment, row.epoch, adding[i].leaf->hash);
      }
      hashes.run();
    });
  }
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
    const auto largest = static_cast<std::size_t>(
        std::ranges::max_element(staged_->leaves, {}, &std::vector<NewLeaf>::size) - staged_->leaves.begin());
    std::size_t first = 0;
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      std::vector<NewLeaf>& added = staged_->leaves[s];
      OpenedTree opened;
      // Beside the largest trees' making the records go into the log's file, a while that one thread spends in the
      // system, and the table of keys grows.
      if (!apply(store_->nodes, current.trees[s], added, workers_, staged_->trees[s], staged_->change,
                 with_proofs ? &opened : nullptr, [this, is_largest = s == largest] {
                   if (is_largest) {
                     store_->log.flush();
                     store_->keys.reserve(staged_->keys, staged_->epoch);
                   }
                 })) {
        throw DirectoryError(OPTIKS_E_DUPLICATE, "a label is in the tree already");
      }
      if (with_proofs) {
        const std::span<const Hash> theirs = std::span(commitments).subspan(first, added.size());
        make_append_proof(store_->nodes, store_->log, added, theirs, opened, workers_, staged_->proofs);
      }
      first += added.size();
    }
  } catch (...) {
    discard();
    throw;
  }
}

// Threads that put the staged keys into the table.
std::size_t Directory::num_putting() const {
  return std::clamp<std::size_t>(staged_->keys.size() / kPutAtOnce, 1, workers_.threads());
}

void Directory::commit() {
  if (staged_ == nullptr) {
    throw DirectoryError(OPTIKS_E_STATE, "no epoch is staged");
  }
  store_->versions.prepare();
  superseded_.push_back({staged_->epoch, {}});
  // From here on nothing fails.
  superseded_.back().nodes = std::move(staged_->change.superseded);
  // Captures one pointer, for which a std::function has room in itself: making it does not fail either.
  workers_.for_each_index(num_putting(),
                          [this](std::size_t i) { store_->keys.put_some(staged_->keys, i, num_putting()); });
  store_->versions.publish(staged_->epoch, staged_->trees, store_->log.size());
  staged_.reset();
  collect();
  count_bytes();
}

void Directory::discard() noexcept {
  if (staged_ == nullptr) {
    return;
  }
  store_->nodes.free_interiors(staged_->change.created);
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
    store_->nodes.free_interiors(superseded_.front().nodes);
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
