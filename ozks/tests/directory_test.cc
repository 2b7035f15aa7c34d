// Tests the directory's answers through the C ABI, with the verifier and by comparison with a model.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "directory_support.h"
#include "optiks/ozks/verify/ladder.h"

namespace optiks::ozks::test {
namespace {

// The published versions of each key of the structure `keys`.
struct Model {
  struct Version {
    std::uint64_t epoch;
    std::string value;
  };
  std::map<std::string, std::vector<Version>> keys;

  void add(std::uint64_t epoch, const std::vector<Update>& updates) {
    for (const Update& update : updates) {
      if (update.structure == kKeys) {
        keys[update.key].push_back({epoch, update.value});
      }
    }
  }
};

void check_all(const Seen& seen, const Model& model) {
  for (const auto& [key, versions] : model.keys) {
    verify::LookupResult result;
    const Bytes answer = seen.lookup(kKeys, key);
    ASSERT_EQ(seen.check(kKeys, key, {}, answer, result), verify::Reason::kValid) << key;
    ASSERT_EQ(result.version, versions.size());
    EXPECT_EQ(text_of(result.value), versions.back().value);
    EXPECT_EQ(result.leaf_epoch, versions.back().epoch);
    std::vector<verify::VersionEntry> entries;
    verify::VersionsResult listed;
    const Bytes history = seen.versions(kKeys, key, 1);
    ASSERT_EQ(seen.check(kKeys, key, {}, history, entries, listed), verify::Reason::kValid) << key;
    ASSERT_TRUE(listed.complete);
    ASSERT_EQ(entries.size(), versions.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(text_of(entries[i].value), versions[i].value);
      EXPECT_EQ(entries[i].leaf_epoch, versions[i].epoch);
    }
  }
}

TEST(Directory, EmptyTreesProveAbsence) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  const Seen seen(dir.get());
  EXPECT_EQ(seen.epoch(), 0U);
  EXPECT_EQ(seen.value(kKeys, "nobody"), "");
  std::vector<verify::VersionEntry> entries;
  verify::VersionsResult listed;
  EXPECT_EQ(seen.check(kKeys, "nobody", {}, seen.versions(kKeys, "nobody", 1), entries, listed),
            verify::Reason::kValid);
  EXPECT_EQ(listed.version, 0U);
  EXPECT_TRUE(listed.complete);
}

TEST(Directory, RandomHistoriesAnswerLikeTheModel) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  Random random(21);
  Model model;
  for (std::uint64_t epoch = 1; epoch <= 25; ++epoch) {
    const auto updates = random_updates(random, epoch);
    publish(dir.get(), epoch, updates);
    model.add(epoch, updates);
    if (epoch % 5 == 0) {
      const Seen seen(dir.get());
      ASSERT_EQ(seen.epoch(), epoch);
      check_all(seen, model);
      EXPECT_EQ(seen.value(kKeys, "nobody"), "");
      EXPECT_EQ(seen.value(kDevices, "key 1000"), "");
    }
  }
  EXPECT_GE(model.keys.size(), 12U);
}

// Tests that the answer for a key is not valid for another key or in another epoch.
TEST(Directory, AnswersAreBoundToKeyAndEpoch) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  publish(dir.get(), 1, {{kKeys, "a", "1"}, {kKeys, "b", "2"}});
  const Seen first(dir.get());
  publish(dir.get(), 2, {{kKeys, "a", "3"}});
  const Seen second(dir.get());
  verify::LookupResult result;
  EXPECT_EQ(first.check(kKeys, "a", {}, first.lookup(kKeys, "a"), result), verify::Reason::kValid);
  EXPECT_NE(first.check(kKeys, "a", {}, first.lookup(kKeys, "b"), result), verify::Reason::kValid);
  EXPECT_NE(second.check(kKeys, "a", {}, first.lookup(kKeys, "a"), result), verify::Reason::kValid);
  EXPECT_NE(first.check(kDevices, "a", {}, first.lookup(kKeys, "a"), result), verify::Reason::kValid);
}

TEST(Directory, KnownVersionsAreLeftOut) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  for (std::uint64_t epoch = 1; epoch <= 10; ++epoch) {
    publish(dir.get(), epoch, {{kKeys, "a", numbered("version ", epoch)}});
  }
  const Seen seen(dir.get());
  const Bytes whole = seen.lookup(kKeys, "a");
  for (std::uint64_t w = 1; w <= 10; ++w) {
    const verify::Known known{0, w, w, w, true};
    const Bytes answer = seen.lookup(kKeys, "a", known);
    verify::LookupResult result;
    ASSERT_EQ(seen.check(kKeys, "a", known, answer, result), verify::Reason::kValid) << w;
    EXPECT_EQ(result.version, 10U);
    EXPECT_EQ(result.has_value, w != 10);
    // To a client without knowledge, the short answer lacks members, unless it is the whole answer.
    EXPECT_EQ(seen.check(kKeys, "a", {}, answer, result) == verify::Reason::kValid, answer == whole);
    EXPECT_LT(answer.size(), whole.size());
    // The directory ignores a version that the client knows from another period.
    EXPECT_EQ(seen.lookup(kKeys, "a", {5, w, w, w, true}), whole);
  }
}

TEST(Directory, HistoryInPages) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  constexpr std::uint64_t kVersions = 41;
  for (std::uint64_t epoch = 1; epoch <= kVersions; ++epoch) {
    publish(dir.get(), epoch, {{kKeys, "a", std::to_string(epoch)}});
  }
  const Seen seen(dir.get());
  const auto pages = [&](std::uint32_t max_members, std::size_t max_bytes) {
    verify::Known known{};
    std::vector<std::string> values;
    for (std::size_t page = 1;; ++page) {
      std::vector<verify::VersionEntry> entries;
      verify::VersionsResult listed;
      const Bytes answer = seen.versions(kKeys, "a", known.version + 1, max_members, max_bytes);
      const verify::Reason reason = seen.check(kKeys, "a", known, answer, entries, listed);
      if (reason != verify::Reason::kValid || entries.size() > max_members || entries.empty()) {
        ADD_FAILURE() << verify::test::name_of(reason) << " with " << entries.size();
        return page;
      }
      for (const auto& entry : entries) {
        values.push_back(text_of(entry.value));
      }
      if (listed.complete) {
        EXPECT_EQ(values.size(), kVersions);
        EXPECT_EQ(values.back(), std::to_string(kVersions));
        return page;
      }
      known = {0, entries.back().version, entries.back().time, 0, false, listed.version};
    }
  };
  EXPECT_EQ(pages(1000, SIZE_MAX), 1U);
  EXPECT_EQ(pages(41, SIZE_MAX), 1U);
  EXPECT_EQ(pages(40, SIZE_MAX), 2U);
  EXPECT_EQ(pages(7, SIZE_MAX), 6U);
  EXPECT_EQ(pages(1000, 1), kVersions);
  EXPECT_GT(pages(1000, 4096), 2U);
  // The answer lists no version beyond the latest.
  for (const std::uint64_t from : {kVersions + 1, kVersions + 2, UINT64_MAX}) {
    verify::Versions answer;
    const Bytes octets = seen.versions(kKeys, "a", from);
    ASSERT_EQ(verify::decode_whole(ByteSpan(octets), answer), verify::Reason::kValid);
    EXPECT_EQ(answer.from, from);
    EXPECT_EQ(answer.members.size(), 0U);
    EXPECT_EQ(answer.absent.size(), verify::next_rungs(kVersions).size());
  }
}

TEST(Directory, StagedProofsAreThoseOfTheSteps) {
  const DirectoryHandle dir = create(options_with(nullptr));
  Random random(22);
  std::array<std::vector<Bytes>, verify::kNumStructures> steps;
  std::vector<std::uint64_t> counts;
  Bytes all;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<States> states = {states_of(dir.get())};
  for (std::uint64_t epoch = 1; epoch <= 9; ++epoch) {
    for (std::size_t s = 0; s < verify::kNumStructures; ++s) {
      counts.push_back(base::load_be64(states.back().data() + s * OPTIKS_STRUCTURE_STATE_LEN + 32));
    }
    auto staged = stage(dir.get(), prepare(dir.get(), epoch, random_updates(random, epoch)));
    const Bytes proofs = staged_proofs(staged.get());
    all.insert(all.end(), proofs.begin(), proofs.end());
    offsets.push_back(all.size());
    commit(std::move(staged));
    states.push_back(states_of(dir.get()));
  }
  std::size_t len = 0;
  ASSERT_EQ(optiks_append_merge(9, all.data(), offsets.data(), counts.data(), nullptr, 0, &len), OPTIKS_E_BUFFER);
  Bytes merged(len);
  ASSERT_EQ(optiks_append_merge(9, all.data(), offsets.data(), counts.data(), merged.data(), len, &len), OPTIKS_OK);
  verify::Reader reader(merged);
  for (std::size_t s = 0; s < verify::kNumStructures; ++s) {
    const auto proof = verify::AppendProof::decode(reader);
    std::vector<verify::TreeState> tree_states;
    for (const States& state : states) {
      const ByteSpan octets = std::span(state).subspan(s * OPTIKS_STRUCTURE_STATE_LEN, OPTIKS_STRUCTURE_STATE_LEN);
      tree_states.push_back({octets.first(32), base::load_be64(octets.data() + 32)});
    }
    auto workspace = verify::AppendWorkspace::create(9);
    EXPECT_EQ(verify::verify_append(0, tree_states, proof, *workspace), verify::Reason::kValid) << s;
    // As a control, checks that the proof is refused if one state is replaced by another state.
    if (proof.leaves.size() > verify::kAddedLeafLen) {
      tree_states.back().root = states[0];
      tree_states.back().root = tree_states.back().root.first(32);
      EXPECT_NE(verify::verify_append(0, tree_states, proof, *workspace), verify::Reason::kValid) << s;
    }
  }
  EXPECT_EQ(reader.finish(), verify::Reason::kValid);
  counts[5] += 1;
  EXPECT_EQ(optiks_append_merge(9, all.data(), offsets.data(), counts.data(), merged.data(), len, &len), OPTIKS_E_DATA);
}

TEST(Directory, DiscardedEpochsLeaveNothing) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  publish(dir.get(), 1, {{kKeys, "a", "1"}, {kKeys, "b", "1"}});
  const States before = states_of(dir.get());
  const Bytes answer = Seen(dir.get()).lookup(kKeys, "a");
  const StoredEpoch next = prepare(dir.get(), 2, {{kKeys, "a", "2"}, {kKeys, "c", std::string(60'000, 'x')}});
  optiks_dir_stats_t stats{};
  ASSERT_EQ(optiks_dir_stats(dir.get(), &stats), OPTIKS_OK);
  for (int i = 0; i < 40; ++i) {
    auto staged = stage(dir.get(), next);
    States staged_states{};
    ASSERT_EQ(optiks_staged_states(staged.get(), staged_states.data()), OPTIKS_OK);
    EXPECT_NE(staged_states, before);
    EXPECT_EQ(states_of(dir.get()), before);
    // Staging a second epoch while one is staged is refused, and so is an epoch with a wrong number.
    optiks_staged_t* second = nullptr;
    EXPECT_EQ(optiks_dir_stage(dir.get(), 2, nullptr, 0, nullptr, 0, 0, &second), OPTIKS_E_STATE);
    staged.reset();
    EXPECT_EQ(optiks_dir_stage(dir.get(), 3, nullptr, 0, nullptr, 0, 0, &second), OPTIKS_E_STATE);
  }
  EXPECT_EQ(states_of(dir.get()), before);
  EXPECT_EQ(Seen(dir.get()).lookup(kKeys, "a"), answer);
  optiks_dir_stats_t after{};
  ASSERT_EQ(optiks_dir_stats(dir.get(), &after), OPTIKS_OK);
  EXPECT_EQ(after.leaf_log_bytes, stats.leaf_log_bytes);
  EXPECT_EQ(after.tree_bytes, stats.tree_bytes);
  commit(stage(dir.get(), next));
  EXPECT_EQ(Seen(dir.get()).value(kKeys, "a"), "2");
  EXPECT_EQ(Seen(dir.get()).value(kKeys, "b"), "1");
  EXPECT_EQ(Seen(dir.get()).value(kKeys, "c"), std::string(60'000, 'x'));
}

TEST(Directory, VersionsAndTagsOfKeys) {
  const DirectoryHandle dir = create(options_with(nullptr));
  publish(dir.get(), 1, {{kKeys, "a", "1"}, {kDevices, "a", "1"}, {OPTIKS_USERNAMES, "a", "1"}});
  const StoredEpoch second = publish(dir.get(), 2, {{kKeys, "a", "2"}});
  Blob keys;
  keys.add("a");
  keys.add("a");
  keys.add("b");
  keys.add("a");
  const Bytes structures = {kKeys, kDevices, kKeys, OPTIKS_USERNAMES};
  std::vector<std::uint64_t> versions(4, 99);
  ASSERT_EQ(
      optiks_dir_versions(dir.get(), 4, structures.data(), keys.octets.data(), keys.offsets.data(), versions.data()),
      OPTIKS_OK);
  EXPECT_EQ(versions, (std::vector<std::uint64_t>{2, 1, 0, 1}));
  const StoredEpoch next = prepare(dir.get(), 3, {{kKeys, "a", "3"}, {kDevices, "a", "2"}});
  const optiks_leaf_t& of_devices = next.rows[0];
  const optiks_leaf_t& of_keys = next.rows[1];
  EXPECT_TRUE(std::ranges::equal(of_keys.tag, second.rows[0].tag));
  EXPECT_FALSE(std::ranges::equal(of_keys.tag, of_devices.tag));
  EXPECT_EQ(of_keys.version, 3U);
  EXPECT_EQ(of_devices.version, 2U);
  // The call must refuse a second leaf for a key of an oZKS.
  Blob value;
  value.add("x");
  Blob name;
  name.add("a");
  optiks_leaf_t row;
  const std::uint8_t usernames = OPTIKS_USERNAMES;
  EXPECT_EQ(optiks_dir_prepare(dir.get(), 3, 1, &usernames, name.octets.data(), name.offsets.data(),
                               value.octets.data(), value.offsets.data(), &row),
            OPTIKS_E_DUPLICATE);
}

// Tests that leaves get the right labels even if no labels, or labels of other versions, were precomputed.
TEST(Directory, PrecomputedLabelsAreThoseOfTheVersionsThatLeavesGet) {
  const DirectoryHandle dir = create(options_with(nullptr));
  const DirectoryHandle plain = create(options_with(nullptr));
  publish(dir.get(), 1, {{kKeys, "a", "1"}, {OPTIKS_USERNAMES, "n", "1"}});
  publish(plain.get(), 1, {{kKeys, "a", "1"}, {OPTIKS_USERNAMES, "n", "1"}});
  const auto expect = [&](const std::vector<Update>& updates) {
    Blob keys;
    Bytes structures;
    for (const Update& update : updates) {
      structures.push_back(update.structure);
      keys.add(update.key);
    }
    ASSERT_EQ(optiks_dir_precompute_labels(dir.get(), updates.size(), structures.data(), keys.octets.data(),
                                           keys.offsets.data()),
              OPTIKS_OK)
        << last_error();
  };
  const auto compare = [&](std::uint64_t epoch, const std::vector<Update>& updates) {
    const StoredEpoch got = prepare(dir.get(), epoch, updates);
    const StoredEpoch want = prepare(plain.get(), epoch, updates);
    for (std::size_t i = 0; i < updates.size(); ++i) {
      EXPECT_TRUE(std::equal(want.rows[i].label, want.rows[i].label + 32, got.rows[i].label)) << i;
      EXPECT_EQ(want.rows[i].version, got.rows[i].version);
    }
  };
  const std::vector<Update> second = {
      {kKeys, "a", "2"}, {kKeys, "b", "1"}, {OPTIKS_USERNAMES, "m", "1"}, {OPTIKS_DEVICES, "a", "1"}};
  // First, labels are precomputed for all keys; then for one key twice and for a key without a leaf; at last only for a
  // key that the epoch does not need.
  expect(second);
  compare(2, second);
  expect({{kKeys, "a", ""}, {kKeys, "a", ""}, {OPTIKS_USERNAMES, "n", ""}});
  compare(2, second);
  expect({{kKeys, "z", ""}});
  compare(2, second);
  // Precomputes labels for one key in each call, and for the first key again.
  for (const Update& update : second) {
    expect({update});
  }
  expect({second[0]});
  compare(2, second);
  // Labels are precomputed for version 2, but then an epoch is committed that another directory prepared.
  expect(second);
  const StoredEpoch other = prepare(plain.get(), 2, {{kKeys, "a", "2"}});
  commit(stage(dir.get(), other));
  commit(stage(plain.get(), other));
  compare(3, second);
}

TEST(Directory, ListsAloneMayBeKept) {
  optiks_dir_options_t options = options_with(nullptr);
  options.kept_values = OPTIKS_VALUES_DEVICES;
  const DirectoryHandle dir = create(options);
  const DirectoryHandle whole = create(options_with(nullptr));
  const StoredEpoch first =
      publish(whole.get(), 1, {{OPTIKS_DEVICES, "u", "1"}, {OPTIKS_DEVICES, "v", ""}, {kKeys, "d", "1"}});
  commit(stage(dir.get(), first));
  EXPECT_EQ(newest_values(dir.get(), OPTIKS_DEVICES, {"u", "v", "d"}), (std::vector<std::string>{"1", "", "-"}));
  EXPECT_EQ(newest_values(whole.get(), kKeys, {"d", "u"}), (std::vector<std::string>{"1", "-"}));
  EXPECT_TRUE(newest_values(dir.get(), OPTIKS_DEVICES, {}).empty());
  // The values of an epoch are not the newest values while the epoch is only staged, or after it was discarded.
  const StoredEpoch second = prepare(whole.get(), 2, {{OPTIKS_DEVICES, "u", "2"}, {kKeys, "d", "2"}});
  {
    const StagedHandle staged = stage(dir.get(), second);
    EXPECT_EQ(newest_values(dir.get(), OPTIKS_DEVICES, {"u"}), (std::vector<std::string>{"1"}));
  }
  EXPECT_EQ(newest_values(dir.get(), OPTIKS_DEVICES, {"u"}), (std::vector<std::string>{"1"}));
  commit(stage(dir.get(), second));
  commit(stage(whole.get(), second));
  EXPECT_EQ(newest_values(dir.get(), OPTIKS_DEVICES, {"u"}), (std::vector<std::string>{"2"}));
  // The directory does not read values of other structures, so these values may be missing or wrong.
  StoredEpoch third = prepare(whole.get(), 3, {{OPTIKS_DEVICES, "u", "3"}, {kKeys, "d", "3"}});
  commit(stage(whole.get(), third));
  third.rows[1].value_offset = 1000;
  commit(stage(dir.get(), third));
  EXPECT_EQ(states_of(dir.get()), states_of(whole.get()));
  StoredEpoch wrong = prepare(whole.get(), 4, {{OPTIKS_DEVICES, "u", "4"}});
  optiks_staged_t* none = nullptr;
  EXPECT_EQ(
      optiks_dir_stage(dir.get(), 4, wrong.rows.data(), 1, reinterpret_cast<const std::uint8_t*>("x"), 1, 0, &none),
      OPTIKS_E_DATA);
  // An erased list has no value.
  wrong.rows[0].value_offset = UINT64_MAX;
  commit(stage(dir.get(), wrong));
  EXPECT_EQ(newest_values(dir.get(), OPTIKS_DEVICES, {"u", "v"}), (std::vector<std::string>{"-", ""}));
  // A directory that keeps only device lists refuses lookups, and has no values of other structures.
  std::size_t len = 0;
  const auto* key = reinterpret_cast<const std::uint8_t*>("u");
  const std::uint64_t offsets[] = {0, 1};
  std::uint64_t end = 0;
  std::uint8_t kept = 0;
  EXPECT_EQ(optiks_dir_newest_values(dir.get(), kKeys, 1, key, offsets, nullptr, 0, &len, &end, &kept), OPTIKS_E_STATE);
  const Seen seen(dir.get());
  EXPECT_EQ(write_versions(seen.view(), OPTIKS_DEVICES, key, 1, 1, 1, 1, nullptr, 0, &len), OPTIKS_E_STATE);
}

TEST(Directory, AKeyWithoutVersionsIsThereOrNot) {
  const DirectoryHandle dir = create(options_with(nullptr));
  publish(dir.get(), 1, {{OPTIKS_USERNAMES, "al", "u"}, {OPTIKS_DECOMMISSIONED, "u", "1"}});
  const std::uint8_t structures[] = {OPTIKS_USERNAMES, OPTIKS_USERNAMES, OPTIKS_DECOMMISSIONED, OPTIKS_DECOMMISSIONED};
  Blob keys;
  for (const char* key : {"al", "u", "u", "al"}) {
    keys.add(key);
  }
  std::uint64_t versions[4] = {};
  EXPECT_EQ(optiks_dir_versions(dir.get(), 4, structures, keys.octets.data(), keys.offsets.data(), versions),
            OPTIKS_OK);
  EXPECT_EQ(std::vector<std::uint64_t>(versions, versions + 4), (std::vector<std::uint64_t>{1, 0, 1, 0}));
}

TEST(Directory, WithoutValuesNothingIsLookedUp) {
  optiks_dir_options_t options = options_with(nullptr);
  options.kept_values = OPTIKS_VALUES_NONE;
  const DirectoryHandle dir = create(options);
  publish(dir.get(), 1, {{kKeys, "a", "1"}});
  const Seen seen(dir.get());
  std::size_t len = 0;
  EXPECT_EQ(
      write_versions(seen.view(), kKeys, reinterpret_cast<const std::uint8_t*>("a"), 1, 1, 1, 1, nullptr, 0, &len),
      OPTIKS_E_STATE);
  // As a control, a directory that keeps all values answers the same lookup.
  const DirectoryHandle other = create(options_with(nullptr));
  publish(other.get(), 1, {{kKeys, "a", "1"}});
  EXPECT_EQ(Seen(other.get()).value(kKeys, "a"), "1");
}

TEST(Directory, VrfCacheIsBoundedAndHits) {
  const std::string log = scratch_file("log");
  const std::string uncached_log = scratch_file("uncached");
  constexpr std::uint64_t kBytes = 64 << 10;
  const DirectoryHandle dir = create(options_with(log.c_str(), kBytes));
  const DirectoryHandle uncached = create(options_with(uncached_log.c_str(), 0));
  const StoredEpoch stored = publish(dir.get(), 1, {{kKeys, "a", "1"}});
  commit(stage(uncached.get(), stored));
  const auto stats = [](const DirectoryHandle& of) {
    optiks_dir_stats_t out{};
    EXPECT_EQ(optiks_dir_stats(of.get(), &out), OPTIKS_OK);
    return out;
  };
  const Seen seen(dir.get());
  const Bytes first = seen.lookup(kKeys, "a");
  EXPECT_EQ(stats(dir).vrf_cache_misses, 2U);
  EXPECT_EQ(stats(dir).vrf_cache_hits, 0U);
  EXPECT_EQ(seen.lookup(kKeys, "a"), first);
  EXPECT_EQ(stats(dir).vrf_cache_misses, 2U);
  EXPECT_EQ(stats(dir).vrf_cache_hits, 2U);
  EXPECT_LE(stats(dir).vrf_cache_bytes, kBytes);
  EXPECT_GT(stats(dir).vrf_cache_bytes, kBytes / 2);
  // The cache has fewer entries than there are inputs. All lookups must still be answered, and the cache must not
  // exceed its maximum size.
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < 1200; ++i) {
    keys.push_back(key_name(i));
  }
  const auto answers = seen.lookups(kKeys, keys, std::vector<verify::Known>(keys.size()));
  EXPECT_EQ(seen.lookups(kKeys, keys, std::vector<verify::Known>(keys.size())), answers);
  for (std::size_t i = 0; i < keys.size(); i += 97) {
    verify::LookupResult result;
    EXPECT_EQ(seen.check(kKeys, keys[i], {}, answers[i], result), verify::Reason::kValid);
    EXPECT_EQ(result.version, 0U);
  }
  EXPECT_LE(stats(dir).vrf_cache_bytes, kBytes);
  const Seen without(uncached.get());
  EXPECT_EQ(without.lookup(kKeys, "a"), first);
  EXPECT_EQ(without.lookup(kKeys, "a"), first);
  EXPECT_EQ(stats(uncached).vrf_cache_hits, 0U);
  EXPECT_EQ(stats(uncached).vrf_cache_bytes, 0U);
}

TEST(Directory, ManyKeys) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  constexpr std::uint64_t kNumKeys = 1 << 16;
  constexpr std::uint64_t kPerEpoch = 1 << 13;
  for (std::uint64_t epoch = 1; epoch <= kNumKeys / kPerEpoch; ++epoch) {
    std::vector<Update> updates;
    for (std::uint64_t i = (epoch - 1) * kPerEpoch; i < epoch * kPerEpoch; ++i) {
      updates.push_back({kKeys, key_name(i), numbered("value ", i)});
    }
    publish(dir.get(), epoch, updates);
  }
  const Seen seen(dir.get());
  EXPECT_EQ(seen.view(kKeys).count, kNumKeys);
  for (std::uint64_t i = 0; i < kNumKeys; i += 997) {
    ASSERT_EQ(seen.value(kKeys, key_name(i)), numbered("value ", i));
  }
  EXPECT_EQ(seen.value(kKeys, key_name(kNumKeys)), "");
}

// Returns how many kilobytes of this process's memory are excluded from core dumps.
std::size_t num_not_dumped() {
  std::ifstream maps("/proc/self/smaps");
  std::size_t size = 0;
  std::size_t out = 0;
  bool is_writable = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.starts_with("Size:")) {
      size = std::stoul(line.substr(5));
    } else if (line.starts_with("VmFlags:")) {
      out += is_writable && line.find(" dd") != std::string::npos ? size : 0;
    } else if (line.find('-') != std::string::npos && line.find(' ') > line.find('-')) {
      is_writable = line.find(" rw-p ") != std::string::npos;
    }
  }
  return out;
}

TEST(Directory, KeepsItsSecretsOutOfCoreDumps) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  EXPECT_GT(num_not_dumped(), 0U);
}

}  // namespace
}  // namespace optiks::ozks::test
