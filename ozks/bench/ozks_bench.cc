// Micro-benchmarks of the trees and their proofs, by the names of docs/performance.md. Through the C ABI, so that a
// figure is what a service gets, but for the tree alone and the verifier's steps; the leaf log is in the system's
// folder for temporary files.
#include <benchmark/benchmark.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench_support.h"
#include "optiks.h"
#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/append.h"
#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/hash.h"
#include "optiks/ozks/verify/member.h"
#include "optiks/vrf/ecvrf.h"
#include "trie/apply.h"
#include "trie/hash_batch.h"

namespace optiks::ozks {
namespace {

constexpr std::size_t kBatch = 1024;
constexpr std::uint8_t kKeys = OPTIKS_KEYS;
using bench::kValueLen;
using bench::require;
using bench::Updates;
using States = std::array<std::uint8_t, 4 * OPTIKS_STRUCTURE_STATE_LEN>;

// N a multiple of 8.
template <std::size_t N>
void fill(std::mt19937_64& random, std::uint8_t (&out)[N]) {
  for (std::size_t i = 0; i < N; i += 8) {
    base::store_le64(out + i, random());
  }
}

// A directory of `keys` keys with one version each.
class Filled {
 public:
  struct Size {
    std::size_t keys;
    std::uint64_t cache_bytes;
    unsigned threads;
    auto operator<=>(const Size&) const = default;
  };

  explicit Filled(const Size& size) {
    path_ = std::filesystem::temp_directory_path() /
            ("ozks_bench-" + std::to_string(getpid()) + "-" + std::to_string(size.keys) + "-" +
             std::to_string(size.cache_bytes) + "-" + std::to_string(size.threads));
    optiks_dir_options_t options = bench::options(size.cache_bytes);
    options.threads = size.threads;
    const std::string path = path_;
    options.leaf_log_path = path.c_str();
    require(optiks_dir_create(&options, &dir_));
    // Labels by a generator, not by the VRF: half a minute less for 2^20 keys, and the trees look the same.
    std::mt19937_64 random(1);
    std::vector<optiks_leaf_t> rows(size.keys);
    std::vector<std::uint8_t> values(kValueLen, 7);
    for (optiks_leaf_t& row : rows) {
      fill(random, row.label);
      fill(random, row.tag);
      fill(random, row.opening);
      const verify::Hash commitment = verify::commitment_hash(row.opening, values);
      std::copy(commitment.begin(), commitment.end(), row.commitment);
      row.epoch = 1;
      row.version = 1;
      row.value_len = kValueLen;
      row.structure_and_input = static_cast<std::uint32_t>(kKeys) << 28;
    }
    std::sort(rows.begin(), rows.end(), [](const optiks_leaf_t& a, const optiks_leaf_t& b) {
      return std::lexicographical_compare(a.label, a.label + 32, b.label, b.label + 32);
    });
    require(optiks_dir_load(dir_, 1, rows.data(), rows.size(), values.data(), values.size()));
    // Keys that can be looked up.
    publish(Updates(0, kBatch));
  }
  Filled(const Filled&) = delete;
  Filled& operator=(const Filled&) = delete;
  ~Filled() {
    optiks_dir_destroy(dir_);
    std::filesystem::remove(path_);
  }

  [[nodiscard]] optiks_dir_t* dir() const { return dir_; }
  [[nodiscard]] std::uint64_t next_epoch() const { return epoch_ + 1; }
  [[nodiscard]] std::uint64_t fresh_keys() { return next_key_ += kBatch; }

  [[nodiscard]] std::vector<optiks_leaf_t> prepare(const Updates& updates) const {
    return bench::prepare(dir_, next_epoch(), updates);
  }
  [[nodiscard]] optiks_staged_t* stage(const std::vector<optiks_leaf_t>& rows, const Updates& updates, bool proofs) {
    return bench::stage(dir_, next_epoch(), rows, updates, proofs);
  }
  void commit(optiks_staged_t* staged) {
    require(optiks_staged_commit(staged));
    ++epoch_;
  }
  void publish(const Updates& updates) { commit(stage(prepare(updates), updates, false)); }

  void report(benchmark::State& state) const {
    optiks_dir_stats_t stats{};
    require(optiks_dir_stats(dir_, &stats));
    const auto bytes = static_cast<double>(stats.tree_bytes + stats.key_table_bytes);
    state.counters["bytes"] = bytes;
    state.counters["bytes_per_key"] = bytes / static_cast<double>(stats.leaves);
  }

 private:
  std::filesystem::path path_;
  optiks_dir_t* dir_ = nullptr;
  std::uint64_t epoch_ = 1;
  std::uint64_t next_key_ = 1U << 30;
};

Filled& filled(const Filled::Size& size) {
  static std::map<Filled::Size, std::unique_ptr<Filled>> all;
  auto& one = all[size];
  if (!one) {
    one = std::make_unique<Filled>(size);
  }
  return *one;
}

// An epoch of 1,024 new keys: labels, openings and commitments, tree, leaf log, with the step's proof.
void insert(benchmark::State& state, std::size_t keys, unsigned threads) {
  Filled& directory = filled({keys, 0, threads});
  for (auto _ : state) {
    const Updates updates(directory.fresh_keys(), kBatch);
    directory.commit(directory.stage(directory.prepare(updates), updates, true));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
  directory.report(state);
}

// The tree alone: leaves are sorted, hashed and added.
class BareTree {
 public:
  explicit BareTree(std::size_t keys) {
    auto first = labels(keys);
    static_cast<void>(add(first, 1));
    tree_ = next_;
    change_ = {};
  }

  [[nodiscard]] std::vector<verify::Hash> labels(std::size_t n) {
    std::vector<verify::Hash> labels(n);
    for (verify::Hash& label : labels) {
      for (std::size_t i = 0; i < label.size(); i += 8) {
        base::store_le64(label.data() + i, random_());
      }
    }
    return labels;
  }

  // Makes the next tree, whose root it gives.
  const verify::Hash& add(std::vector<verify::Hash>& labels, unsigned threads) {
    std::ranges::sort(labels);
    added_.assign(labels.size(), {});
    HashBatch hashes;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      added_[i].id = nodes_.add_leaf({labels[i], {}});
      // Any 32 octets do for a commitment.
      hashes.add_leaf(labels[i], labels[i], 1, added_[i].hash);
    }
    hashes.run();
    if (!apply(nodes_, tree_, added_, threads, next_, change_)) {
      std::fprintf(stderr, "a label is there twice\n");
      std::exit(1);
    }
    return next_.root_hash;
  }

  // Gives up what add() made, so that the tree keeps its size.
  void discard() {
    for (const NodeId id : change_.created) {
      nodes_.free_interior(id);
    }
    for (const NewLeaf& leaf : added_) {
      nodes_.free_leaf(leaf.id);
    }
    change_ = {};
  }

  [[nodiscard]] double bytes() const { return static_cast<double>(nodes_.bytes()); }
  [[nodiscard]] double count() const { return static_cast<double>(tree_.count); }

 private:
  std::mt19937_64 random_{1};
  Nodes nodes_;
  Tree tree_;
  Tree next_;
  std::vector<NewLeaf> added_;
  Change change_;
};

void insert_tree_only(benchmark::State& state, std::size_t keys, unsigned threads) {
  static std::map<std::size_t, std::unique_ptr<BareTree>> all;
  auto& tree = all[keys];
  if (!tree) {
    tree = std::make_unique<BareTree>(keys);
  }
  for (auto _ : state) {
    state.PauseTiming();
    auto labels = tree->labels(kBatch);
    state.ResumeTiming();
    benchmark::DoNotOptimize(tree->add(labels, threads));
    state.PauseTiming();
    tree->discard();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
  state.counters["bytes"] = tree->bytes();
  state.counters["bytes_per_key"] = tree->bytes() / tree->count();
}

// Lookups of keys with one version: a membership and a non-membership proof each.
class Asker {
 public:
  explicit Asker(const Filled& directory) { require(optiks_dir_snapshot(directory.dir(), &snapshot_)); }
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  ~Asker() { optiks_snapshot_destroy(snapshot_); }

  // Of n keys from the first-th on, at most kBatch altogether.
  base::ByteSpan lookup(std::size_t first, std::size_t n) {
    std::size_t len = 0;
    require(optiks_snapshot_lookup_many(snapshot_, kKeys, n, updates_.keys.data() + 8 * first,
                                        updates_.key_offsets.data(), none_.data(), none_.data(), out_.data(),
                                        out_.size(), &len, ends_.data()));
    return std::span(out_).first(len);
  }
  [[nodiscard]] States states() const {
    States states{};
    std::uint64_t epoch = 0;
    require(optiks_snapshot_states(snapshot_, &epoch, states.data()));
    return states;
  }

 private:
  optiks_snapshot_t* snapshot_ = nullptr;
  Updates updates_{0, kBatch};
  std::vector<std::uint64_t> none_ = std::vector<std::uint64_t>(kBatch);
  std::vector<std::uint64_t> ends_ = std::vector<std::uint64_t>(kBatch);
  std::vector<std::uint8_t> out_ = std::vector<std::uint8_t>(std::size_t{1} << 18);
};

constexpr std::uint64_t kCacheBytes = 4U << 20;

// `at_once` lookups a call. An iteration is a call, an item is a proof.
void prove(benchmark::State& state, std::size_t keys, bool cached, std::size_t at_once) {
  Asker asker(filled({keys, cached ? kCacheBytes : 0, 1}));
  std::size_t member_len = 0;
  std::size_t answer_len = 0;
  for (std::size_t i = 0; i < kBatch; ++i) {
    const base::ByteSpan answer = asker.lookup(i, 1);
    answer_len += answer.size();
    verify::Reader reader(answer);
    const auto lookup = verify::Lookup::decode(reader);
    for (const verify::Member& member : lookup.members) {
      // Its VRF proof, epoch and kind, opening, the length of the value, and the path (docs/spec/proofs.md section 1).
      member_len += 79 + 8 + 1 + 16 + 3 + 32 + 2 + member.path.siblings.size();
    }
  }
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(asker.lookup(i, at_once).data());
    i = (i + at_once) % kBatch;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(2 * at_once));
  state.counters["bytes"] = static_cast<double>(answer_len) / kBatch;
  state.counters["member_bytes"] = static_cast<double>(member_len) / kBatch;
}

// One proof of a lookup at 2^20 keys, with its VRF proof.
void verify_proof(benchmark::State& state, bool is_member) {
  Asker asker(filled({std::size_t{1} << 20, kCacheBytes, 1}));
  const States states = asker.states();
  const base::ByteSpan view =
      std::span(states).subspan((kKeys - 1) * OPTIKS_STRUCTURE_STATE_LEN, OPTIKS_STRUCTURE_STATE_LEN);
  const base::ByteSpan root = view.first(32);
  const std::uint64_t count = base::load_be64(view.data() + 32);
  vrf::PublicKey key;
  const base::ByteSpan answer = asker.lookup(0, 1);
  verify::Reader reader(answer);
  const auto lookup = verify::Lookup::decode(reader);
  const verify::Member member = *lookup.members.begin();
  const base::ByteSpan proof = is_member ? member.vrf_proof : lookup.next.vrf_proof;
  // Structure, length of the key, key, version (docs/spec/tree.md section 1).
  const Updates updates(0, kBatch);
  std::array<std::uint8_t, 18> alpha{kKeys, 8};
  std::copy_n(updates.keys.begin(), 8, alpha.begin() + 2);
  base::store_be64(alpha.data() + 10, is_member ? 1 : 2);
  if (vrf::PublicKey::parse_vartime(view.subspan(40), key) != vrf::Reason::kValid) {
    state.SkipWithError("the key is refused");
  }
  for (auto _ : state) {
    verify::Hash label{};
    const bool proven = vrf::verify_vartime(key, alpha, proof.first<79>(), label) == vrf::Reason::kValid;
    const verify::Reason reason = is_member ? verify::verify_member(label, root, member)
                                            : verify::verify_non_member(label, root, count, lookup.next);
    if (!proven || reason != verify::Reason::kValid) {
      state.SkipWithError("the proof is refused");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations());
}

// The append-only proof of an epoch of 1,024 new keys; making it includes staging the epoch.
void append_proof(benchmark::State& state, bool verify) {
  Filled& directory = filled({std::size_t{1} << 20, 0, 1});
  const Updates updates(directory.fresh_keys(), kBatch);
  const auto rows = directory.prepare(updates);
  States before{};
  std::uint64_t epoch = 0;
  require(optiks_dir_states(directory.dir(), &epoch, before.data()));
  std::vector<std::uint8_t> proofs;
  States after{};
  const auto make = [&] {
    optiks_staged_t* staged = directory.stage(rows, updates, true);
    std::size_t len = proofs.size();
    if (optiks_staged_append_proofs(staged, proofs.data(), proofs.size(), &len) == OPTIKS_E_BUFFER) {
      proofs.resize(len);
      require(optiks_staged_append_proofs(staged, proofs.data(), proofs.size(), &len));
    }
    require(optiks_staged_states(staged, after.data()));
    optiks_staged_destroy(staged);
  };
  make();
  // Structures 1 and 2 are empty: 8 octets each.
  verify::Reader reader(base::ByteSpan(proofs).subspan(16));
  const auto proof = verify::AppendProof::decode(reader);
  auto workspace = verify::AppendWorkspace::create(1);
  const auto tree_state = [](const States& states) {
    const base::ByteSpan octets = std::span(states).subspan(2 * OPTIKS_STRUCTURE_STATE_LEN, OPTIKS_STRUCTURE_STATE_LEN);
    return verify::TreeState{octets.first(32), base::load_be64(octets.data() + 32)};
  };
  const std::array<verify::TreeState, 2> states = {tree_state(before), tree_state(after)};
  for (auto _ : state) {
    if (!verify) {
      make();
    } else if (verify::verify_append(epoch, states, proof, *workspace) != verify::Reason::kValid) {
      state.SkipWithError("the proof is refused");
      break;
    }
  }
  state.counters["bytes"] = static_cast<double>(proofs.size());
  state.counters["bytes_per_key"] = static_cast<double>(proofs.size()) / kBatch;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}

// One interior node: the unit of all tree work.
void interior_hash(benchmark::State& state) {
  verify::Hash hash{};
  for (auto _ : state) {
    hash = verify::interior_hash(20, hash, hash, hash);
    benchmark::DoNotOptimize(hash);
  }
  state.SetItemsProcessed(state.iterations());
}

template <typename... Arguments>
void add(const std::string& name, void (*run)(benchmark::State&, Arguments...), Arguments... arguments) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    run(state, arguments...);
  })->Unit(benchmark::kMicrosecond);
}

void add_all() {
  add("InteriorHash", interior_hash);
  for (const std::size_t keys : {std::size_t{1} << 20, std::size_t{1} << 22}) {
    const std::string with_keys = "/keys:" + std::to_string(keys);
    for (const unsigned threads : {1U, 2U}) {
      const std::string suffix = "/linked" + with_keys + "/threads:" + std::to_string(threads);
      add("Insert1024" + suffix, insert, keys, threads);
      add("Insert1024TreeOnly" + suffix, insert_tree_only, keys, threads);
    }
    add("Prove/linked/cached" + with_keys, prove, keys, true, std::size_t{1});
    add("Prove/linked/batched" + with_keys, prove, keys, true, std::size_t{64});
    add("Prove/linked/uncached" + with_keys, prove, keys, false, std::size_t{64});
    add("Prove/linked/uncached-single" + with_keys, prove, keys, false, std::size_t{1});
  }
  add("Verify/member", verify_proof, true);
  add("Verify/absent", verify_proof, false);
  add("AppendProof/make/1024", append_proof, false);
  add("AppendProof/verify/1024", append_proof, true);
}

}  // namespace
}  // namespace optiks::ozks

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  optiks::ozks::add_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
