// Tests a directory's answers to an owner about its own user, through the C ABI. The verifier must accept each answer,
// and an owner who reads page after page must see what the model predicts.
#include <map>
#include <optional>
#include <set>

#include "head_support.h"
#include "optiks/ozks/verify/user_monitor.h"

namespace optiks::ozks::test {
namespace {

using verify::Reason;
namespace naive = verify::test;

const std::string kUser = "id of alice";
constexpr optiks_user_monitor_page_t kAll{256, 2048, 1024, 1U << 22, 0, 0};

// The state that an owner keeps between answers, and all versions that answers showed to it.
struct Owner {
  std::vector<std::string> names{};
  std::uint64_t least_epoch = 0;
  verify::Known devices{};
  Bytes list{};
  std::map<std::string, verify::Known> keys{};
  std::map<std::uint64_t, std::string> lists_shown{};
  std::map<std::string, std::map<std::uint64_t, std::string>> values_shown{};

  [[nodiscard]] Bytes query(const std::string& user = kUser) const {
    naive::Writer usernames;
    for (const std::string& name : names) {
      usernames.vector(naive::to_bytes(name), 1);
    }
    naive::Writer named;
    for (const auto& [id, known] : keys) {
      named.vector(naive::to_bytes(id), 1).integer(known.version + 1, 8);
    }
    return naive::Writer()
        .vector(naive::to_bytes(user), 1)
        .vector(usernames.get(), 2)
        .integer(0, 8)
        .integer(devices.version + 1, 8)
        .vector(named.get(), 3)
        .get();
  }
};

class UserMonitor : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    optiks_dir_options_t options = options_with(leaves_.c_str());
    if (GetParam()) {
      options.node_store_path = store_.c_str();
      options.node_cache_bytes = 1U << 20;
    }
    dir_ = create(options);
  }

  void name(const std::string& username, const std::string& id) {
    updates_.push_back({verify::kUsernames, username, id});
  }
  void set_list(const std::set<std::string>& devices) {
    lists_[++num_lists_] = text_of(device_list(devices));
    devices_ = devices;
    ever_.insert(devices.begin(), devices.end());
    updates_.push_back({verify::kDevices, kUser, lists_[num_lists_]});
  }
  void set_key(const std::string& device, const std::string& value) {
    std::map<std::uint64_t, std::string>& versions = values_[device];
    versions[versions.size() + 1] = value;
    updates_.push_back({verify::kKeys, device, value});
  }
  void leave() { updates_.push_back({verify::kDecommissioned, kUser, std::string(1, '\x01')}); }
  void publish() {
    // The epoch is staged without proofs, because stored mode makes none.
    commit(stage(dir_.get(), prepare(dir_.get(), ++epoch_, updates_), false));
    updates_.clear();
  }

  // Makes random changes for one epoch.
  void change(Random& random) {
    if (random.below(2) == 0) {
      std::set<std::string> devices = devices_;
      if (!devices.empty() && random.below(3) == 0) {
        devices.erase(devices.begin());
      } else {
        devices.insert(numbered("device ", epoch_));
      }
      set_list(devices);
    }
    for (const std::string& device : ever_) {
      if (random.below(3) == 0) {
        set_key(device, numbered(device + " value ", epoch_));
      }
    }
  }

  std::int32_t ask(const Seen& seen, const Bytes& query, const optiks_user_monitor_page_t& page, Bytes& out) {
    optiks_proofs_t* made = nullptr;
    EXPECT_EQ(optiks_proofs_create(seen.view(), OPTIKS_KEYS, 1, &made), OPTIKS_OK);
    const ProofsHandle proofs(made);
    std::int32_t status = optiks_proofs_add_user_monitor(made, query.data(), query.size(), &page);
    if (status != OPTIKS_OK) {
      return status;
    }
    EXPECT_EQ(optiks_proofs_run(made), OPTIKS_OK);
    std::size_t len = 0;
    status = OPTIKS_E_BUFFER;
    for (int attempt = 0; attempt < 2 && status == OPTIKS_E_BUFFER; ++attempt) {
      out.resize(len);
      status =
          optiks_proofs_user_monitor(made, query.data(), query.size(), &page, out.data(), out.size(), &len, &summary_);
    }
    out.resize(len);
    return status;
  }

  // Returns an answer, and checks that it agrees with the summary that was made before it.
  Bytes answer(const Seen& seen, const Bytes& query, const optiks_user_monitor_page_t& page = kAll) {
    optiks_user_monitor_summary_t before{};
    EXPECT_EQ(optiks_view_user_monitor_summary(seen.view(), query.data(), query.size(), &page, &before), OPTIKS_OK);
    Bytes out;
    EXPECT_EQ(ask(seen, query, page, out), OPTIKS_OK) << last_error();
    EXPECT_EQ(before.num_entries, summary_.num_entries);
    EXPECT_EQ(before.num_proofs, summary_.num_proofs);
    EXPECT_EQ(before.unanswered, summary_.unanswered);
    EXPECT_EQ(summary_.unanswered != 0, out.empty());
    return out;
  }

  // Verifies an answer and keeps its contents, by docs/spec/user-monitor.md section 5. Sets `complete` to true if the
  // answer is a result.
  Reason take(const Bytes& body, Owner& owner, bool& complete) const {
    Bytes answer = log_.head(dir_.get(), epoch_);
    answer.insert(answer.end(), body.begin(), body.end());
    std::vector<ByteSpan> names;
    for (const std::string& name : owner.names) {
      names.push_back(as_octets(name));
    }
    std::vector<verify::KnownDevice> named;
    for (const auto& [id, known] : owner.keys) {
      named.push_back({as_octets(id), known});
    }
    const Bytes list = owner.list;
    const verify::OwnState state{owner.least_epoch, false, owner.devices, list, named};
    verify::UserMonitorVerifier verifier;
    Reason reason = verifier.begin(log_.context(), answer, {as_octets(kUser), names}, state);
    complete = reason == Reason::kValid && verifier.has_left();
    if (reason != Reason::kValid || verifier.has_left()) {
      return reason;
    }
    Owner next = owner;
    std::vector<verify::VersionEntry> entries(verifier.num_list_versions());
    verify::VersionsResult result;
    reason = verifier.read_list(entries, result);
    if (reason != Reason::kValid) {
      return reason;
    }
    complete = result.complete;
    for (const verify::VersionEntry& entry : entries) {
      next.lists_shown[entry.version] = entry.has_value ? text_of(entry.value) : "-";
    }
    next.devices = keep(owner.devices, result, entries);
    next.list.assign(verifier.kept_list().begin(), verifier.kept_list().end());
    std::vector<ByteSpan> ids(verifier.num_ids());
    reason = verifier.follow(ids);
    entries.resize(verifier.num_key_versions());
    std::span<verify::VersionEntry> free = entries;
    const std::size_t num_keys = verifier.num_keys();
    for (std::size_t i = 0; reason == Reason::kValid && i < num_keys; ++i) {
      verify::DeviceVersions key;
      reason = verifier.next(free, key);
      if (reason == Reason::kValid) {
        const std::string id = text_of(key.id);
        const std::span<verify::VersionEntry> shown = free.first(key.versions.num_entries);
        free = free.subspan(shown.size());
        for (const verify::VersionEntry& entry : shown) {
          next.values_shown[id][entry.version] = entry.has_value ? text_of(entry.value) : "-";
        }
        complete = complete && key.versions.complete;
        const auto before = owner.keys.find(id);
        next.keys[id] = keep(before == owner.keys.end() ? verify::Known() : before->second, key.versions, shown);
      }
    }
    if (reason == Reason::kValid) {
      next.least_epoch = epoch_;
      owner = next;
    }
    return reason;
  }

  // Asks for pages until an answer is a result. Returns the number of answers.
  int look(const Seen& seen, Owner& owner, const optiks_user_monitor_page_t& page) {
    bool complete = false;
    int answers = 0;
    while (!complete && answers < 1000) {
      const Bytes body = answer(seen, owner.query(), page);
      EXPECT_EQ(take(body, owner, complete), Reason::kValid) << "epoch " << epoch_ << ", answer " << answers;
      ++answers;
      if (testing::Test::HasFailure()) {
        break;
      }
    }
    return answers;
  }

  void expect_all_seen(const Owner& owner) const {
    EXPECT_EQ(owner.lists_shown, lists_);
    for (const std::string& device : ever_) {
      const auto values = values_.find(device);
      const auto shown = owner.values_shown.find(device);
      if (devices_.contains(device) && values != values_.end()) {
        ASSERT_NE(shown, owner.values_shown.end()) << device;
        EXPECT_EQ(shown->second, values->second) << device;
      }
    }
  }

  std::string leaves_ = scratch_file("leaves");
  std::string store_ = scratch_file("store");
  LogOverDirectory log_;
  DirectoryHandle dir_;
  std::uint64_t epoch_ = 0;
  std::vector<Update> updates_;
  std::uint64_t num_lists_ = 0;
  std::map<std::uint64_t, std::string> lists_;
  std::map<std::string, std::map<std::uint64_t, std::string>> values_;
  std::set<std::string> devices_;
  std::set<std::string> ever_;
  optiks_user_monitor_summary_t summary_{};

 private:
  verify::Known keep(const verify::Known& before, const verify::VersionsResult& result,
                     std::span<const verify::VersionEntry> entries) const {
    verify::Known known = before;
    if (!entries.empty()) {
      known.version = entries.back().version;
      known.time = entries.back().time;
    }
    known.has_absent = result.complete;
    known.absent_epoch = result.complete ? epoch_ : 0;
    known.page_version = result.complete ? 0 : result.version;
    return known;
  }
};

INSTANTIATE_TEST_SUITE_P(InBothModes, UserMonitor, testing::Bool(),
                         [](const auto& mode) { return mode.param ? "Stored" : "InMemory"; });

// Tests several owners: one monitors often, one rarely, one reads small pages, and one the smallest pages.
TEST_P(UserMonitor, OfRandomHistoriesIsAccepted) {
  Random random(22);
  Owner often;
  Owner seldom;
  Owner paging;
  name("alice", kUser);
  set_list({"phone"});
  set_key("phone", "phone value 0");
  publish();
  often.names = {"alice"};
  int most = 0;
  for (int i = 0; i < 30; ++i) {
    change(random);
    publish();
    const Seen seen(dir_.get());
    EXPECT_EQ(look(seen, often, kAll), 1);
    if (i % 7 == 0) {
      EXPECT_EQ(look(seen, seldom, kAll), 1);
      most = std::max(most, look(seen, paging, {2, 8, 4, 1U << 22, 0, 0}));
      expect_all_seen(paging);
    }
    expect_all_seen(often);
    ASSERT_FALSE(HasFailure());
  }
  const Seen seen(dir_.get());
  look(seen, seldom, kAll);
  expect_all_seen(seldom);
  EXPECT_GT(most, 1);
  Owner slow;
  EXPECT_GT(look(seen, slow, {1, 1, 1, 1, 0, 0}), static_cast<int>(num_lists_) - 1);
  expect_all_seen(slow);
  Owner by_octets;
  EXPECT_GT(look(seen, by_octets, {256, 2048, 1024, 20000, 0, 0}), 1);
  expect_all_seen(by_octets);
}

TEST_P(UserMonitor, FollowsWhatWasOnTheListInBetweenAndWhatWasRemoved) {
  name("alice", kUser);
  set_list({"phone", "tablet"});
  set_key("phone", "1");
  publish();
  Owner owner;
  EXPECT_EQ(look(Seen(dir_.get()), owner, kAll), 1);
  set_list({"forged", "phone"});
  set_key("forged", "bad");
  set_key("tablet", "bad too");
  publish();
  set_list({"phone"});
  publish();
  owner.keys.clear();
  owner.keys["phone"] = {.version = 1, .time = 1, .absent_epoch = 1, .has_absent = true};
  EXPECT_EQ(look(Seen(dir_.get()), owner, kAll), 1);
  EXPECT_EQ(owner.values_shown["forged"][1], "bad");
  EXPECT_EQ(owner.values_shown["tablet"][1], "bad too");
}

TEST_P(UserMonitor, EndsAPageOfTheListWhereTooManyIdsWouldBeFollowed) {
  std::set<std::string> devices;
  for (int i = 0; i < 12; ++i) {
    devices.insert(numbered("device ", 10 + static_cast<std::uint64_t>(i)));
    set_list(devices);
    publish();
  }
  const Seen seen(dir_.get());
  bool complete = false;
  Owner owner;
  ASSERT_EQ(take(answer(seen, owner.query(), {256, 2048, 5, 1U << 22, 0, 0}), owner, complete), Reason::kValid);
  EXPECT_FALSE(complete);
  EXPECT_EQ(owner.lists_shown.size(), 5U);
  EXPECT_EQ(owner.keys.size(), 5U);
  EXPECT_EQ(summary_.num_entries, 2U + 5U);
  // From here on each version of the list exceeds the bound of followed ids, but each page must still have one version.
  ASSERT_GT(look(seen, owner, {256, 2048, 5, 1U << 22, 0, 0}), 5);
  expect_all_seen(owner);
}

TEST_P(UserMonitor, OfAUserWhoHasLeftOrNeverWas) {
  name("alice", kUser);
  name("bob", "id of bob");
  set_list({"phone"});
  set_key("phone", "1");
  set_key("another's", "1");
  publish();
  const auto why = [&](const Owner& owner, std::uint32_t own_only = 0, const std::string& user = kUser) {
    optiks_user_monitor_page_t page = kAll;
    page.own_only = own_only;
    const Seen seen(dir_.get());
    answer(seen, owner.query(user), page);
    return summary_.unanswered;
  };
  const verify::Known one{.version = 1, .has_absent = true};
  const verify::Known two{.version = 2, .has_absent = true};
  EXPECT_EQ(why({.names = {"alice"}, .devices = one, .keys = {{"phone", one}}}, 1), 0U);
  EXPECT_EQ(why({}, 0, "nobody"), 1U);
  EXPECT_EQ(why({.names = {"alice", "nobody"}}), 2U);
  EXPECT_EQ(summary_.index, 1U);
  EXPECT_EQ(why({.names = {"alice", "bob"}}, 1), 2U);
  EXPECT_EQ(summary_.index, 1U);
  EXPECT_EQ(why({.names = {"alice", "bob"}}), 0U);
  EXPECT_EQ(why({.devices = two}), 3U);
  EXPECT_EQ(why({.keys = {{"phone", two}}}), 4U);
  EXPECT_EQ(why({.keys = {{"another's", one}}}, 1), 5U);
  EXPECT_EQ(why({.keys = {{"another's", one}}}), 0U);
  set_list({"tablet"});
  publish();
  // The id "phone" is no longer on the list, but it was on an earlier version.
  EXPECT_EQ(why({.keys = {{"phone", one}}}, 1), 0U);
  leave();
  publish();
  Owner owner{.names = {"alice"}};
  bool complete = false;
  ASSERT_EQ(take(answer(Seen(dir_.get()), owner.query()), owner, complete), Reason::kValid);
  EXPECT_TRUE(complete);
  EXPECT_TRUE(owner.lists_shown.empty());
}

// Tests a client that names an id that was never on the list. The directory must not read the list's whole history to
// look for this id.
TEST_P(UserMonitor, LooksForANamedIdInTheLatest4MiBOfLists) {
  std::set<std::string> many;
  for (std::uint64_t i = 0; i < 240; ++i) {
    many.insert(numbered(std::string(246, 'x'), 100 + i));
  }
  const auto publish_lists = [&](int number) {
    for (int i = 0; i < number; ++i) {
      set_list(many);
      publish();
    }
  };
  const auto why_not = [&] {
    optiks_user_monitor_page_t page = kAll;
    page.own_only = 1;
    const Owner owner{.keys = {{"first", {.version = 1, .has_absent = true}}}};
    answer(Seen(dir_.get()), owner.query(), page);
    return summary_.unanswered;
  };
  set_list({"first"});
  set_key("first", "1");
  publish();
  // Each list has 60,000 octets.
  publish_lists(69);
  EXPECT_EQ(why_not(), 0U);
  publish_lists(2);
  EXPECT_EQ(why_not(), 5U);
}

TEST_P(UserMonitor, IsAskedAboutInItsFormOnly) {
  name("alice", kUser);
  set_list({"phone"});
  publish();
  const Seen seen(dir_.get());
  const auto status = [&](const Bytes& query, const optiks_user_monitor_page_t& page = kAll) {
    return optiks_view_user_monitor_summary(seen.view(), query.data(), query.size(), &page, &summary_);
  };
  const Bytes sound = Owner{.names = {"alice"}, .keys = {{"a", verify::Known()}, {"phone", verify::Known()}}}.query();
  EXPECT_EQ(status(sound), OPTIKS_OK) << last_error();
  for (std::size_t len = 0; len < sound.size(); ++len) {
    EXPECT_EQ(status(Bytes(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(len))), OPTIKS_E_ARGUMENT);
  }
  Bytes longer = sound;
  longer.push_back(0);
  EXPECT_EQ(status(longer), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(status(Owner{}.query("")), OPTIKS_E_ARGUMENT);
  Bytes period = Owner{}.query();
  const std::size_t period_at = period.size() - 3 - 8 - 1;
  period[period_at] = 1;
  EXPECT_EQ(status(period), OPTIKS_E_ARGUMENT);
  // If the query is of another period, the directory ignores the client's known version.
  Bytes other = Owner{.devices = {.version = 8, .has_absent = true}}.query();
  EXPECT_EQ(status(other), OPTIKS_OK);
  EXPECT_EQ(summary_.unanswered, 3U);
  other[period_at] = 1;
  EXPECT_EQ(status(other), OPTIKS_OK);
  EXPECT_EQ(summary_.unanswered, 0U);
  other[period_at + 8] = 0;
  EXPECT_EQ(status(other), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(status(sound, {0, 1, 1, 1, 0, 0}), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(status(sound, {1, 1, 1, 1, 2, 0}), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_view_user_monitor_summary(seen.view(), sound.data(), sound.size(), nullptr, &summary_),
            OPTIKS_E_ARGUMENT);
}

}  // namespace
}  // namespace optiks::ozks::test
