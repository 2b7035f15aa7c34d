// Tests the C ABI's contract about buffers and about arguments that a correct caller never passes. For each refused
// call the tests also make a similar call that is accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "directory_support.h"

namespace optiks::ozks::test {
namespace {

class CApi : public testing::Test {
 protected:
  void SetUp() override {
    const std::string log = scratch_file("log");
    dir_ = create(options_with(log.c_str()));
    publish(dir(), 1, {{kKeys, "k", "v"}});
    EXPECT_EQ(optiks_dir_view(dir(), &view_), OPTIKS_OK);
  }
  void TearDown() override { optiks_view_destroy(view_); }

  [[nodiscard]] optiks_dir_t* dir() const { return dir_.get(); }

  DirectoryHandle dir_;
  optiks_view_t* view_ = nullptr;
  const std::uint8_t structure_ = kKeys;
  const std::uint8_t key_[1] = {'k'};
  const std::uint64_t one_[2] = {0, 1};
  const std::uint64_t none_ = 0;
  std::array<std::uint8_t, 4096> out_{};
  std::size_t len_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t end_ = 0;
  std::int32_t reason_ = 0;
};

TEST_F(CApi, Create) {
  optiks_dir_options_t options = options_with(nullptr);
  optiks_dir_t* made = nullptr;
  EXPECT_EQ(optiks_dir_create(nullptr, &made), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_create(&options, nullptr), OPTIKS_E_ARGUMENT);
  options.kept_values = 3;
  EXPECT_EQ(optiks_dir_create(&options, &made), OPTIKS_E_ARGUMENT);
  options.kept_values = OPTIKS_VALUES_ALL;
  options.threads = 257;
  EXPECT_EQ(optiks_dir_create(&options, &made), OPTIKS_E_ARGUMENT);
  options.threads = 256;
  options.username_reuse = 2;
  EXPECT_EQ(optiks_dir_create(&options, &made), OPTIKS_E_ARGUMENT);
  options.username_reuse = 0;
  options.max_value_len = (1U << 20) + 1;
  EXPECT_EQ(optiks_dir_create(&options, &made), OPTIKS_E_ARGUMENT);
  options.max_value_len = 1U << 20;
  // For each structure, tests a secret that is not less than the group's order, and the secret 0.
  for (auto& secret : options.vrf_secret) {
    const std::uint8_t first = secret[0];
    secret[31] = 0xff;
    EXPECT_EQ(optiks_dir_create(&options, &made), OPTIKS_E_KEY);
    secret[31] = 0;
    secret[20] = 0;
    secret[0] = 0;
    EXPECT_EQ(optiks_dir_create(&options, &made), OPTIKS_E_KEY);
    secret[0] = first;
  }
  EXPECT_EQ(made, nullptr);
  ASSERT_EQ(optiks_dir_create(&options, &made), OPTIKS_OK);
  optiks_dir_destroy(made);
}

TEST_F(CApi, KeysOfBatches) {
  const std::uint64_t from_one[] = {1, 1};
  const std::uint64_t empty[] = {0, 0};
  const std::uint64_t falling[] = {0, 1, 0};
  const std::uint8_t structures[] = {kKeys, kKeys};
  std::uint64_t versions[2] = {7, 7};
  const auto call = [&](const optiks_dir_t* of, std::size_t n, const std::uint8_t* s, const std::uint8_t* keys,
                        const std::uint64_t* offsets) {
    return optiks_dir_versions(of, n, s, keys, offsets, versions);
  };
  EXPECT_EQ(call(nullptr, 1, structures, key_, one_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 1, nullptr, key_, one_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 1, structures, nullptr, one_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 1, structures, key_, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 1, structures, key_, from_one), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 1, structures, key_, empty), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 2, structures, key_, falling), OPTIKS_E_ARGUMENT);
  const Bytes long_key(256, 'k');
  const std::uint64_t long_offsets[] = {0, 256};
  const std::uint64_t longest_offsets[] = {0, 255};
  EXPECT_EQ(call(dir(), 1, structures, long_key.data(), long_offsets), OPTIKS_E_ARGUMENT);
  // The second structure is invalid, so nothing is written for the first structure either.
  const std::uint8_t wrong[] = {kKeys, 5};
  const std::uint8_t two_keys[] = {'k', 'l'};
  const std::uint64_t two[] = {0, 1, 2};
  EXPECT_EQ(call(dir(), 2, wrong, two_keys, two), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(versions[0], 7U);
  EXPECT_EQ(optiks_dir_versions(dir(), 1, structures, key_, one_, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 1, structures, key_, one_), OPTIKS_OK);
  EXPECT_EQ(versions[0], 1U);
  const auto values = [&](const optiks_dir_t* of, std::uint8_t structure, const std::uint64_t* offsets,
                          std::size_t* out_len, std::uint64_t* ends, std::uint8_t* kept) {
    return optiks_dir_newest_values(of, structure, 1, key_, offsets, out_.data(), out_.size(), out_len, ends, kept);
  };
  std::uint8_t kept = 7;
  EXPECT_EQ(values(nullptr, kKeys, one_, &len_, &end_, &kept), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(values(dir(), 0, one_, &len_, &end_, &kept), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(values(dir(), 5, one_, &len_, &end_, &kept), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(values(dir(), kKeys, empty, &len_, &end_, &kept), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(values(dir(), kKeys, one_, &len_, nullptr, &kept), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(values(dir(), kKeys, one_, &len_, &end_, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(values(dir(), kKeys, one_, nullptr, &end_, &kept), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(values(dir(), kKeys, one_, &len_, &end_, &kept), OPTIKS_OK);
  EXPECT_EQ(kept, 1);
  EXPECT_EQ(call(dir(), 1, structures, long_key.data(), longest_offsets), OPTIKS_OK);
  EXPECT_EQ(call(dir(), 0, nullptr, nullptr, nullptr), OPTIKS_OK);
}

TEST_F(CApi, Expect) {
  EXPECT_EQ(optiks_dir_precompute_labels(nullptr, 1, &structure_, key_, one_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_precompute_labels(dir(), 1, nullptr, key_, one_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_precompute_labels(dir(), 1, &structure_, nullptr, one_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_precompute_labels(dir(), 1, &structure_, key_, nullptr), OPTIKS_E_ARGUMENT);
  const std::uint8_t wrong = 5;
  EXPECT_EQ(optiks_dir_precompute_labels(dir(), 1, &wrong, key_, one_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_precompute_labels(dir(), 1, &structure_, key_, one_), OPTIKS_OK);
  EXPECT_EQ(optiks_dir_precompute_labels(dir(), 0, nullptr, nullptr, nullptr), OPTIKS_OK);
}

TEST_F(CApi, Prepare) {
  optiks_leaf_t row{};
  row.version = 99;
  const auto call = [&](const optiks_dir_t* of, std::uint64_t epoch, const std::uint8_t* structure,
                        const std::uint8_t* key, const std::uint64_t* key_offsets, const std::uint64_t* value_offsets,
                        optiks_leaf_t* out) {
    return optiks_dir_prepare(of, epoch, 1, structure, key, key_offsets, key_, value_offsets, out);
  };
  EXPECT_EQ(call(nullptr, 2, &structure_, key_, one_, one_, &row), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 2, nullptr, key_, one_, one_, &row), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 2, &structure_, nullptr, one_, one_, &row), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 2, &structure_, key_, nullptr, one_, &row), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 2, &structure_, key_, one_, nullptr, &row), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 2, &structure_, key_, one_, one_, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(dir(), 1, &structure_, key_, one_, one_, &row), OPTIKS_E_STATE);
  EXPECT_EQ(call(dir(), 3, &structure_, key_, one_, one_, &row), OPTIKS_E_STATE);
  const std::uint8_t wrong = 0;
  EXPECT_EQ(call(dir(), 2, &wrong, key_, one_, one_, &row), OPTIKS_E_ARGUMENT);
  const Bytes value(65'537);
  const std::uint64_t too_long[] = {0, 65'537};
  EXPECT_EQ(optiks_dir_prepare(dir(), 2, 1, &structure_, key_, one_, value.data(), too_long, &row), OPTIKS_E_ARGUMENT);
  const std::uint8_t structures[] = {kKeys, kKeys};
  const std::uint8_t same[] = {'k', 'k'};
  const std::uint64_t two[] = {0, 1, 2};
  optiks_leaf_t rows[2];
  EXPECT_EQ(optiks_dir_prepare(dir(), 2, 2, structures, same, two, same, two, rows), OPTIKS_E_DUPLICATE);
  EXPECT_EQ(row.version, 99U);
  EXPECT_EQ(call(dir(), 2, &structure_, key_, one_, one_, &row), OPTIKS_OK);
  EXPECT_EQ(row.version, 2U);
  const std::uint64_t longest[] = {0, 65'536};
  EXPECT_EQ(optiks_dir_prepare(dir(), 2, 1, &structure_, key_, one_, value.data(), longest, &row), OPTIKS_OK);
}

TEST_F(CApi, LoadStageAndCommit) {
  const StoredEpoch next = prepare(dir(), 2, {{kKeys, "k", "w"}});
  optiks_staged_t* staged = nullptr;
  EXPECT_EQ(optiks_dir_stage(nullptr, 2, next.rows.data(), 1, next.values.data(), 1, 1, &staged), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_stage(dir(), 2, nullptr, 1, next.values.data(), 1, 1, &staged), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_stage(dir(), 2, next.rows.data(), 1, nullptr, 1, 1, &staged), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_stage(dir(), 2, next.rows.data(), 1, next.values.data(), 1, 1, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_load(nullptr, 2, next.rows.data(), 1, next.values.data(), 1), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_load(dir(), 2, nullptr, 1, next.values.data(), 1), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_load(dir(), 2, next.rows.data(), 1, nullptr, 1), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_load(dir(), 0, nullptr, 0, nullptr, 0), OPTIKS_E_STATE);
  EXPECT_EQ(staged, nullptr);
  ASSERT_EQ(optiks_dir_stage(dir(), 2, next.rows.data(), 1, next.values.data(), 1, 0, &staged), OPTIKS_OK);
  EXPECT_EQ(optiks_dir_load(dir(), 2, nullptr, 0, nullptr, 0), OPTIKS_E_STATE);
  EXPECT_EQ(optiks_staged_states(nullptr, out_.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_staged_states(staged, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_staged_append_proofs(nullptr, out_.data(), out_.size(), &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_staged_append_proofs(staged, out_.data(), out_.size(), &len_), OPTIKS_E_STATE);
  EXPECT_EQ(optiks_staged_commit(nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_staged_states(staged, out_.data()), OPTIKS_OK);
  optiks_staged_destroy(staged);
  ASSERT_EQ(optiks_dir_stage(dir(), 2, next.rows.data(), 1, next.values.data(), 1, 1, &staged), OPTIKS_OK);
  EXPECT_EQ(optiks_staged_append_proofs(staged, out_.data(), out_.size(), nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_staged_append_proofs(staged, nullptr, 1, &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_staged_append_proofs(staged, out_.data(), out_.size(), &len_), OPTIKS_OK);
  out_.fill(0xaa);
  EXPECT_EQ(optiks_staged_append_proofs(staged, out_.data(), len_ - 1, &len_), OPTIKS_E_BUFFER);
  EXPECT_EQ(out_[0], 0xaa);
  EXPECT_EQ(optiks_staged_commit(staged), OPTIKS_OK);
}

TEST_F(CApi, StatesStatsAndSnapshots) {
  optiks_dir_stats_t stats{};
  optiks_view_t* other = nullptr;
  EXPECT_EQ(optiks_dir_states(nullptr, &epoch_, out_.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_states(dir(), nullptr, out_.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_states(dir(), &epoch_, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_states(dir(), &epoch_, out_.data()), OPTIKS_OK);
  EXPECT_EQ(optiks_dir_stats(nullptr, &stats), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_stats(dir(), nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_stats(dir(), &stats), OPTIKS_OK);
  EXPECT_EQ(stats.leaves, 1U);
  EXPECT_EQ(optiks_dir_view(nullptr, &other), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_view(dir(), nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_view_states(nullptr, &epoch_, out_.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_view_states(view_, nullptr, out_.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_view_states(view_, &epoch_, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_view_states(view_, &epoch_, out_.data()), OPTIKS_OK);
}

TEST_F(CApi, LookupCached) {
  EXPECT_EQ(
      optiks_view_lookup_cached(view_, kKeys, 1, key_, one_, &none_, &none_, out_.data(), out_.size(), &len_, &end_),
      OPTIKS_E_UNPROVEN);
  // This call caches the proofs.
  EXPECT_EQ(write_lookups(view_, kKeys, 1, key_, one_, &none_, &none_, out_.data(), out_.size(), &len_, &end_),
            OPTIKS_OK);

  const auto call = [&](const optiks_view_t* of, std::uint8_t structure, const std::uint8_t* keys,
                        const std::uint64_t* offsets, const std::uint64_t* periods, const std::uint64_t* versions,
                        std::uint8_t* out, std::size_t capacity, std::size_t* len, std::uint64_t* ends) {
    return optiks_view_lookup_cached(of, structure, 1, keys, offsets, periods, versions, out, capacity, len, ends);
  };
  std::uint8_t* out = out_.data();
  constexpr std::size_t kRoom = 4096;
  EXPECT_EQ(call(nullptr, kKeys, key_, one_, &none_, &none_, out, kRoom, &len_, &end_), OPTIKS_E_ARGUMENT);
  for (const std::uint8_t structure : Bytes{0, 1, 4, 5, 255}) {
    EXPECT_EQ(call(view_, structure, key_, one_, &none_, &none_, out, kRoom, &len_, &end_), OPTIKS_E_ARGUMENT);
  }
  EXPECT_EQ(call(view_, kKeys, nullptr, one_, &none_, &none_, out, kRoom, &len_, &end_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(view_, kKeys, key_, nullptr, &none_, &none_, out, kRoom, &len_, &end_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(view_, kKeys, key_, one_, nullptr, &none_, out, kRoom, &len_, &end_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(view_, kKeys, key_, one_, &none_, nullptr, out, kRoom, &len_, &end_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(view_, kKeys, key_, one_, &none_, &none_, nullptr, kRoom, &len_, &end_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(view_, kKeys, key_, one_, &none_, &none_, out, kRoom, nullptr, &end_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(view_, kKeys, key_, one_, &none_, &none_, out, kRoom, &len_, nullptr), OPTIKS_E_ARGUMENT);
  ASSERT_EQ(call(view_, kKeys, key_, one_, &none_, &none_, out, kRoom, &len_, &end_), OPTIKS_OK);
  const std::size_t needed = len_;
  EXPECT_EQ(end_, needed);
  // The buffer is too short by at least one octet. The call must return the needed length, and write nothing beyond the
  // capacity.
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{8}, std::size_t{10}, needed / 2, needed - 1}) {
    out_.fill(0xaa);
    len_ = 0;
    EXPECT_EQ(call(view_, kKeys, key_, one_, &none_, &none_, out, capacity, &len_, &end_), OPTIKS_E_BUFFER);
    EXPECT_EQ(len_, needed);
    EXPECT_EQ(std::count(out_.begin() + static_cast<std::ptrdiff_t>(capacity), out_.end(), 0xaa),
              static_cast<std::ptrdiff_t>(out_.size() - capacity));
  }
  EXPECT_EQ(call(view_, kKeys, key_, one_, &none_, &none_, out, needed, &len_, &end_), OPTIKS_OK);
}

TEST_F(CApi, Versions) {
  optiks_proofs_t* proofs = nullptr;
  for (const std::uint8_t structure : Bytes{0, 1, 4, 5, 255}) {
    EXPECT_EQ(optiks_proofs_create(view_, structure, 1, &proofs), OPTIKS_E_ARGUMENT);
  }
  ASSERT_EQ(optiks_proofs_create(view_, kKeys, 1, &proofs), OPTIKS_OK);
  const auto call = [&](const optiks_proofs_t* of, const std::uint8_t* key, std::size_t len, std::uint64_t from,
                        std::uint32_t members, std::uint8_t* out, std::size_t* out_len) {
    return optiks_proofs_versions(of, key, len, from, members, 1000, out, out_.size(), out_len);
  };
  std::uint8_t* out = out_.data();
  const Bytes long_key(256);
  EXPECT_EQ(call(nullptr, key_, 1, 1, 1, out, &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(proofs, nullptr, 1, 1, 1, out, &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(proofs, key_, 0, 1, 1, out, &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(proofs, long_key.data(), 256, 1, 1, out, &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(proofs, key_, 1, 0, 1, out, &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(proofs, key_, 1, 1, 0, out, &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(proofs, key_, 1, 1, 1, nullptr, &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(proofs, key_, 1, 1, 1, out, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(proofs, key_, 1, 1, 1, out, &len_), OPTIKS_OK);
  optiks_proofs_destroy(proofs);
}

TEST_F(CApi, Proofs) {
  optiks_proofs_t* proofs = nullptr;
  EXPECT_EQ(optiks_proofs_create(nullptr, kKeys, 1, &proofs), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_create(view_, OPTIKS_USERNAMES, 1, &proofs), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_create(view_, kKeys, 1, nullptr), OPTIKS_E_ARGUMENT);
  ASSERT_EQ(optiks_proofs_create(view_, kKeys, 1, &proofs), OPTIKS_OK);
  EXPECT_EQ(optiks_proofs_add_lookups(nullptr, 1, key_, one_, &none_, &none_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_add_lookups(proofs, 1, nullptr, one_, &none_, &none_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_add_lookups(proofs, 1, key_, nullptr, &none_, &none_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_add_lookups(proofs, 1, key_, one_, nullptr, &none_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_add_lookups(proofs, 1, key_, one_, &none_, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_add_lookups(proofs, 1, key_, one_, &none_, &none_), OPTIKS_OK);
  const Bytes long_key(256);
  EXPECT_EQ(optiks_proofs_add_versions(nullptr, key_, 1, 1, 1), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_add_versions(proofs, nullptr, 1, 1, 1), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_add_versions(proofs, key_, 0, 1, 1), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_add_versions(proofs, long_key.data(), 256, 1, 1), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_add_versions(proofs, key_, 1, 0, 1), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_add_versions(proofs, key_, 1, 1, 0), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_add_versions(proofs, key_, 1, 1, 1), OPTIKS_OK);
  EXPECT_EQ(optiks_proofs_run(nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_run(proofs), OPTIKS_OK);
  std::uint8_t* out = out_.data();
  EXPECT_EQ(optiks_proofs_lookup_many(nullptr, 1, key_, one_, &none_, &none_, out, out_.size(), &len_, &end_),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_lookup_many(proofs, 1, key_, one_, &none_, &none_, out, 1, &len_, &end_), OPTIKS_E_BUFFER);
  EXPECT_EQ(optiks_proofs_lookup_many(proofs, 1, key_, one_, &none_, &none_, out, out_.size(), &len_, &end_),
            OPTIKS_OK);
  EXPECT_EQ(optiks_proofs_versions(nullptr, key_, 1, 1, 1, 1000, out, out_.size(), &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_versions(proofs, key_, 1, 1, 1, 1000, out, 1, &len_), OPTIKS_E_BUFFER);
  EXPECT_EQ(optiks_proofs_versions(proofs, key_, 1, 1, 1, 1000, out, out_.size(), &len_), OPTIKS_OK);
  optiks_proofs_destroy(proofs);
  optiks_proofs_destroy(nullptr);
}

TEST_F(CApi, AppendMerge) {
  const Bytes empty(32, 0);  // the four AppendProof structures of an epoch without leaves
  const std::uint64_t offsets[] = {0, 32};
  const std::uint64_t counts[] = {0, 0, 0, 0};
  const auto call = [&](std::size_t n, const std::uint8_t* proofs, const std::uint64_t* at, const std::uint64_t* of,
                        std::size_t* len) {
    return optiks_append_merge(n, proofs, at, of, out_.data(), out_.size(), len);
  };
  EXPECT_EQ(call(0, empty.data(), offsets, counts, &len_), OPTIKS_E_ARGUMENT);
  const std::vector<std::uint64_t> many(258, 0);
  EXPECT_EQ(call(257, empty.data(), many.data(), counts, &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(1, nullptr, offsets, counts, &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(1, empty.data(), nullptr, counts, &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(1, empty.data(), offsets, nullptr, &len_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(call(1, empty.data(), offsets, counts, nullptr), OPTIKS_E_ARGUMENT);
  const std::uint64_t cut[] = {0, 31};
  EXPECT_EQ(call(1, empty.data(), cut, counts, &len_), OPTIKS_E_DATA);
  EXPECT_EQ(call(1, empty.data(), offsets, counts, &len_), OPTIKS_OK);
  EXPECT_EQ(len_, 32U);
}

TEST_F(CApi, HashesAndKeys) {
  std::uint8_t* out = out_.data();
  std::uint8_t* more = out_.data() + 128;
  const std::array<std::uint8_t, 32> secret = {1, 2, 3};
  EXPECT_EQ(optiks_hash(3, nullptr, 1, out), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_hash(3, nullptr, 0, nullptr), OPTIKS_E_ARGUMENT);
  ASSERT_EQ(optiks_hash(3, nullptr, 0, out), OPTIKS_OK);
  const Hash empty = verify::empty_root();
  EXPECT_TRUE(std::equal(empty.begin(), empty.end(), out));
  EXPECT_EQ(optiks_vrf_generate(nullptr, more), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_vrf_generate(out, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_vrf_public(nullptr, out), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_vrf_public(secret.data(), nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_vrf_validate(nullptr), OPTIKS_E_ARGUMENT);
  ASSERT_EQ(optiks_vrf_generate(out, more), OPTIKS_OK);
  EXPECT_EQ(optiks_vrf_validate(more), OPTIKS_OK);
  more[31] ^= 0x40;
  EXPECT_EQ(optiks_vrf_validate(more), OPTIKS_E_KEY);
  const std::array<std::uint8_t, 32> zero{};
  EXPECT_EQ(optiks_vrf_public(zero.data(), out), OPTIKS_E_KEY);

  std::array<std::uint8_t, 32> public_key{};
  std::array<std::uint8_t, 32> label{};
  std::array<std::uint8_t, 32> proven{};
  std::array<std::uint8_t, OPTIKS_VRF_PROOF_LEN> proof{};
  ASSERT_EQ(optiks_vrf_public(secret.data(), public_key.data()), OPTIKS_OK);
  vrf::prove(vrf::SecretKey::load(secret).value(), key_, label, proof);
  const auto verify = [&](const std::uint8_t* pk, const std::uint8_t* alpha, const std::uint8_t* pi,
                          std::int32_t* reason,
                          std::uint8_t* out_label) { return optiks_vrf_verify(pk, alpha, 1, pi, reason, out_label); };
  EXPECT_EQ(verify(nullptr, key_, proof.data(), &reason_, proven.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(verify(public_key.data(), nullptr, proof.data(), &reason_, proven.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(verify(public_key.data(), key_, nullptr, &reason_, proven.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(verify(public_key.data(), key_, proof.data(), nullptr, proven.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(verify(public_key.data(), key_, proof.data(), &reason_, nullptr), OPTIKS_E_ARGUMENT);
  ASSERT_EQ(verify(public_key.data(), key_, proof.data(), &reason_, proven.data()), OPTIKS_OK);
  EXPECT_EQ(reason_, 0);
  EXPECT_EQ(proven, label);
  proof[40] ^= 1;
  ASSERT_EQ(verify(public_key.data(), key_, proof.data(), &reason_, proven.data()), OPTIKS_OK);
  EXPECT_EQ(reason_, static_cast<std::int32_t>(verify::Reason::kVrfChallenge));
}

TEST_F(CApi, Ed25519) {
  const std::array<std::uint8_t, 32> seed = {5};
  std::array<std::uint8_t, 32> public_key{};
  std::array<std::uint8_t, 64> signature{};
  std::int32_t ok = 7;
  EXPECT_EQ(optiks_ed25519_public(nullptr, public_key.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_ed25519_public(seed.data(), nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_ed25519_sign(nullptr, key_, 1, signature.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_ed25519_sign(seed.data(), nullptr, 1, signature.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_ed25519_sign(seed.data(), key_, 1, nullptr), OPTIKS_E_ARGUMENT);
  ASSERT_EQ(optiks_ed25519_public(seed.data(), public_key.data()), OPTIKS_OK);
  ASSERT_EQ(optiks_ed25519_sign(seed.data(), key_, 1, signature.data()), OPTIKS_OK);
  EXPECT_EQ(optiks_ed25519_verify(nullptr, key_, 1, signature.data(), &ok), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_ed25519_verify(public_key.data(), nullptr, 1, signature.data(), &ok), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_ed25519_verify(public_key.data(), key_, 1, nullptr, &ok), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_ed25519_verify(public_key.data(), key_, 1, signature.data(), nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(ok, 7);
  ASSERT_EQ(optiks_ed25519_verify(public_key.data(), key_, 1, signature.data(), &ok), OPTIKS_OK);
  EXPECT_EQ(ok, 1);
  signature[3] ^= 1;
  ASSERT_EQ(optiks_ed25519_verify(public_key.data(), key_, 1, signature.data(), &ok), OPTIKS_OK);
  EXPECT_EQ(ok, 0);
}

TEST_F(CApi, ReasonNamesAndErrors) {
  char name[64] = {};
  EXPECT_EQ(optiks_reason_name(9999, name, sizeof(name), &len_), OPTIKS_E_ARGUMENT);
  EXPECT_NE(last_error(), "");
  EXPECT_EQ(optiks_reason_name(0, name, sizeof(name), nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_reason_name(0, nullptr, 0, &len_), OPTIKS_E_BUFFER);
  ASSERT_EQ(optiks_reason_name(0, name, sizeof(name), &len_), OPTIKS_OK);
  EXPECT_EQ(std::string(name, len_), "valid");
  EXPECT_EQ(last_error(), "");
  optiks_last_error(nullptr, 0);
  optiks_zeroize(nullptr, 0);
  std::array<std::uint8_t, 16> secret;
  secret.fill(1);
  optiks_zeroize(secret.data(), secret.size());
  EXPECT_EQ(std::count(secret.begin(), secret.end(), 0), 16);
}

// The tests in ozks/verify/tests judge whole answers; this test only passes arguments that no correct caller passes.
TEST_F(CApi, VerifierArguments) {
  optiks_context_t context{};
  optiks_head_result_t head{};
  optiks_known_t known{};
  optiks_lookup_result_t result{};
  optiks_versions_result_t versions{};
  optiks_version_entry_t entry{};
  std::size_t failed = 0;
  const Bytes octets(OPTIKS_RECORD_LEN);
  EXPECT_EQ(optiks_verify_anchor(nullptr, &reason_, out_.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_anchor(&context.anchor, nullptr, out_.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_head(nullptr, octets.data(), 1, &reason_, &head), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_head(&context, nullptr, 1, &reason_, &head), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_head(&context, octets.data(), 1, nullptr, &head), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_lookup(nullptr, 1, key_, one_, &known, octets.data(), 1, &reason_, &failed, &head, &result),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(
      optiks_verify_lookup(&context, 1, key_, nullptr, &known, octets.data(), 1, &reason_, &failed, &head, &result),
      OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_lookup(&context, 1, key_, one_, &known, nullptr, 1, &reason_, &failed, &head, &result),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_versions(nullptr, 1, key_, one_, &known, octets.data(), 1, &reason_, &failed, &head,
                                   &versions, &entry, 1, &len_),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_versions(&context, 1, key_, one_, &known, nullptr, 1, &reason_, &failed, &head, &versions,
                                   &entry, 1, &len_),
            OPTIKS_E_ARGUMENT);
  std::uint32_t structures = 0;
  EXPECT_EQ(
      optiks_verify_audit(nullptr, octets.data(), octets.data(), octets.data(), 1, &reason_, out_.data(), &structures),
      OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_audit(&context, nullptr, octets.data(), octets.data(), 1, &reason_, out_.data(), &structures),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_audit(&context, octets.data(), nullptr, octets.data(), 1, &reason_, out_.data(), &structures),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(
      optiks_verify_audit(&context, octets.data(), octets.data(), octets.data(), 1, &reason_, out_.data(), nullptr),
      OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_record(nullptr, octets.data(), nullptr, nullptr, &reason_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_record(&context.anchor, nullptr, nullptr, nullptr, &reason_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_record(&context.anchor, octets.data(), nullptr, octets.data(), &reason_), OPTIKS_E_ARGUMENT);
  // The calls refuse two kinds of known states. All calls refuse a state with a version but with neither has_absent nor
  // page_version. Lookups also refuse a state with page_version.
  known.version = 2;
  EXPECT_EQ(optiks_verify_versions(&context, 1, key_, one_, &known, octets.data(), 1, &reason_, &failed, &head,
                                   &versions, &entry, 1, &len_),
            OPTIKS_E_ARGUMENT);
  known.page_version = 3;
  EXPECT_EQ(optiks_verify_versions(&context, 1, key_, one_, &known, octets.data(), 1, &reason_, &failed, &head,
                                   &versions, &entry, 1, &len_),
            OPTIKS_OK);
  EXPECT_EQ(optiks_verify_lookup(&context, 1, key_, one_, &known, octets.data(), 1, &reason_, &failed, &head, &result),
            OPTIKS_E_ARGUMENT);
  known.page_version = 0;
  known.has_absent = 1;
  EXPECT_EQ(optiks_verify_lookup(&context, 1, key_, one_, &known, octets.data(), 1, &reason_, &failed, &head, &result),
            OPTIKS_OK);
  EXPECT_EQ(optiks_judge_leaves(nullptr, octets.data(), 1, octets.data(), 1, &reason_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_judge_leaves(&context.anchor, nullptr, 1, octets.data(), 1, &reason_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_judge_leaves(&context.anchor, octets.data(), 1, nullptr, 1, &reason_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_judge_leaves(&context.anchor, octets.data(), 1, octets.data(), 1, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_checkpoint(nullptr, octets.data(), 1, &reason_, &epoch_, out_.data()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_inclusion(0, 1, nullptr, octets.data(), nullptr, 0, &reason_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_consistency(1, 1, nullptr, octets.data(), nullptr, 0, &reason_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_verify_inclusion(0, 1, octets.data(), octets.data(), nullptr, 0, &reason_), OPTIKS_OK);
  EXPECT_EQ(reason_, 1);
  EXPECT_EQ(optiks_verify_consistency(1, 1, octets.data(), octets.data(), nullptr, 0, &reason_), OPTIKS_OK);
  EXPECT_EQ(reason_, 1);
}

}  // namespace
}  // namespace optiks::ozks::test
