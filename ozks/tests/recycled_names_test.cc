// Tests usernames that lead to one user after another (docs/spec/recycled-names.md): a directory's answers about them,
// and the stored leaves that the directory refuses.
#include <filesystem>

#include "head_support.h"
#include "optiks/ozks/verify/users.h"
#include "saved_support.h"

namespace optiks::ozks::test {
namespace {

using verify::Reason;
using verify::UserKind;
namespace naive = verify::test;

constexpr std::uint64_t kMostEntries = 1U << 20;
constexpr const char* kHasLeft = "\x01";

// Returns a question about one username, with the knowledge that the client claims.
Bytes username_query(const std::string& username, std::uint64_t list_version = 0, bool knows_user = false) {
  const Bytes query = naive::Writer()
                          .vector(naive::to_bytes(username), 1)
                          .vector({}, 1)
                          .integer(knows_user ? 1 : 0, 1)
                          .integer(0, 8)
                          .integer(list_version, 8)
                          .vector({}, 3)
                          .get();
  return naive::Writer().vector(query, 3).get();
}

std::vector<Update> named_user(const std::string& name, const std::string& id) {
  return {{kUsernames, name, id}, {kDevices, id, text_of(device_list({id + " phone"}))}, {kKeys, id + " phone", id}};
}

class RecycledNames : public testing::Test {
 protected:
  RecycledNames() { std::filesystem::remove_all(nodes_); }
  ~RecycledNames() override { std::filesystem::remove_all(nodes_); }

  [[nodiscard]] optiks_dir_options_t options(const std::string& log) const {
    optiks_dir_options_t made = options_with(log.c_str());
    made.username_reuse = 1;
    return made;
  }

  void publish(const std::vector<Update>& updates) {
    ++epoch_;
    stored_.push_back(test::publish(dir_.get(), epoch_, updates));
  }

  // Name "n" belongs to user 1 from epoch 1 until the user leaves in epoch 2, to user 2 from epoch 3 until epoch 4, and
  // to user 3 from epoch 5.
  void three_users() {
    publish(named_user("n", "user 1"));
    publish({{kDecommissioned, "user 1", kHasLeft}});
    publish(named_user("n", "user 2"));
    publish({{kDecommissioned, "user 2", kHasLeft}});
    publish(named_user("n", "user 3"));
  }

  std::int32_t ask(const optiks_dir_t* dir, const Bytes& queries, Bytes& out) {
    const Seen seen(const_cast<optiks_dir_t*>(dir));
    optiks_proofs_t* made = nullptr;
    EXPECT_EQ(optiks_proofs_create(seen.view(), OPTIKS_KEYS, 1, &made), OPTIKS_OK);
    const ProofsHandle proofs(made);
    std::int32_t status = optiks_proofs_add_users(made, queries.data(), queries.size(), kMostEntries);
    if (status == OPTIKS_OK) {
      EXPECT_EQ(optiks_proofs_run(made), OPTIKS_OK);
      std::size_t len = 0;
      out.resize(1U << 20);
      status = optiks_proofs_users(made, queries.data(), queries.size(), kMostEntries, out.data(), out.size(), &len,
                                   &summary_);
      out.resize(status == OPTIKS_OK ? len : 0);
    }
    return status;
  }

  // Returns "3: user 3" for the third user, "3: user 3 left" if this user has left, "0" if the name has no user, or
  // "#<reason>" if the verifier refuses the answer.
  std::string told(const optiks_dir_t* dir, std::uint64_t epoch, const Bytes& queries,
                   const verify::UserState& state = {}, const std::string& name = "n") {
    Bytes body;
    EXPECT_EQ(ask(dir, queries, body), OPTIKS_OK) << last_error();
    Bytes answer = log_.head(dir, epoch);
    answer.insert(answer.end(), body.begin(), body.end());
    verify::UserAnswerVerifier verifier;
    Reason reason = verifier.begin(log_.context(), answer, 1);
    verify::UserResult result;
    if (reason == Reason::kValid) {
      std::vector<verify::DeviceResult> devices(verifier.num_devices());
      reason = verifier.next({as_octets(name), {}}, state, devices, result);
      EXPECT_TRUE(reason != Reason::kValid || result.num_devices == devices.size());
    }
    if (reason == Reason::kValid) {
      reason = verifier.finish();
    }
    if (reason != Reason::kValid) {
      return "#" + std::string(naive::name_of(reason));
    }
    const std::string number = std::to_string(result.generation);
    return result.kind == UserKind::kNone
               ? number
               : number + ": " + text_of(result.user) + (result.kind == UserKind::kLeft ? " left" : "");
  }

  LogOverDirectory log_{1};
  std::string leaf_log_ = scratch_file("log");
  std::string nodes_ = scratch_file("nodes");
  DirectoryHandle dir_ = create(options(leaf_log_));
  std::uint64_t epoch_ = 0;
  std::vector<StoredEpoch> stored_;
  optiks_users_summary_t summary_{};
};

TEST_F(RecycledNames, LeadToEachOfTheirUsersInTurn) {
  const std::vector<std::string> expected = {"1: user 1", "1: user 1 left", "2: user 2", "2: user 2 left", "3: user 3"};
  const std::vector<std::vector<Update>> changes = {named_user("n", "user 1"),
                                                    {{kDecommissioned, "user 1", kHasLeft}},
                                                    named_user("n", "user 2"),
                                                    {{kDecommissioned, "user 2", kHasLeft}},
                                                    named_user("n", "user 3")};
  EXPECT_EQ(told(dir_.get(), 0, username_query("n")), "0");
  for (std::size_t i = 0; i < changes.size(); ++i) {
    publish(changes[i]);
    EXPECT_EQ(told(dir_.get(), epoch_, username_query("n")), expected[i]);
    // The directory ignores what the client claims to know about the user.
    EXPECT_EQ(told(dir_.get(), epoch_, username_query("n", 1, true)), expected[i]);
    EXPECT_EQ(told(dir_.get(), epoch_, username_query("nobody"), {}, "nobody"), "0");
  }
  // The answer counts one entry for all three generations of the name and two for the users who left. It also counts
  // entries for the third user: that it has not left, its list, and its key.
  EXPECT_EQ(told(dir_.get(), epoch_, username_query("n")), expected.back());
  EXPECT_EQ(summary_.num_entries, 5U + 3U);
  Bytes none;
  ASSERT_EQ(ask(dir_.get(), username_query("nobody", 0, true), none), OPTIKS_OK);
  EXPECT_EQ(summary_.ahead_of, 1U);
}

TEST_F(RecycledNames, AreComparedWithTheOneThatIsKept) {
  three_users();
  const auto kept = [&](const char* id, std::uint32_t generation, bool has_left = false) {
    verify::UserState state;
    const std::string text = id;
    const Bytes octets = naive::to_bytes(text);
    state.user = octets;
    state.generation = generation;
    state.has_left = has_left;
    return told(dir_.get(), epoch_, username_query("n"), state);
  };
  EXPECT_EQ(kept("user 1", 1), "3: user 3");
  EXPECT_EQ(kept("user 1", 1, true), "3: user 3");
  EXPECT_EQ(kept("user 2", 2), "3: user 3");
  EXPECT_EQ(kept("user 3", 3), "3: user 3");
  EXPECT_EQ(kept("user 3", 3, true), "#user_returned");
  EXPECT_EQ(kept("user 2", 1), "#user_changed");
  EXPECT_EQ(kept("user 1", 3), "#user_changed");
  EXPECT_EQ(kept("user 4", 4), "#version_regressed");
}

// Starts directories from stored rows, from a snapshot, and in a node store. All must give the same answers.
TEST_F(RecycledNames, AreTheSameAfterAStart) {
  three_users();
  publish(named_user("other", "user 4"));
  const States published = states_of(dir_.get());
  ASSERT_EQ(optiks_dir_check(dir_.get()), OPTIKS_OK) << last_error();
  const auto load = [&](const optiks_dir_options_t& with) {
    DirectoryHandle loaded = create(with);
    for (StoredEpoch& epoch : stored_) {
      for (optiks_leaf_t& row : epoch.rows) {
        row.structure_and_input &= 0xf0000000;
      }
      EXPECT_EQ(optiks_dir_load(loaded.get(), epoch.epoch, epoch.rows.data(), epoch.rows.size(), epoch.values.data(),
                                epoch.values.size()),
                OPTIKS_OK)
          << last_error();
    }
    EXPECT_EQ(optiks_dir_load_end(loaded.get()), OPTIKS_OK) << last_error();
    return loaded;
  };
  const std::string linked_log = scratch_file("linked");
  const std::string stored_log = scratch_file("stored");
  optiks_dir_options_t stored_options = options(stored_log);
  stored_options.node_store_path = nodes_.c_str();
  stored_options.node_cache_bytes = 1U << 20;
  const DirectoryHandle linked = load(options(linked_log));
  const DirectoryHandle stored = load(stored_options);
  const std::string file = scratch_file("snapshot");
  ASSERT_EQ(optiks_view_save(Seen(dir_.get()).view(), file.c_str()), OPTIKS_OK);
  DirectoryHandle restored;
  ASSERT_EQ(restore(file, leaf_log_, restored, [](optiks_dir_options_t& with) { with.username_reuse = 1; }), OPTIKS_OK)
      << last_error();
  for (optiks_dir_t* dir : {linked.get(), stored.get(), restored.get()}) {
    EXPECT_EQ(states_of(dir), published);
    EXPECT_EQ(told(dir, epoch_, username_query("n")), "3: user 3");
    EXPECT_EQ(told(dir, epoch_, username_query("other"), {}, "other"), "1: user 4");
    const StoredEpoch next = prepare(dir, epoch_ + 1, {{kUsernames, "n", "user 5"}});
    ASSERT_EQ(next.rows.size(), 1U);
    EXPECT_EQ(next.rows[0].version, 4U);
  }
  // The check refuses the versions of usernames in a directory whose log reassigns no usernames.
  EXPECT_EQ(optiks_dir_check(restored.get()), OPTIKS_OK) << last_error();
  restored.reset();
  DirectoryHandle other;
  ASSERT_EQ(restore(file, leaf_log_, other, [](optiks_dir_options_t& with) { with.username_reuse = 0; }), OPTIKS_OK);
  EXPECT_EQ(optiks_dir_check(other.get()), OPTIKS_E_DATA);
}

TEST_F(RecycledNames, OfOneKindOfLogAreRefusedByTheOther) {
  three_users();
  const std::string log = scratch_file("plain");
  const DirectoryHandle plain = create(options_with(log.c_str()));
  const auto load = [](optiks_dir_t* dir, const StoredEpoch& epoch) {
    return optiks_dir_load(dir, epoch.epoch, epoch.rows.data(), epoch.rows.size(), epoch.values.data(),
                           epoch.values.size());
  };
  StoredEpoch first = stored_[0];
  for (optiks_leaf_t& row : first.rows) {
    row.structure_and_input &= 0xf0000000;
  }
  EXPECT_EQ(load(plain.get(), first), OPTIKS_E_DATA);
  // A directory whose log reassigns usernames refuses a username's leaf without a version.
  const std::string other_log = scratch_file("other");
  const DirectoryHandle other = create(options(other_log));
  for (optiks_leaf_t& row : first.rows) {
    row.version = (row.structure_and_input >> 28) == kUsernames ? 0 : row.version;
  }
  EXPECT_EQ(load(other.get(), first), OPTIKS_E_DATA);
  // In a log that does not reassign usernames, a name cannot get a second user.
  const std::string third_log = scratch_file("third");
  const DirectoryHandle third = create(options_with(third_log.c_str()));
  test::publish(third.get(), 1, named_user("n", "user 1"));
  const std::string name = "n";
  const std::vector<std::uint64_t> offsets = {0, 1};
  const std::vector<std::uint64_t> no_value = {0, 0};
  optiks_leaf_t row{};
  const std::uint8_t structure = kUsernames;
  EXPECT_EQ(optiks_dir_prepare(third.get(), 2, 1, &structure, as_octets(name).data(), offsets.data(),
                               as_octets(name).data(), no_value.data(), &row),
            OPTIKS_E_DUPLICATE);
}

// Tests that the directory refuses a leaf that skips or repeats a generation.
TEST_F(RecycledNames, FollowOneAnother) {
  publish(named_user("n", "user 1"));
  for (const std::uint64_t version : {1U, 3U}) {
    StoredEpoch next = prepare(dir_.get(), 2, {{kUsernames, "n", "user 2"}});
    ASSERT_EQ(next.rows[0].version, 2U);
    next.rows[0].version = version;
    optiks_staged_t* staged = nullptr;
    EXPECT_EQ(optiks_dir_stage(dir_.get(), 2, next.rows.data(), next.rows.size(), next.values.data(),
                               next.values.size(), 0, &staged),
              OPTIKS_E_DATA);
  }
}

// A log must not reassign the name of a user who has not left. If a log breaks this rule, the directory gives no answer
// about the name.
TEST_F(RecycledNames, ThatWereTakenFromAUserAreNotAnsweredAbout) {
  publish(named_user("n", "user 1"));
  publish(named_user("n", "user 2"));
  Bytes body;
  EXPECT_EQ(ask(dir_.get(), username_query("n"), body), OPTIKS_E_DATA);
}

TEST_F(RecycledNames, AreNotShownToWhoMonitorsAUser) {
  publish(named_user("n", "user 1"));
  const Seen seen(dir_.get());
  const auto status = [&](const std::vector<std::string>& names) {
    naive::Writer listed;
    for (const std::string& name : names) {
      listed.vector(naive::to_bytes(name), 1);
    }
    const Bytes query = naive::Writer()
                            .vector(naive::to_bytes("user 1"), 1)
                            .vector(listed.get(), 2)
                            .integer(0, 8)
                            .integer(1, 8)
                            .vector({}, 3)
                            .get();
    const optiks_user_monitor_page_t page{256, 2048, 1024, 1 << 20, 0, 0};
    optiks_user_monitor_summary_t summary{};
    return optiks_view_user_monitor_summary(seen.view(), query.data(), query.size(), &page, &summary);
  };
  EXPECT_EQ(status({}), OPTIKS_OK) << last_error();
  EXPECT_EQ(status({"n"}), OPTIKS_E_ARGUMENT);
}

}  // namespace
}  // namespace optiks::ozks::test
