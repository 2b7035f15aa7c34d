// Micro-benchmarks of the trees and their proofs (docs/measurements/trees.md). They call the C ABI, so that they
// measure the time that a service sees. Only the benchmarks of BareTree and of the verifier's steps call internal
// functions. The leaf log is in the system's folder for temporary files.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench_support.h"
#include "filled.h"
#include "leaves/hash_batch.h"
#include "optiks/base/bytes.h"
#include "optiks/optiks.h"
#include "optiks/ozks/verify/alpha.h"
#include "optiks/ozks/verify/append.h"
#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/hash.h"
#include "optiks/ozks/verify/member.h"
#include "optiks/vrf/ecvrf.h"
#include "trie/insert.h"

namespace optiks::ozks {
namespace {

using bench::Asker;
using bench::Filled;
using bench::filled;
using bench::kBatch;
using bench::kCacheBytes;
using bench::kCachedKeys;
using bench::kKeys;
using bench::require;
using bench::States;
using bench::Updates;

// Measures an epoch of 1,024 new keys: making the labels, openings and commitments, and updating the tree and the leaf
// log. `with_proof` adds the append-only proof of the epoch's step.
void insert(benchmark::State& state, std::size_t keys, unsigned threads, bool with_proof) {
  Filled& directory = filled({keys, 0, threads});
  for (auto _ : state) {
    state.PauseTiming();
    const Updates updates(directory.fresh_keys(), kBatch);
    state.ResumeTiming();
    directory.commit(directory.stage(directory.prepare(updates), updates, with_proof));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
  directory.report(state);
}

// A tree without a directory. The benchmark measures how long it takes to sort, hash and add leaves.
class BareTree {
 public:
  explicit BareTree(std::size_t keys) {
    auto first = labels(keys);
    Workers alone(1);
    static_cast<void>(add(first, alone));
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

  // Adds leaves with these labels to the tree, and returns the new root hash.
  const verify::Hash& add(std::vector<verify::Hash>& labels, Workers& workers) {
    std::ranges::sort(labels);
    added_.assign(labels.size(), {});
    for (std::size_t i = 0; i < labels.size(); ++i) {
      added_[i].id = nodes_.add_leaf({labels[i], {}});
    }
    // The chunk has as many leaves as a chunk in new_leaves.cc.
    constexpr std::size_t kHashChunk = 64;
    workers.for_each_index((labels.size() + kHashChunk - 1) / kHashChunk, [&](std::size_t chunk) {
      HashBatch hashes;
      for (std::size_t i = chunk * kHashChunk; i < std::min(labels.size(), (chunk + 1) * kHashChunk); ++i) {
        // The label also serves as the commitment, which may be any 32 octets.
        hashes.add_leaf(labels[i], labels[i], 1, added_[i].hash);
      }
      hashes.run();
    });
    if (!insert_leaves(nodes_, tree_, added_, workers, next_, change_)) {
      std::fprintf(stderr, "a label is there twice\n");
      std::exit(1);
    }
    return next_.root_hash;
  }

  // Removes the leaves that add() added, so that the tree keeps its size.
  void discard() {
    nodes_.free_interiors(change_.created);
    for (const InsertedLeaf& leaf : added_) {
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
  std::vector<InsertedLeaf> added_;
  Change change_;
};

void insert_tree_only(benchmark::State& state, std::size_t keys, unsigned threads) {
  static std::map<std::size_t, std::unique_ptr<BareTree>> all;
  auto& tree = all[keys];
  if (!tree) {
    tree = std::make_unique<BareTree>(keys);
  }
  Workers workers(threads);
  for (auto _ : state) {
    state.PauseTiming();
    auto labels = tree->labels(kBatch);
    state.ResumeTiming();
    benchmark::DoNotOptimize(tree->add(labels, workers));
    state.PauseTiming();
    tree->discard();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
  state.counters["bytes"] = tree->bytes();
  state.counters["bytes_per_key"] = tree->bytes() / tree->count();
}

// The keys whose proofs are in the VRF cache: no keys, keys spread over the whole tree, or a few keys that are looked
// up again and again. For a few keys, the nodes of the tree stay in the processor's cache.
enum class Kept { kNothing, kEverywhere, kFew };

// Measures lookup calls of `at_once` keys each. An iteration is one call, and an item is one proof.
void prove(benchmark::State& state, std::size_t keys, Kept kept, std::size_t at_once) {
  Filled& directory = filled({keys, kept == Kept::kNothing ? 0 : kCacheBytes, 1});
  Asker asker(directory, at_once);
  const std::size_t step = keys / kCachedKeys;
  const std::size_t few = kept == Kept::kFew ? kBatch : kCachedKeys;
  if (kept != Kept::kNothing) {
    asker.warm(few, step);
  }
  std::size_t member_len = 0;
  std::size_t answer_len = 0;
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < kBatch; ++i) {
    const base::ByteSpan answer = asker.lookup_one(random() % few * step);
    answer_len += answer.size();
    verify::Reader reader(answer);
    const auto lookup = verify::Lookup::decode(reader);
    for (const verify::Member& member : lookup.members) {
      // Adds the length of a Member: VRF proof, epoch, kind, opening, length of the value, and path
      // (docs/spec/proofs.md section 1).
      member_len +=
          vrf::kProofLen + 8 + 1 + verify::kOpeningLen + 3 + verify::kHashLen + 2 + member.path.siblings.size();
    }
  }
  const optiks_dir_stats_t before = directory.stats();
  for (auto _ : state) {
    for (std::size_t i = 0; i < at_once; ++i) {
      asker.set_key(i, random() % few * step);
    }
    benchmark::DoNotOptimize(asker.lookup(at_once).data());
  }
  const optiks_dir_stats_t after = directory.stats();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(2 * at_once));
  state.counters["bytes"] = static_cast<double>(answer_len) / kBatch;
  state.counters["member_bytes"] = static_cast<double>(member_len) / kBatch;
  state.counters["cached_share"] = static_cast<double>(after.vrf_cache_hits - before.vrf_cache_hits) /
                                   static_cast<double>(after.vrf_cache_hits + after.vrf_cache_misses -
                                                       before.vrf_cache_hits - before.vrf_cache_misses);
}

// Measures verifying one proof of a lookup, including its VRF proof, in a tree of 2^20 keys.
void verify_proof(benchmark::State& state, bool is_member) {
  Asker asker(filled({std::size_t{1} << 20, kCacheBytes, 1}), 1);
  const States states = asker.states();
  const base::ByteSpan view = std::span(states).subspan(verify::structure_index(kKeys) * OPTIKS_STRUCTURE_STATE_LEN,
                                                        OPTIKS_STRUCTURE_STATE_LEN);
  const base::ByteSpan root = view.first(32);
  const std::uint64_t count = base::load_be64(view.data() + 32);
  vrf::PublicKey key;
  const base::ByteSpan answer = asker.lookup_one(0);
  verify::Reader reader(answer);
  const auto lookup = verify::Lookup::decode(reader);
  const verify::Member member = *lookup.members.begin();
  const verify::NonMember absent = *lookup.absent.begin();
  const base::ByteSpan proof = is_member ? member.vrf_proof : absent.vrf_proof;
  const Updates updates(0, kBatch);
  const verify::Alpha alpha(kKeys, std::span(updates.keys).first(8), is_member ? 1 : 2);
  if (vrf::PublicKey::parse_vartime(view.subspan(40), key) != vrf::Reason::kValid) {
    state.SkipWithError("the key is refused");
  }
  for (auto _ : state) {
    verify::Hash label{};
    const bool proven =
        vrf::verify_vartime(key, alpha.get(), proof.first<vrf::kProofLen>(), label) == vrf::Reason::kValid;
    const verify::Reason reason =
        is_member ? verify::verify_member(label, root, member) : verify::verify_non_member(label, root, count, absent);
    if (!proven || reason != verify::Reason::kValid) {
      state.SkipWithError("the proof is refused");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations());
}

// Measures making the append-only proof of an epoch of 1,024 new keys or, if `verify` is true, verifying it. The time
// to make the proof includes the time to stage the epoch.
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
  // The proof of structure 3 comes after the proofs of structures 1 and 2, which are empty and have 8 octets each.
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

// Measures hashing one interior node, because the cost of all work on trees is counted in such hashes.
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
      add("Insert1024" + suffix, insert, keys, threads, true);
      add("Insert1024" + suffix + "/noappend", insert, keys, threads, false);
      add("Insert1024TreeOnly" + suffix, insert_tree_only, keys, threads);
    }
    add("Insert1024InTurn/linked" + with_keys, bench::insert_in_turn, keys, true);
    add("Insert1024InTurn/linked" + with_keys + "/noappend", bench::insert_in_turn, keys, false);
    constexpr std::size_t kLookupBatch = 64;
    add("Prove/linked/cached" + with_keys, prove, keys, Kept::kEverywhere, std::size_t{1});
    add("Prove/linked/batched" + with_keys, prove, keys, Kept::kEverywhere, kLookupBatch);
    add("Prove/linked/cached-few" + with_keys, prove, keys, Kept::kFew, std::size_t{1});
    add("Prove/linked/batched-few" + with_keys, prove, keys, Kept::kFew, kLookupBatch);
    add("Prove/linked/uncached" + with_keys, prove, keys, Kept::kNothing, kLookupBatch);
    add("Prove/linked/uncached-single" + with_keys, prove, keys, Kept::kNothing, std::size_t{1});
    add("ReaderDuringEpochs" + with_keys, bench::reader_during_epochs, keys);
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
