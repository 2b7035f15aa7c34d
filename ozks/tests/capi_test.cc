// Tests the C ABI's contract about buffers and about arguments that a correct caller never passes. Each test has tables
// of bad arguments, with the status that the call returns. After the tables it makes the call with good arguments.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "call.h"
#include "directory_support.h"
#include "optiks/vrf/ecvrf.h"

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
  [[nodiscard]] std::uint8_t* out() { return out_.data(); }

  DirectoryHandle dir_;
  optiks_view_t* view_ = nullptr;
  const std::uint8_t structure_ = kKeys;
  const std::uint8_t no_structure_[2] = {0, 5};
  const std::uint8_t key_[1] = {'k'};
  const Bytes long_key_ = Bytes(256, 'k');
  const std::uint64_t one_[2] = {0, 1};
  const std::uint64_t from_one_[2] = {1, 1};    // offsets that do not begin with 0
  const std::uint64_t empty_[2] = {0, 0};       // offsets of a key without octets
  const std::uint64_t longest_[2] = {0, 255};   // offsets of the longest key
  const std::uint64_t too_long_[2] = {0, 256};  // offsets of a key that is too long
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
  const Call create("create", optiks_dir_create, &options, &made);
  create.needs(kArg<0>, kArg<1>);
  const auto expect_with = [&](auto member, auto bad, std::int32_t status) {
    const auto good = std::exchange(options.*member, bad);
    EXPECT_EQ(create(), status);
    options.*member = good;
  };
  expect_with(&optiks_dir_options_t::kept_values, 3U, OPTIKS_E_ARGUMENT);
  expect_with(&optiks_dir_options_t::threads, 257U, OPTIKS_E_ARGUMENT);
  expect_with(&optiks_dir_options_t::username_reuse, 2U, OPTIKS_E_ARGUMENT);
  expect_with(&optiks_dir_options_t::max_value_len, (1U << 20) + 1, OPTIKS_E_ARGUMENT);
  expect_with(&optiks_dir_options_t::node_store_path, "store", OPTIKS_E_ARGUMENT);
  // For each structure, tests a secret that is not less than the group's order, and the secret 0.
  for (auto& secret : options.vrf_secret) {
    const std::uint8_t first = secret[0];
    secret[31] = 0xff;
    EXPECT_EQ(create(), OPTIKS_E_KEY);
    secret[31] = 0;
    secret[20] = 0;
    secret[0] = 0;
    EXPECT_EQ(create(), OPTIKS_E_KEY);
    secret[0] = first;
  }
  EXPECT_EQ(made, nullptr);
  options.threads = 256;
  options.max_value_len = 1U << 20;
  ASSERT_EQ(create(), OPTIKS_OK);
  optiks_dir_destroy(made);
}

TEST_F(CApi, Restore) {
  const std::string log = scratch_file("log");
  const std::string snapshot = scratch_file("snapshot");
  const Call save("save", optiks_view_save, view_, snapshot.c_str());
  save.needs(kArg<0>, kArg<1>);
  ASSERT_EQ(save(), OPTIKS_OK);
  dir_.reset();
  const optiks_dir_options_t options = options_with(log.c_str());
  const optiks_dir_options_t without_log = options_with(nullptr);
  optiks_dir_t* made = nullptr;
  const Call restore("restore", optiks_dir_restore, &options, snapshot.c_str(), &made);
  restore.needs(kArg<0>, kArg<1>, kArg<2>);
  restore.refuses({{kArg<0>, &without_log}});
  ASSERT_EQ(restore(), OPTIKS_OK) << last_error();
  const Call check("check", optiks_dir_check, made);
  check.needs(kArg<0>);
  EXPECT_EQ(check(), OPTIKS_OK);
  optiks_dir_destroy(made);
}

TEST_F(CApi, KeysOfBatches) {
  const std::uint64_t falling[] = {0, 1, 0};
  const std::uint8_t two_keys[] = {'k', 'l'};
  const std::uint64_t two[] = {0, 1, 2};
  const std::uint8_t structures[] = {kKeys, kKeys};
  const std::uint8_t wrong_second[] = {kKeys, 5};
  std::uint64_t versions[2] = {7, 7};
  Call call("versions", optiks_dir_versions, dir(), 2, structures, two_keys, two, versions);
  call.needs(kArg<0>, kArg<2>, kArg<3>, kArg<4>, kArg<5>);
  // The second structure is invalid, so nothing is written for the first structure either.
  call.refuses({{kArg<2>, wrong_second}, {kArg<4>, falling}});
  EXPECT_EQ(versions[0], 7U);
  call.set(kArg<1>, 1);
  call.set(kArg<3>, long_key_.data());
  call.refuses({{kArg<2>, &no_structure_[0]},
                {kArg<2>, &no_structure_[1]},
                {kArg<4>, from_one_},
                {kArg<4>, empty_},
                {kArg<4>, too_long_}});
  EXPECT_EQ(versions[0], 7U);
  call.set(kArg<4>, longest_);
  EXPECT_EQ(call(), OPTIKS_OK);
  EXPECT_EQ(versions[0], 0U);
  call.set(kArg<4>, one_);
  EXPECT_EQ(call(), OPTIKS_OK);
  EXPECT_EQ(versions[0], 1U);
  EXPECT_EQ(optiks_dir_versions(dir(), 0, nullptr, nullptr, nullptr, nullptr), OPTIKS_OK);
}

TEST_F(CApi, NewestValues) {
  std::uint8_t kept = 7;
  const Call call("newest_values", optiks_dir_newest_values, dir(), kKeys, 1, key_, one_, out(), out_.size(), &len_,
                  &end_, &kept);
  call.needs(kArg<0>, kArg<3>, kArg<4>, kArg<5>, kArg<7>, kArg<8>, kArg<9>);
  call.refuses({{kArg<1>, 0}, {kArg<1>, 5}, {kArg<4>, empty_}, {kArg<6>, 0, OPTIKS_E_BUFFER}});
  EXPECT_EQ(call(), OPTIKS_OK);
  EXPECT_EQ(kept, 1);
}

TEST_F(CApi, PrecomputeLabels) {
  const Call call("precompute_labels", optiks_dir_precompute_labels, dir(), 1, &structure_, key_, one_);
  call.needs(kArg<0>, kArg<2>, kArg<3>, kArg<4>);
  call.refuses({{kArg<2>, &no_structure_[0]}, {kArg<2>, &no_structure_[1]}, {kArg<4>, empty_}});
  EXPECT_EQ(call(), OPTIKS_OK);
  EXPECT_EQ(optiks_dir_precompute_labels(dir(), 0, nullptr, nullptr, nullptr), OPTIKS_OK);
}

TEST_F(CApi, Prepare) {
  const Bytes value(65'537);
  const std::uint64_t longest[] = {0, 65'536};
  const std::uint64_t too_long[] = {0, 65'537};
  optiks_leaf_t row{};
  row.version = 99;
  Call call("prepare", optiks_dir_prepare, dir(), 2, 1, &structure_, key_, one_, value.data(), longest, &row);
  call.needs(kArg<0>, kArg<3>, kArg<4>, kArg<5>, kArg<6>, kArg<7>, kArg<8>);
  call.refuses({{kArg<1>, 1, OPTIKS_E_STATE},
                {kArg<1>, 3, OPTIKS_E_STATE},
                {kArg<3>, &no_structure_[0]},
                {kArg<3>, &no_structure_[1]},
                {kArg<5>, empty_},
                {kArg<7>, too_long}});
  const std::uint8_t structures[] = {kKeys, kKeys};
  const std::uint8_t same[] = {'k', 'k'};
  const std::uint64_t two[] = {0, 1, 2};
  optiks_leaf_t rows[2];
  EXPECT_EQ(optiks_dir_prepare(dir(), 2, 2, structures, same, two, same, two, rows), OPTIKS_E_DUPLICATE);
  EXPECT_EQ(row.version, 99U);
  EXPECT_EQ(call(), OPTIKS_OK);
  EXPECT_EQ(row.version, 2U);
}

TEST_F(CApi, LoadStageAndCommit) {
  const StoredEpoch next = prepare(dir(), 2, {{kKeys, "k", "w"}});
  optiks_staged_t* staged = nullptr;
  Call stage("stage", optiks_dir_stage, dir(), 2, next.rows.data(), 1, next.values.data(), 1, 0, &staged);
  stage.needs(kArg<0>, kArg<2>, kArg<4>, kArg<7>);
  const Call load("load", optiks_dir_load, dir(), 2, next.rows.data(), 1, next.values.data(), 1);
  load.needs(kArg<0>, kArg<2>, kArg<4>);
  EXPECT_EQ(optiks_dir_load(dir(), 0, nullptr, 0, nullptr, 0), OPTIKS_E_STATE);
  EXPECT_EQ(optiks_dir_load_end(nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(staged, nullptr);
  ASSERT_EQ(stage(), OPTIKS_OK);
  EXPECT_EQ(load(), OPTIKS_E_STATE);
  const Call states("staged_states", optiks_staged_states, staged, out());
  states.needs(kArg<0>, kArg<1>);
  EXPECT_EQ(states(), OPTIKS_OK);
  EXPECT_EQ(optiks_staged_append_proofs(staged, out(), out_.size(), &len_), OPTIKS_E_STATE);
  optiks_staged_destroy(staged);
  stage.set(kArg<6>, 1);
  ASSERT_EQ(stage(), OPTIKS_OK);
  const Call proofs("append_proofs", optiks_staged_append_proofs, staged, out(), out_.size(), &len_);
  proofs.needs(kArg<0>, kArg<1>, kArg<3>);
  EXPECT_EQ(proofs(), OPTIKS_OK);
  out_.fill(0xaa);
  proofs.refuses({{kArg<2>, len_ - 1, OPTIKS_E_BUFFER}});
  EXPECT_EQ(out_[0], 0xaa);
  const Call commit("commit", optiks_staged_commit, staged);
  commit.needs(kArg<0>);
  EXPECT_EQ(commit(), OPTIKS_OK);
}

TEST_F(CApi, ErasureAndLeaves) {
  // Two versions fit, because a call below asks for a second version, which the key does not have.
  std::array<std::uint8_t, std::size_t{2} * OPTIKS_VRF_LABEL_LEN> label{};
  std::array<std::uint64_t, 2> epochs{};
  const Call leaves("leaves", optiks_dir_leaves, dir(), kKeys, key_, 1, 1, 1, label.data(), epochs.data());
  leaves.needs(kArg<0>, kArg<2>, kArg<6>, kArg<7>);
  leaves.refuses({{kArg<1>, 0},
                  {kArg<1>, 5},
                  {kArg<3>, 0},
                  {kArg<3>, 256},
                  {kArg<4>, 2, OPTIKS_E_DATA},
                  {kArg<5>, 2, OPTIKS_E_DATA},
                  {kArg<5>, SIZE_MAX}});
  ASSERT_EQ(leaves(), OPTIKS_OK);
  EXPECT_EQ(epochs[0], 1U);
  const Bytes absent(OPTIKS_VRF_LABEL_LEN);
  const Call erase("erase", optiks_dir_erase, dir(), 1, &structure_, label.data(), nullptr);
  erase.needs(kArg<0>, kArg<2>, kArg<3>);
  erase.refuses({{kArg<2>, &no_structure_[0]}, {kArg<2>, &no_structure_[1]}, {kArg<3>, absent.data(), OPTIKS_E_DATA}});
  EXPECT_EQ(erase(), OPTIKS_OK);
}

TEST_F(CApi, StatesAndStats) {
  optiks_dir_stats_t stats{};
  const Call dir_states("dir_states", optiks_dir_states, dir(), &epoch_, out());
  dir_states.needs(kArg<0>, kArg<1>, kArg<2>);
  EXPECT_EQ(dir_states(), OPTIKS_OK);
  const Call dir_stats("dir_stats", optiks_dir_stats, dir(), &stats);
  dir_stats.needs(kArg<0>, kArg<1>);
  EXPECT_EQ(dir_stats(), OPTIKS_OK);
  EXPECT_EQ(stats.leaves, 1U);
  optiks_view_t* other = nullptr;
  const Call take("dir_view", optiks_dir_view, dir(), &other);
  take.needs(kArg<0>, kArg<1>);
  const Call view_states("view_states", optiks_view_states, view_, &epoch_, out());
  view_states.needs(kArg<0>, kArg<1>, kArg<2>);
  EXPECT_EQ(view_states(), OPTIKS_OK);
}

TEST_F(CApi, LookupCached) {
  Call call("lookup_cached", optiks_view_lookup_cached, view_, kKeys, 1, key_, one_, &none_, &none_, out(), out_.size(),
            &len_, &end_);
  EXPECT_EQ(call(), OPTIKS_E_UNPROVEN);
  // This call caches the proofs.
  EXPECT_EQ(write_lookups(view_, kKeys, 1, key_, one_, &none_, &none_, out(), out_.size(), &len_, &end_), OPTIKS_OK);
  call.needs(kArg<0>, kArg<3>, kArg<4>, kArg<5>, kArg<6>, kArg<7>, kArg<9>, kArg<10>);
  call.refuses({{kArg<1>, 0}, {kArg<1>, 1}, {kArg<1>, 4}, {kArg<1>, 5}, {kArg<1>, 255}, {kArg<4>, empty_}});
  ASSERT_EQ(call(), OPTIKS_OK);
  const std::size_t needed = len_;
  EXPECT_EQ(end_, needed);
  // The buffer is too short by at least one octet. The call must return the needed length, and write nothing beyond the
  // capacity.
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{8}, std::size_t{10}, needed / 2, needed - 1}) {
    out_.fill(0xaa);
    len_ = 0;
    call.refuses({{kArg<8>, capacity, OPTIKS_E_BUFFER}});
    EXPECT_EQ(len_, needed);
    EXPECT_EQ(std::count(out_.begin() + static_cast<std::ptrdiff_t>(capacity), out_.end(), 0xaa),
              static_cast<std::ptrdiff_t>(out_.size() - capacity));
  }
  call.set(kArg<8>, needed);
  EXPECT_EQ(call(), OPTIKS_OK);
}

TEST_F(CApi, Proofs) {
  optiks_proofs_t* proofs = nullptr;
  const Call create("create", optiks_proofs_create, view_, kKeys, 1, &proofs);
  create.needs(kArg<0>, kArg<3>);
  create.refuses({{kArg<1>, 0}, {kArg<1>, 1}, {kArg<1>, 4}, {kArg<1>, 5}, {kArg<1>, 255}});
  ASSERT_EQ(create(), OPTIKS_OK);
  const Call add_lookups("add_lookups", optiks_proofs_add_lookups, proofs, 1, key_, one_, &none_, &none_);
  add_lookups.needs(kArg<0>, kArg<2>, kArg<3>, kArg<4>, kArg<5>);
  add_lookups.refuses({{kArg<3>, empty_}});
  EXPECT_EQ(add_lookups(), OPTIKS_OK);
  Call add_versions("add_versions", optiks_proofs_add_versions, proofs, long_key_.data(), 255, 1, 1);
  add_versions.needs(kArg<0>, kArg<1>);
  add_versions.refuses({{kArg<2>, 0}, {kArg<2>, 256}, {kArg<3>, 0}, {kArg<4>, 0}});
  EXPECT_EQ(add_versions(), OPTIKS_OK);
  add_versions.set(kArg<2>, 1);
  EXPECT_EQ(add_versions(), OPTIKS_OK);
  const Call run("run", optiks_proofs_run, proofs);
  run.needs(kArg<0>);
  EXPECT_EQ(run(), OPTIKS_OK);
  const Call lookups("lookup_many", optiks_proofs_lookup_many, proofs, 1, key_, one_, &none_, &none_, out(),
                     out_.size(), &len_, &end_);
  lookups.needs(kArg<0>, kArg<2>, kArg<3>, kArg<4>, kArg<5>, kArg<6>, kArg<8>, kArg<9>);
  lookups.refuses({{kArg<3>, empty_}, {kArg<7>, 1, OPTIKS_E_BUFFER}});
  EXPECT_EQ(lookups(), OPTIKS_OK);
  const Call versions("versions", optiks_proofs_versions, proofs, long_key_.data(), 1, 1, 1, 1000, out(), out_.size(),
                      &len_);
  versions.needs(kArg<0>, kArg<1>, kArg<6>, kArg<8>);
  versions.refuses({{kArg<2>, 0}, {kArg<2>, 256}, {kArg<3>, 0}, {kArg<4>, 0}, {kArg<7>, 1, OPTIKS_E_BUFFER}});
  EXPECT_EQ(versions(), OPTIKS_OK);
  optiks_proofs_destroy(proofs);
  optiks_proofs_destroy(nullptr);
}

TEST_F(CApi, AppendMerge) {
  const Bytes empty(32, 0);  // the four AppendProof structures of an epoch without leaves
  const std::uint64_t offsets[] = {0, 32};
  const std::uint64_t cut[] = {0, 31};
  const std::uint64_t counts[] = {0, 0, 0, 0};
  Call call("append_merge", optiks_append_merge, 1, empty.data(), offsets, counts, out(), out_.size(), &len_);
  call.needs(kArg<1>, kArg<2>, kArg<3>, kArg<4>, kArg<6>);
  call.refuses({{kArg<0>, 0}, {kArg<2>, cut, OPTIKS_E_DATA}, {kArg<5>, 31, OPTIKS_E_BUFFER}});
  EXPECT_EQ(call(), OPTIKS_OK);
  EXPECT_EQ(len_, 32U);
  const std::vector<std::uint64_t> many(258, 0);
  call.set(kArg<2>, many.data());
  call.refuses({{kArg<0>, 257}});
}

TEST_F(CApi, Hash) {
  const Call call("hash", optiks_hash, 3, key_, 1, out());
  call.needs(kArg<1>, kArg<3>);
  EXPECT_EQ(call(), OPTIKS_OK);
  ASSERT_EQ(optiks_hash(3, nullptr, 0, out()), OPTIKS_OK);
  const verify::Hash empty = verify::empty_root();
  EXPECT_TRUE(std::equal(empty.begin(), empty.end(), out()));
}

TEST_F(CApi, VrfKeys) {
  std::array<std::uint8_t, 32> secret{};
  std::array<std::uint8_t, 32> public_key{};
  const std::array<std::uint8_t, 32> zero{};
  const Call generate("generate", optiks_vrf_generate, secret.data(), public_key.data());
  generate.needs(kArg<0>, kArg<1>);
  ASSERT_EQ(generate(), OPTIKS_OK);
  auto invalid = public_key;
  invalid[31] ^= 0x40;
  const Call validate("validate", optiks_vrf_validate, public_key.data());
  validate.needs(kArg<0>);
  validate.refuses({{kArg<0>, invalid.data(), OPTIKS_E_KEY}});
  EXPECT_EQ(validate(), OPTIKS_OK);
  const Call compute("public", optiks_vrf_public, secret.data(), out());
  compute.needs(kArg<0>, kArg<1>);
  compute.refuses({{kArg<0>, zero.data(), OPTIKS_E_KEY}});
  ASSERT_EQ(compute(), OPTIKS_OK);
  EXPECT_TRUE(std::equal(public_key.begin(), public_key.end(), out()));
}

TEST_F(CApi, VrfProofs) {
  const std::array<std::uint8_t, 32> secret = {1, 2, 3};
  const vrf::SecretKey key = vrf::SecretKey::load(secret).value();
  std::array<std::uint8_t, 32> label{};
  std::array<std::uint8_t, 32> proven{};
  std::array<std::uint8_t, OPTIKS_VRF_PROOF_LEN> proof{};
  vrf::prove(key, key_, label, proof);
  const Call call("vrf_verify", optiks_vrf_verify, key.public_key().data(), key_, 1, proof.data(), &reason_,
                  proven.data());
  call.needs(kArg<0>, kArg<1>, kArg<3>, kArg<4>, kArg<5>);
  ASSERT_EQ(call(), OPTIKS_OK);
  EXPECT_EQ(reason_, 0);
  EXPECT_EQ(proven, label);
  proof[40] ^= 1;
  ASSERT_EQ(call(), OPTIKS_OK);
  EXPECT_EQ(reason_, static_cast<std::int32_t>(verify::Reason::kVrfChallenge));
}

TEST_F(CApi, Ed25519) {
  const std::array<std::uint8_t, 32> seed = {5};
  std::array<std::uint8_t, 32> public_key{};
  std::array<std::uint8_t, OPTIKS_SIGNATURE_LEN> signature{};
  std::int32_t ok = 7;
  const Call compute("public", optiks_ed25519_public, seed.data(), public_key.data());
  compute.needs(kArg<0>, kArg<1>);
  ASSERT_EQ(compute(), OPTIKS_OK);
  const Call sign("sign", optiks_ed25519_sign, seed.data(), key_, 1, signature.data());
  sign.needs(kArg<0>, kArg<1>, kArg<3>);
  ASSERT_EQ(sign(), OPTIKS_OK);
  const Call call("verify", optiks_ed25519_verify, public_key.data(), key_, 1, signature.data(), &ok);
  call.needs(kArg<0>, kArg<1>, kArg<3>, kArg<4>);
  EXPECT_EQ(ok, 7);
  ASSERT_EQ(call(), OPTIKS_OK);
  EXPECT_EQ(ok, 1);
  signature[3] ^= 1;
  ASSERT_EQ(call(), OPTIKS_OK);
  EXPECT_EQ(ok, 0);
}

TEST_F(CApi, NamesAndErrors) {
  char name[64] = {};
  const Call call("reason_name", optiks_reason_name, 0, name, sizeof(name), &len_);
  call.needs(kArg<3>);
  call.refuses({{kArg<0>, 9999}, {kArg<2>, 0, OPTIKS_E_BUFFER}});
  EXPECT_NE(last_error(), "");
  ASSERT_EQ(call(), OPTIKS_OK);
  EXPECT_EQ(std::string(name, len_), "valid");
  EXPECT_EQ(last_error(), "");
  const Call kernel("kernel", optiks_kernel, name, sizeof(name), &len_);
  kernel.needs(kArg<2>);
  EXPECT_EQ(kernel(), OPTIKS_OK);
  optiks_last_error(nullptr, 0);
  optiks_zeroize(nullptr, 0);
  std::array<std::uint8_t, 16> secret;
  secret.fill(1);
  optiks_zeroize(secret.data(), secret.size());
  EXPECT_EQ(std::count(secret.begin(), secret.end(), 0), 16);
}

}  // namespace
}  // namespace optiks::ozks::test
