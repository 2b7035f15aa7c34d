// Implements the C ABI calls on directories and staged epochs.
#include <sodium.h>

#include <algorithm>
#include <memory>

#include "capi_directory.h"
#include "capi_view.h"
#include "directory/open.h"
#include "optiks/ozks/verify/codec.h"
#include "snapshot/save.h"
#include "trie/append_merge.h"

using namespace optiks::ozks;
using namespace optiks::ozks::capi;
namespace vrf = optiks::vrf;

namespace {

static_assert(sizeof(optiks_leaf_t) == 128);
constexpr std::uint32_t kMaxThreads = 256;

// Checks the options and loads their secrets; `make` then makes the directory with these secrets.
template <typename Make>
std::int32_t make_directory(const optiks_dir_options_t* options, optiks_dir_t** out, Make make) {
  if (options == nullptr || out == nullptr || options->kept_values > OPTIKS_VALUES_DEVICES ||
      options->max_value_len > verify::kMaxValueLen || options->threads > kMaxThreads || options->username_reuse > 1 ||
      (options->node_store_path != nullptr && options->leaf_log_path == nullptr)) {
    return argument_error(
        "a pointer is missing, kept_values or username_reuse is none, max_value_len or threads is too large, or a node "
        "store has no leaf log");
  }
  if (sodium_init() < 0) {
    set_last_error("libsodium cannot start: the system gives no randomness");
    return std::int32_t{OPTIKS_E_IO};
  }
  std::vector<vrf::SecretKey> keys;
  for (const auto& secret : options->vrf_secret) {
    auto key = vrf::SecretKey::load(std::span<const std::uint8_t, 32>(secret));
    if (!key.ok()) {
      set_last_error("a VRF secret is not a valid key");
      return std::int32_t{OPTIKS_E_KEY};
    }
    keys.push_back(std::move(key).value());
  }
  const auto tag_key = [&](std::size_t s) { return TagKey(std::span<const std::uint8_t, 32>(options->tag_key[s])); };
  Secrets secrets{{std::move(keys[0]), std::move(keys[1]), std::move(keys[2]), std::move(keys[3])},
                  {tag_key(0), tag_key(1), tag_key(2), tag_key(3)}};
  *out = new optiks_dir{make(std::move(secrets))};
  return std::int32_t{OPTIKS_OK};
}

}  // namespace

extern "C" {

std::int32_t optiks_dir_create(const optiks_dir_options_t* options, optiks_dir_t** out) {
  return guarded([&] {
    return make_directory(options, out,
                          [&](Secrets&& secrets) { return open_directory(std::move(secrets), *options); });
  });
}

std::int32_t optiks_dir_restore(const optiks_dir_options_t* options, const char* path, optiks_dir_t** out) {
  return guarded([&] {
    if (path == nullptr || options == nullptr || options->leaf_log_path == nullptr) {
      return argument_error("a pointer is missing, or the leaf log that a snapshot is used with");
    }
    return make_directory(options, out,
                          [&](Secrets&& secrets) { return restore_directory(std::move(secrets), *options, path); });
  });
}

std::int32_t optiks_dir_check(const optiks_dir_t* dir) {
  return guarded([&] {
    if (dir == nullptr) {
      return argument_error("a pointer is missing");
    }
    const DirectoryData& data = *dir->directory->data();
    data.trees->check(data.log, data.reuses_usernames, dir->directory->workers());
    return std::int32_t{OPTIKS_OK};
  });
}

void optiks_dir_destroy(optiks_dir_t* dir) { delete dir; }

std::int32_t optiks_dir_load(optiks_dir_t* dir, std::uint64_t epoch, const optiks_leaf_t* leaves,
                             std::size_t num_leaves, const std::uint8_t* values, std::size_t values_len) {
  return guarded([&] {
    if (dir == nullptr || !readable(leaves, num_leaves) || !readable(values, values_len)) {
      return argument_error("a pointer is missing");
    }
    dir->directory->load(epoch, rows_of(leaves, num_leaves), {values, values_len});
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_dir_load_end(optiks_dir_t* dir) {
  return guarded([&] {
    if (dir == nullptr) {
      return argument_error("a pointer is missing");
    }
    dir->directory->load_end();
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_dir_shrink(optiks_dir_t* dir, std::uint64_t node_cache_bytes, std::int32_t* out_is_done) {
  return guarded([&] {
    if (dir == nullptr || out_is_done == nullptr) {
      return argument_error("a pointer is missing");
    }
    *out_is_done = dir->directory->shrink(node_cache_bytes) ? 1 : 0;
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_dir_versions(const optiks_dir_t* dir, std::size_t n, const std::uint8_t* structures,
                                 const std::uint8_t* keys, const std::uint64_t* key_offsets,
                                 std::uint64_t* out_versions) {
  return guarded([&] {
    ByteStrings strings;
    if (dir == nullptr || !readable(structures, n) || !readable(out_versions, n) || !structures_valid(n, structures) ||
        !read_keys(n, keys, key_offsets, strings)) {
      return argument_error("a pointer is missing, there is no such structure, or a key is not 1..255 octets");
    }
    for (std::size_t i = 0; i < n; ++i) {
      out_versions[i] = dir->directory->version_of(structures[i], strings[i]);
    }
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_dir_newest_values(const optiks_dir_t* dir, std::uint8_t structure, std::size_t n,
                                      const std::uint8_t* keys, const std::uint64_t* key_offsets, std::uint8_t* out,
                                      std::size_t capacity, std::size_t* out_len, std::uint64_t* out_ends,
                                      std::uint8_t* out_kept) {
  return guarded([&] {
    ByteStrings strings;
    if (dir == nullptr || !readable(out_ends, n) || !readable(out_kept, n) || !structures_valid(1, &structure) ||
        !read_keys(n, keys, key_offsets, strings)) {
      return argument_error("a pointer is missing, there is no such structure, or a key is not 1..255 octets");
    }
    std::vector<std::uint8_t> values;
    for (std::size_t i = 0; i < n; ++i) {
      out_kept[i] = dir->directory->newest_value(structure, strings[i], values) ? 1 : 0;
      out_ends[i] = values.size();
    }
    return copy_out(values, out, capacity, out_len);
  });
}

std::int32_t optiks_dir_leaves(const optiks_dir_t* dir, std::uint8_t structure, const std::uint8_t* key,
                               std::size_t key_len, std::uint64_t from, std::size_t n, std::uint8_t* out_labels,
                               std::uint64_t* out_epochs) {
  return guarded([&] {
    if (dir == nullptr || !structures_valid(1, &structure) || key == nullptr || key_len == 0 || key_len > kMaxKeyLen ||
        !readable(out_labels, n) || !readable(out_epochs, n) || n > UINT64_MAX - from) {
      return argument_error("a pointer is missing, there is no such structure, or a key is not 1..255 octets");
    }
    dir->directory->leaves_of(structure, {key, key_len}, from, n, out_labels, out_epochs);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_dir_erase(optiks_dir_t* dir, std::size_t n, const std::uint8_t* structures,
                              const std::uint8_t* labels, const std::uint8_t* commitments) {
  return guarded([&] {
    if (dir == nullptr || !readable(structures, n) || !readable(labels, n) || !structures_valid(n, structures)) {
      return argument_error("a pointer is missing, or there is no such structure");
    }
    dir->directory->erase(n, structures, labels, commitments);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_dir_precompute_labels(optiks_dir_t* dir, std::size_t n, const std::uint8_t* structures,
                                          const std::uint8_t* keys, const std::uint64_t* key_offsets) {
  return guarded([&] {
    ByteStrings strings;
    if (dir == nullptr || !readable(structures, n) || !structures_valid(n, structures) ||
        !read_keys(n, keys, key_offsets, strings)) {
      return argument_error("a pointer is missing, there is no such structure, or a key is not 1..255 octets");
    }
    dir->directory->precompute_labels(structures, strings);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_dir_prepare(const optiks_dir_t* dir, std::uint64_t epoch, std::size_t n,
                                const std::uint8_t* structures, const std::uint8_t* keys,
                                const std::uint64_t* key_offsets, const std::uint8_t* values,
                                const std::uint64_t* value_offsets, optiks_leaf_t* out_leaves) {
  return guarded([&] {
    ByteStrings key_strings;
    ByteStrings value_strings;
    if (dir == nullptr || !readable(structures, n) || !readable(out_leaves, n) ||
        !read_keys(n, keys, key_offsets, key_strings) || !read_strings(n, values, value_offsets, value_strings)) {
      return argument_error("a pointer is missing, or a key is not 1..255 octets");
    }
    dir->directory->prepare(epoch, structures, key_strings, value_strings, rows_of(out_leaves));
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_dir_stage(optiks_dir_t* dir, std::uint64_t epoch, const optiks_leaf_t* leaves,
                              std::size_t num_leaves, const std::uint8_t* values, std::size_t values_len,
                              std::int32_t with_proofs, optiks_staged_t** out) {
  return stage_by(&Directory::stage, dir, epoch, leaves, num_leaves, values, values_len, with_proofs, out);
}

std::int32_t optiks_staged_states(const optiks_staged_t* staged,
                                  std::uint8_t out[kNumStructures * OPTIKS_STRUCTURE_STATE_LEN]) {
  return guarded([&] {
    if (staged == nullptr || out == nullptr) {
      return argument_error("a pointer is missing");
    }
    encode_states(staged->directory->data()->secrets, staged->directory->staged_trees(), out);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_staged_append_proofs(const optiks_staged_t* staged, std::uint8_t* out, std::size_t capacity,
                                         std::size_t* out_len) {
  return guarded([&] {
    if (staged == nullptr) {
      return argument_error("a pointer is missing");
    }
    if (staged->directory->staged_proofs().empty()) {
      set_last_error("the epoch was staged without proofs");
      return std::int32_t{OPTIKS_E_STATE};
    }
    return copy_out(staged->directory->staged_proofs(), out, capacity, out_len);
  });
}

std::int32_t optiks_staged_commit(optiks_staged_t* staged) {
  return guarded([&] {
    if (staged == nullptr) {
      return argument_error("a pointer is missing");
    }
    staged->directory->commit();
    delete staged;
    return std::int32_t{OPTIKS_OK};
  });
}

void optiks_staged_destroy(optiks_staged_t* staged) {
  if (staged != nullptr) {
    staged->directory->discard();
    delete staged;
  }
}

std::int32_t optiks_dir_states(const optiks_dir_t* dir, std::uint64_t* out_epoch,
                               std::uint8_t out[kNumStructures * OPTIKS_STRUCTURE_STATE_LEN]) {
  return guarded([&] {
    if (dir == nullptr || out_epoch == nullptr || out == nullptr) {
      return argument_error("a pointer is missing");
    }
    const View now(dir->directory->data());
    *out_epoch = now.state().epoch;
    encode_states(now.data().secrets, now.state().trees, out);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_dir_stats(const optiks_dir_t* dir, optiks_dir_stats_t* out) {
  return guarded([&] {
    if (dir == nullptr || out == nullptr) {
      return argument_error("a pointer is missing");
    }
    const View now(dir->directory->data());
    const DirectoryData& data = now.data();
    optiks_dir_stats_t stats{};
    stats.epoch = now.state().epoch;
    stats.period = data.period;
    stats.period_first_epoch = data.period_first_epoch;
    for (const Tree& tree : now.state().trees) {
      stats.leaves += tree.count;
    }
    const TreeStats trees = data.trees->stats();
    stats.tree_bytes = trees.tree_bytes;
    stats.key_table_bytes = trees.key_table_bytes;
    stats.leaf_log_bytes = now.state().log_len;
    stats.vrf_cache_bytes = data.cache.bytes();
    stats.vrf_cache_hits = data.cache.hits();
    stats.vrf_cache_misses = data.cache.misses();
    stats.node_store_bytes = trees.disk_bytes;
    stats.node_cache_hits = trees.cache_hits;
    stats.node_cache_misses = trees.cache_misses;
    *out = stats;
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_dir_view(optiks_dir_t* dir, optiks_view_t** out) {
  return guarded([&] {
    if (dir == nullptr || out == nullptr) {
      return argument_error("a pointer is missing");
    }
    dir->directory->data()->require_begun();
    *out = new optiks_view(dir->directory->data());
    return std::int32_t{OPTIKS_OK};
  });
}

void optiks_view_destroy(optiks_view_t* view) { delete view; }

std::int32_t optiks_view_save(const optiks_view_t* view, const char* path) {
  return guarded([&] {
    if (view == nullptr || path == nullptr) {
      return argument_error("a pointer is missing");
    }
    save_snapshot(view->view, path);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_view_states(const optiks_view_t* view, std::uint64_t* out_epoch,
                                std::uint8_t out[kNumStructures * OPTIKS_STRUCTURE_STATE_LEN]) {
  return guarded([&] {
    if (view == nullptr || out_epoch == nullptr || out == nullptr) {
      return argument_error("a pointer is missing");
    }
    *out_epoch = view->view.state().epoch;
    encode_states(view->view.data().secrets, view->view.state().trees, out);
    return std::int32_t{OPTIKS_OK};
  });
}

std::int32_t optiks_append_merge(std::size_t n, const std::uint8_t* proofs, const std::uint64_t* proof_offsets,
                                 const std::uint64_t* counts, std::uint8_t* out, std::size_t capacity,
                                 std::size_t* out_len) {
  return guarded([&] {
    ByteStrings steps;
    if (n == 0 || n > verify::kMaxRangeEpochs || !read_strings(n, proofs, proof_offsets, steps) || counts == nullptr) {
      return argument_error("1..256 steps with their proofs and counts are needed");
    }
    std::array<std::vector<AppendPart>, kNumStructures> parts;
    for (std::size_t i = 0; i < n; ++i) {
      verify::Reader reader(steps[i]);
      for (std::size_t s = 0; s < kNumStructures; ++s) {
        const auto proof = verify::AppendProof::decode(reader);
        parts[s].push_back({proof.leaves, proof.opened, counts[i * kNumStructures + s]});
      }
      if (reader.finish() != verify::Reason::kValid) {
        throw DirectoryError(OPTIKS_E_DATA, "a step's append-only proof is malformed");
      }
    }
    std::vector<std::uint8_t> merged;
    for (const auto& structure : parts) {
      if (!merge_append_proofs(structure, merged)) {
        throw DirectoryError(OPTIKS_E_DATA, "the append-only proofs of two steps contradict each other");
      }
    }
    return copy_out(merged, out, capacity, out_len);
  });
}

}  // extern "C"
