// Tests contract rule 3 of optiks.h: if memory runs out, a call returns a status and leaves all handles as they were.
// The tests let each allocation of a call fail once.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <utility>

#include "copies_support.h"
#include "directory_support.h"

namespace {

// The number of allocations of this thread that still succeed.
thread_local std::uint64_t left = UINT64_MAX;

// The number of allocations that were not freed yet.
std::atomic<std::int64_t> num_live = 0;

bool take_one() {
  if (left == 0) {
    return false;
  }
  left -= left == UINT64_MAX ? 0 : 1;
  return true;
}

void* allocate(std::size_t size) {
  if (!take_one()) {
    throw std::bad_alloc();
  }
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  ++num_live;
  return memory;
}

void release(void* memory) {
  num_live -= memory == nullptr ? 0 : 1;
  std::free(memory);
}

void* allocate_aligned(std::size_t size, std::size_t alignment) {
  if (!take_one()) {
    throw std::bad_alloc();
  }
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  ++num_live;
  return memory;
}

}  // namespace

// Replaces mmap, with which util/memory_pages.h allocates large tables. malloc does not call this function.
// ThreadSanitizer needs its own mmap, so the function is left out.
#ifndef __SANITIZE_THREAD__
extern "C" void* mmap(void* at, std::size_t len, int protection, int flags, int file, off_t offset) noexcept {
  if (!take_one()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel returns an address as a number.
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, len, protection, flags, file, offset));
}
#endif

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_aligned(size, static_cast<std::size_t>(alignment));
}
// The operators are not inlined. Otherwise GCC may see the free() of a delete operator but not the malloc() of the new
// operator, as with ThreadSanitizer, and it warns of a mismatch.
[[gnu::noinline]] void operator delete(void* memory) noexcept { release(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { release(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace optiks::ozks::test {
namespace {

// Runs the call again and again, and allows it 0, 1, 2, ... allocations until it succeeds. After each failure
// `unchanged` checks that the handles are unchanged. Returns the number of failures.
template <typename Call, typename Unchanged>
std::uint64_t until_enough(Call call, Unchanged unchanged) {
  for (std::uint64_t allocations = 0;; ++allocations) {
    left = allocations;
    const std::int32_t status = call();
    left = UINT64_MAX;
    if (status == OPTIKS_OK) {
      return allocations;
    }
    EXPECT_EQ(status, OPTIKS_E_MEMORY) << allocations << ": " << last_error();
    unchanged();
    if (allocations == 100'000) {
      ADD_FAILURE() << "the call never succeeds";
      return allocations;
    }
  }
}

std::vector<Update> updates_of(std::uint64_t epoch) {
  std::vector<Update> updates;
  // The key table must grow for this number of keys. In later epochs some of the keys get a second version.
  for (std::uint64_t i = 0; i < 400; ++i) {
    updates.push_back({kKeys, key_name(epoch * 300 + i), numbered("value ", epoch)});
  }
  return updates;
}

// Tests that a failed call frees all memory that it allocated.
TEST(Memory, FailedCallsOfTheVrfKeepNothing) {
  std::array<std::uint8_t, 32> secret{};
  secret[0] = 1;
  std::array<std::uint8_t, 32> public_key{};
  ASSERT_EQ(optiks_vrf_public(secret.data(), public_key.data()), OPTIKS_OK);
  static_cast<void>(last_error());
  std::int64_t before = num_live;
  const auto expect_as_before = [&] { EXPECT_EQ(num_live, before); };
  EXPECT_GT(until_enough([&] { return optiks_vrf_validate(public_key.data()); }, expect_as_before), 1U);
  expect_as_before();
  std::array<std::uint8_t, 32> label{};
  std::array<std::uint8_t, OPTIKS_VRF_PROOF_LEN> proof{};
  {
    const vrf::SecretKey key = vrf::SecretKey::load(secret).value();
    vrf::prove(key, secret, label, proof);
  }
  std::int32_t reason = -1;
  EXPECT_GT(
      until_enough(
          [&] { return optiks_vrf_verify(public_key.data(), secret.data(), 32, proof.data(), &reason, label.data()); },
          expect_as_before),
      1U);
  EXPECT_EQ(reason, 0);
}

TEST(Memory, CreateFailsCleanly) {
  const std::string log = scratch_file("log");
  const optiks_dir_options_t options = options_with(log.c_str());
  optiks_dir_t* dir = nullptr;
  EXPECT_GT(until_enough([&] { return optiks_dir_create(&options, &dir); }, [&] { EXPECT_EQ(dir, nullptr); }), 5U);
  optiks_dir_destroy(dir);
}

TEST(Memory, EpochsLandAsIfNothingHadHappened) {
  const std::string log = scratch_file("log");
  const std::string other_log = scratch_file("other");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  const DirectoryHandle other = create(options_with(other_log.c_str()));
  std::uint64_t failures = 0;
  for (std::uint64_t epoch = 1; epoch <= 4; ++epoch) {
    const StoredEpoch next = prepare(dir.get(), epoch, updates_of(epoch));
    const States before = states_of(dir.get());
    const auto unchanged = [&] { EXPECT_EQ(states_of(dir.get()), before); };
    optiks_staged_t* staged = nullptr;
    failures += until_enough(
        [&] {
          return optiks_dir_stage(dir.get(), epoch, next.rows.data(), next.rows.size(), next.values.data(),
                                  next.values.size(), 1, &staged);
        },
        [&] {
          EXPECT_EQ(staged, nullptr);
          unchanged();
        });
    // Pins the current epoch. So states and superseded nodes accumulate, and their lists must grow.
    const Seen seen(dir.get());
    failures += until_enough([&] { return optiks_staged_commit(staged); }, unchanged);
    commit(stage(other.get(), next));
    EXPECT_EQ(states_of(dir.get()), states_of(other.get()));
  }
  EXPECT_GT(failures, 40U);
  const Seen seen(dir.get());
  const Seen expected(other.get());
  for (std::uint64_t i = 300; i < 1600; i += 61) {
    EXPECT_EQ(seen.lookup(kKeys, key_name(i)), expected.lookup(kKeys, key_name(i)));
  }
}

TEST(Memory, SnapshotsOnDisk) {
  const std::string log = scratch_file("log");
  const std::string file = scratch_file("snapshot");
  const optiks_dir_options_t options = options_with(log.c_str());
  DirectoryHandle dir = create(options);
  publish(dir.get(), 1, updates_of(1));
  publish(dir.get(), 2, updates_of(2));
  const States before = states_of(dir.get());
  {
    const Seen seen(dir.get());
    EXPECT_GT(until_enough([&] { return optiks_view_save(seen.view(), file.c_str()); }, [] {}), 3U);
  }
  dir.reset();
  optiks_dir_t* restored = nullptr;
  EXPECT_GT(until_enough([&] { return optiks_dir_restore(&options, file.c_str(), &restored); },
                         [&] { EXPECT_EQ(restored, nullptr); }),
            20U);
  dir.reset(restored);
  EXPECT_EQ(states_of(dir.get()), before);
}

// After a failed load the test starts again with a new directory.
TEST(Memory, LoadsIntoANodeStore) {
  const std::string log = scratch_file("log");
  const std::string nodes = scratch_file("nodes");
  optiks_dir_options_t options = options_with(log.c_str());
  const DirectoryHandle source = create(options_with(nullptr));
  const StoredEpoch first = publish(source.get(), 1, updates_of(1));
  options.node_store_path = nodes.c_str();
  DirectoryHandle dir;
  const auto load = [&] {
    const std::uint64_t allocations = std::exchange(left, UINT64_MAX);
    dir.reset();
    std::filesystem::remove_all(nodes);
    dir = create(options);
    left = allocations;
    const std::int32_t status =
        optiks_dir_load(dir.get(), 1, first.rows.data(), first.rows.size(), first.values.data(), first.values.size());
    return status == OPTIKS_OK ? optiks_dir_load_end(dir.get()) : status;
  };
  EXPECT_GT(until_enough(load, [] {}), 40U);
  EXPECT_EQ(states_of(dir.get()), states_of(source.get()));
}

TEST(Memory, CopiesAreTakenAsIfNothingHadHappened) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(next_options(log.c_str()));
  const DirectoryHandle other = create(next_options(nullptr));
  std::uint64_t failures = 0;
  for (std::uint64_t round = 1; round <= 3; ++round) {
    std::vector<Copy> copies;
    for (std::uint64_t i = 0; i < 300; ++i) {
      // Some rows replace or remove copies of the previous round.
      const bool is_drop = round > 1 && i % 7 == 0;
      copies.push_back(
          {kKeys, key_name(round * 200 + i), is_drop ? 0 : round, is_drop ? "" : numbered("value ", round)});
    }
    const StoredEpoch next = prepare_copies(dir.get(), copies);
    const States before = states_of(dir.get());
    failures +=
        until_enough([&] { return load_copies(dir.get(), next); }, [&] { EXPECT_EQ(states_of(dir.get()), before); });
    ASSERT_EQ(load_copies(other.get(), next), OPTIKS_OK);
    EXPECT_EQ(states_of(dir.get()), states_of(other.get()));
    EXPECT_EQ(optiks_dir_check(dir.get()), OPTIKS_OK) << last_error();
  }
  optiks_staged_t* staged = nullptr;
  failures += until_enough([&] { return optiks_dir_start_period(dir.get(), 1, nullptr, 0, nullptr, 0, 1, &staged); },
                           [&] { EXPECT_EQ(staged, nullptr); });
  failures += until_enough([&] { return optiks_staged_commit(staged); }, [] {});
  EXPECT_GT(failures, 40U);
  EXPECT_EQ(Seen(dir.get()).value(kKeys, key_name(201)), "value 1");
  EXPECT_EQ(Seen(dir.get()).value(kKeys, key_name(401)), "value 2");
  EXPECT_EQ(Seen(dir.get()).value(kKeys, key_name(400)), "");
}

TEST(Memory, AnswersAndMerges) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  const StoredEpoch next = prepare(dir.get(), 1, updates_of(1));
  auto staged = stage(dir.get(), next);
  const Bytes proofs = staged_proofs(staged.get());
  commit(std::move(staged));
  const Seen seen(dir.get());
  const std::string key = key_name(301);
  const auto* octets = reinterpret_cast<const std::uint8_t*>(key.data());
  const std::uint64_t offsets[] = {0, key.size()};
  const std::uint64_t none = 0;
  std::uint64_t end = 0;
  std::size_t len = 0;
  Bytes out(10'000);
  const auto nothing = [] {};
  const auto look_up = [&] {
    return write_lookups(seen.view(), kKeys, 1, octets, offsets, &none, &none, out.data(), out.size(), &len, &end);
  };
  EXPECT_GT(until_enough(look_up, nothing), 3U);
  out.resize(len);
  EXPECT_EQ(out, seen.lookup(kKeys, key));
  out.resize(10'000);
  // The key's proofs are cached now, so a lookup with cached proofs must succeed without an allocation.
  const auto look_up_cached = [&] {
    return optiks_view_lookup_cached(seen.view(), kKeys, 1, octets, offsets, &none, &none, out.data(), out.size(), &len,
                                     &end);
  };
  EXPECT_EQ(until_enough(look_up_cached, nothing), 0U);
  EXPECT_GT(until_enough(
                [&] {
                  return write_versions(seen.view(), kKeys, octets, key.size(), 1, 10, 5000, out.data(), out.size(),
                                        &len);
                },
                nothing),
            1U);
  optiks_view_t* view = nullptr;
  EXPECT_EQ(until_enough([&] { return optiks_dir_view(dir.get(), &view); }, nothing), 1U);
  optiks_view_destroy(view);
  const std::uint64_t proof_offsets[] = {0, proofs.size()};
  const std::uint64_t counts[] = {0, 0, 0, 0};
  out.resize(proofs.size());
  EXPECT_GT(
      until_enough(
          [&] { return optiks_append_merge(1, proofs.data(), proof_offsets, counts, out.data(), out.size(), &len); },
          nothing),
      3U);
  EXPECT_EQ(out, proofs);
  EXPECT_GT(until_enough(
                [&] {
                  return optiks_dir_precompute_labels(dir.get(), 1, std::array<std::uint8_t, 1>{kKeys}.data(), octets,
                                                      offsets);
                },
                nothing),
            3U);
  std::vector<optiks_leaf_t> rows(1);
  EXPECT_GT(until_enough(
                [&] {
                  return optiks_dir_prepare(dir.get(), 2, 1, std::array<std::uint8_t, 1>{kKeys}.data(), octets, offsets,
                                            octets, offsets, rows.data());
                },
                nothing),
            3U);
  EXPECT_EQ(rows[0].version, 2U);
}

}  // namespace
}  // namespace optiks::ozks::test
