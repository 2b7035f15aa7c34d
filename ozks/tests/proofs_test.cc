// Tests VRF proofs that are made together for several answers. The answers must have the same octets as answers that
// are made one by one, with any contents of the cache. Each proof must be made only once.
#include "directory_support.h"

namespace optiks::ozks::test {
namespace {

constexpr std::uint32_t kMaxMembers = 40;

const std::uint8_t* octets(const std::string& text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

class Proofs : public testing::TestWithParam<std::uint64_t> {
 protected:
  Proofs()
      : log_(scratch_file("log")),
        model_log_(scratch_file("model")),
        dir_(create(options_with(log_.c_str(), GetParam()))),
        model_(create(options_with(model_log_.c_str(), 0))) {
    // "a" has more versions than one round proves.
    for (std::uint64_t epoch = 1; epoch <= 50; ++epoch) {
      std::vector<Update> updates{{kKeys, "a", numbered("a ", epoch)}};
      if (epoch % 10 == 0) {
        updates.push_back({kKeys, "b", numbered("b ", epoch)});
      }
      commit(stage(model_.get(), publish(dir_.get(), epoch, updates)));
    }
    for (const char* key : {"a", "b", "nobody"}) {
      keys_.add(key);
    }
  }

  [[nodiscard]] optiks_dir_stats_t stats() const {
    optiks_dir_stats_t out{};
    EXPECT_EQ(optiks_dir_stats(dir_.get(), &out), OPTIKS_OK);
    return out;
  }

  [[nodiscard]] static ProofsHandle proofs_of(const Seen& seen, bool use_cache = true) {
    optiks_proofs_t* proofs = nullptr;
    EXPECT_EQ(optiks_proofs_create(seen.view(), kKeys, use_cache ? 1 : 0, &proofs), OPTIKS_OK) << last_error();
    return ProofsHandle(proofs);
  }

  void add_all(optiks_proofs_t* proofs) const {
    EXPECT_EQ(
        optiks_proofs_add_lookups(proofs, 3, keys_.octets.data(), keys_.offsets.data(), none_.data(), none_.data()),
        OPTIKS_OK);
    for (const std::string key : {"a", "b", "nobody"}) {
      EXPECT_EQ(optiks_proofs_add_versions(proofs, octets(key), key.size(), 1, kMaxMembers), OPTIKS_OK);
    }
  }

  [[nodiscard]] Bytes lookups(const optiks_proofs_t* proofs) const {
    std::array<std::uint64_t, 3> ends{};
    std::size_t len = 0;
    Bytes out(100'000);
    EXPECT_EQ(optiks_proofs_lookup_many(proofs, 3, keys_.octets.data(), keys_.offsets.data(), none_.data(),
                                        none_.data(), out.data(), out.size(), &len, ends.data()),
              OPTIKS_OK)
        << last_error();
    out.resize(len);
    return out;
  }

  [[nodiscard]] static Bytes versions(const optiks_proofs_t* proofs, const std::string& key, std::size_t max_bytes) {
    std::size_t len = 0;
    Bytes out(100'000);
    EXPECT_EQ(optiks_proofs_versions(proofs, octets(key), key.size(), 1, kMaxMembers, max_bytes, out.data(), out.size(),
                                     &len),
              OPTIKS_OK)
        << last_error();
    out.resize(len);
    return out;
  }

  [[nodiscard]] Bytes expected_lookups(const Seen& seen) const {
    Bytes all;
    for (const Bytes& one : seen.lookups(kKeys, {"a", "b", "nobody"}, std::vector<verify::Known>(3))) {
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

  // Makes the same lookups, but only with cached proofs, and returns the status.
  [[nodiscard]] std::int32_t cached(const Seen& seen, Bytes& out) const {
    std::array<std::uint64_t, 3> ends{};
    std::size_t len = 0;
    out.resize(100'000);
    const std::int32_t status =
        optiks_view_lookup_cached(seen.view(), kKeys, 3, keys_.octets.data(), keys_.offsets.data(), none_.data(),
                                  none_.data(), out.data(), out.size(), &len, ends.data());
    out.resize(len);
    return status;
  }

  std::string log_;
  std::string model_log_;
  DirectoryHandle dir_;
  DirectoryHandle model_;
  Blob keys_;
  std::array<std::uint64_t, 3> none_{};
};

TEST_P(Proofs, GiveTheSameAnswersAndAreMadeOnce) {
  const Seen seen(dir_.get());
  const Seen model(model_.get());
  const ProofsHandle proofs = proofs_of(seen);
  add_all(proofs.get());
  EXPECT_EQ(stats().vrf_cache_misses, 0U);
  ASSERT_EQ(optiks_proofs_run(proofs.get()), OPTIKS_OK);
  const std::uint64_t made = stats().vrf_cache_misses;
  EXPECT_GT(made, 40U);
  EXPECT_EQ(lookups(proofs.get()), expected_lookups(model));
  for (const std::string key : {"b", "nobody"}) {
    EXPECT_EQ(versions(proofs.get(), key, SIZE_MAX), model.versions(kKeys, key, 1, kMaxMembers));
    EXPECT_EQ(versions(proofs.get(), key, 500), model.versions(kKeys, key, 1, kMaxMembers, 500));
  }
  EXPECT_EQ(versions(proofs.get(), "a", 500), model.versions(kKeys, "a", 1, kMaxMembers, 500));
  // All proofs that these answers needed were already made, so no further proof was made.
  EXPECT_EQ(stats().vrf_cache_misses, made);
  // This answer needs a second round of proofs, which were not added to the batch, so the call makes them.
  EXPECT_EQ(versions(proofs.get(), "a", SIZE_MAX), model.versions(kKeys, "a", 1, kMaxMembers));
  EXPECT_EQ(stats().vrf_cache_misses, made + kMaxMembers - 32);
}

TEST_P(Proofs, OfABatchThatDidNotRunAreMadeByTheAnswer) {
  const Seen seen(dir_.get());
  const Seen model(model_.get());
  const ProofsHandle proofs = proofs_of(seen);
  EXPECT_EQ(lookups(proofs.get()), expected_lookups(model));
  add_all(proofs.get());
  EXPECT_EQ(lookups(proofs.get()), expected_lookups(model));
}

TEST_P(Proofs, ThatAreNotCachedAreNotMadeUnasked) {
  const Seen seen(dir_.get());
  Bytes out;
  EXPECT_EQ(cached(seen, out), OPTIKS_E_UNPROVEN);
  EXPECT_EQ(stats().vrf_cache_misses + stats().vrf_cache_hits, 0U);
  const Bytes expected = expected_lookups(seen);
  const std::uint64_t made = stats().vrf_cache_misses;
  const std::uint64_t hits = stats().vrf_cache_hits;
  if (GetParam() == 0) {
    EXPECT_EQ(cached(seen, out), OPTIKS_E_UNPROVEN);
    return;
  }
  ASSERT_EQ(cached(seen, out), OPTIKS_OK) << last_error();
  EXPECT_EQ(out, expected);
  EXPECT_EQ(stats().vrf_cache_misses, made);
  EXPECT_EQ(stats().vrf_cache_hits, hits + made);
}

// Tests that a batch without the cache makes all its proofs and caches none. So the time of a request reveals nothing
// about earlier requests, and affects no later request.
TEST_P(Proofs, WithoutTheCacheAreMadeEachTimeAndLeaveNoTrace) {
  const Seen seen(dir_.get());
  const Seen model(model_.get());
  Bytes out;
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t made = stats().vrf_cache_misses;
    const ProofsHandle proofs = proofs_of(seen, false);
    add_all(proofs.get());
    ASSERT_EQ(optiks_proofs_run(proofs.get()), OPTIKS_OK);
    EXPECT_EQ(lookups(proofs.get()), expected_lookups(model));
    // The call for the answer makes the second round of proofs itself.
    EXPECT_EQ(versions(proofs.get(), "a", SIZE_MAX), model.versions(kKeys, "a", 1, kMaxMembers));
    EXPECT_GT(stats().vrf_cache_misses, made + 40);
    EXPECT_EQ(stats().vrf_cache_hits, 0U);
    EXPECT_EQ(cached(seen, out), OPTIKS_E_UNPROVEN);
  }
  // Now another batch fills the cache with the proofs of the same questions. A batch without the cache must still make
  // its own proofs.
  static_cast<void>(expected_lookups(seen));
  EXPECT_EQ(cached(seen, out), GetParam() == 0 ? OPTIKS_E_UNPROVEN : OPTIKS_OK);
  const optiks_dir_stats_t before = stats();
  const ProofsHandle proofs = proofs_of(seen, false);
  add_all(proofs.get());
  ASSERT_EQ(optiks_proofs_run(proofs.get()), OPTIKS_OK);
  EXPECT_EQ(lookups(proofs.get()), expected_lookups(model));
  EXPECT_EQ(stats().vrf_cache_hits, before.vrf_cache_hits);
  EXPECT_GT(stats().vrf_cache_misses, before.vrf_cache_misses + 40);
}

// The tests run without a cache, and with a cache that has room for all proofs.
INSTANTIATE_TEST_SUITE_P(Caches, Proofs, testing::Values(0, 1 << 20));

}  // namespace
}  // namespace optiks::ozks::test
