// Micro-benchmarks of the directory and its proofs, by the names of docs/performance.md. Through the C ABI, so a figure
// is what a service gets; the leaf log is in the system's folder for temporary files.
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

#include "optiks.h"
#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/append.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks {
namespace {

constexpr std::size_t kBatch = 1024;
constexpr std::size_t kValueLen = 64;
constexpr std::uint8_t kKeys = OPTIKS_KEYS;
using States = std::array<std::uint8_t, 4 * OPTIKS_STRUCTURE_STATE_LEN>;

void require(std::int32_t status) {
  if (status != OPTIKS_OK) {
    std::array<char, 256> text{};
    optiks_last_error(text.data(), text.size());
    std::fprintf(stderr, "status %d: %s\n", status, text.data());
    std::exit(1);
  }
}

// The updates of kBatch keys, from key number `first` on.
struct Updates {
  std::vector<std::uint8_t> structures = std::vector<std::uint8_t>(kBatch, kKeys);
  std::vector<std::uint8_t> keys = std::vector<std::uint8_t>(8 * kBatch);
  std::vector<std::uint8_t> values = std::vector<std::uint8_t>(kValueLen * kBatch, 7);
  std::vector<std::uint64_t> key_offsets, value_offsets;

  explicit Updates(std::uint64_t first) {
    for (std::size_t i = 0; i <= kBatch; ++i) {
      key_offsets.push_back(8 * i);
      value_offsets.push_back(kValueLen * i);
      if (i < kBatch) {
        base::store_be64(keys.data() + 8 * i, first + i);
      }
    }
  }
};

// A directory of `keys` keys with one version each.
class Filled {
 public:
  Filled(std::size_t keys, std::uint64_t cache_bytes) : num_keys_(keys) {
    path_ = std::filesystem::temp_directory_path() /
            ("ozks_bench-" + std::to_string(getpid()) + "-" + std::to_string(keys) + "-" + std::to_string(cache_bytes));
    optiks_dir_options_t options{};
    for (auto& secret : options.vrf_secret) {
      secret[0] = 1;
    }
    options.tag_key[0] = 1;
    options.max_value_len = 65'536;
    options.vrf_cache_bytes = cache_bytes;
    const std::string path = path_;
    options.leaf_log_path = path.c_str();
    require(optiks_dir_create(&options, &dir_));
    // Labels by a generator, not by the VRF: half a minute less for 2^20 keys, and the trees look the same.
    std::mt19937_64 random(1);
    std::vector<optiks_leaf_t> rows(keys);
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
    publish(Updates(0));
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
    std::vector<optiks_leaf_t> rows(kBatch);
    require(optiks_dir_prepare(dir_, next_epoch(), kBatch, updates.structures.data(), updates.keys.data(),
                               updates.key_offsets.data(), updates.values.data(), updates.value_offsets.data(),
                               rows.data()));
    return rows;
  }
  [[nodiscard]] optiks_staged_t* stage(const std::vector<optiks_leaf_t>& rows, const Updates& updates, bool proofs) {
    optiks_staged_t* staged = nullptr;
    require(optiks_dir_stage(dir_, next_epoch(), rows.data(), rows.size(), updates.values.data(), updates.values.size(),
                             proofs ? 1 : 0, &staged));
    return staged;
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
    state.SetLabel(std::to_string(num_keys_) + " keys");
  }

 private:
  template <std::size_t N>
  static void fill(std::mt19937_64& random, std::uint8_t (&out)[N]) {
    for (std::size_t i = 0; i < N; i += 8) {
      base::store_le64(out + i, random());
    }
  }

  std::size_t num_keys_;
  std::filesystem::path path_;
  optiks_dir_t* dir_ = nullptr;
  std::uint64_t epoch_ = 1;
  std::uint64_t next_key_ = 1U << 30;
};

Filled& filled(std::size_t keys, std::uint64_t cache_bytes) {
  static std::map<std::pair<std::size_t, std::uint64_t>, std::unique_ptr<Filled>> all;
  auto& one = all[{keys, cache_bytes}];
  if (!one) {
    one = std::make_unique<Filled>(keys, cache_bytes);
  }
  return *one;
}

// An epoch of 1,024 new keys: labels, openings and commitments, tree, leaf log, with the step's proof.
void insert(benchmark::State& state, std::size_t keys) {
  Filled& directory = filled(keys, 0);
  for (auto _ : state) {
    const Updates updates(directory.fresh_keys());
    directory.commit(directory.stage(directory.prepare(updates), updates, true));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
  directory.report(state);
}

// The same without the VRF and without the proof.
void insert_tree_only(benchmark::State& state, std::size_t keys) {
  Filled& directory = filled(keys, 0);
  for (auto _ : state) {
    state.PauseTiming();
    const Updates updates(directory.fresh_keys());
    const auto rows = directory.prepare(updates);
    state.ResumeTiming();
    directory.commit(directory.stage(rows, updates, false));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
  directory.report(state);
}

// One lookup of a key with one version.
void prove(benchmark::State& state, std::size_t keys, bool cached) {
  Filled& directory = filled(keys, cached ? 4U << 20 : 0);
  const Updates updates(0);
  optiks_snapshot_t* snapshot = nullptr;
  require(optiks_dir_snapshot(directory.dir(), &snapshot));
  std::vector<std::uint8_t> out(1 << 16);
  const std::array<std::uint64_t, 2> offsets = {0, 8};
  const std::uint64_t none = 0;
  std::uint64_t end = 0;
  std::size_t len = 0;
  const auto lookup = [&](std::size_t i) {
    require(optiks_snapshot_lookup_many(snapshot, kKeys, 1, updates.keys.data() + 8 * i, offsets.data(), &none, &none,
                                        out.data(), out.size(), &len, &end));
  };
  for (std::size_t i = 0; i < kBatch; ++i) {
    lookup(i);
  }
  std::size_t i = 0;
  for (auto _ : state) {
    lookup(i++ % kBatch);
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["answer_bytes"] = static_cast<double>(len);
  optiks_snapshot_destroy(snapshot);
}

// The append-only proof of an epoch of 1,024 new keys; making it includes staging the epoch.
void append_proof(benchmark::State& state, bool verify) {
  Filled& directory = filled(1U << 20, 0);
  const Updates updates(directory.fresh_keys());
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
  for (const std::size_t keys : {std::size_t{1} << 16, std::size_t{1} << 20}) {
    const std::string with_keys = "keys:" + std::to_string(keys);
    add("Insert1024/linked/" + with_keys + "/threads:1", insert, keys);
    add("Insert1024TreeOnly/linked/" + with_keys + "/threads:1", insert_tree_only, keys);
    add("Prove/linked/cached/" + with_keys, prove, keys, true);
    add("Prove/linked/uncached/" + with_keys, prove, keys, false);
  }
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
