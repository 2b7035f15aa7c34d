// Tests a directory's answers about users, through the C ABI. The verifier must accept each answer, and the answers
// must agree with the model.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "head_support.h"
#include "optiks/ozks/verify/users.h"

namespace optiks::ozks::test {
namespace {

using verify::Reason;
using verify::UserKind;
namespace naive = verify::test;

constexpr std::uint64_t kManyEntries = 1U << 20;
// A question about a user, and the state that the client keeps of this user.
struct Question {
  std::string username;
  // The members have initializers, so that tests may omit them.
  std::string device{};
  std::string user{};  // the known id
  std::uint64_t least_epoch = 0;
  bool has_left = false;
  verify::Known devices{};
  Bytes list{};
  std::map<std::string, verify::Known> keys{};

  [[nodiscard]] Bytes encode() const {
    naive::Writer known;
    for (const auto& [id, key] : keys) {
      known.vector(naive::to_bytes(id), 1).integer(key.version, 8);
    }
    return naive::Writer()
        .vector(naive::to_bytes(username), 1)
        .vector(naive::to_bytes(device), 1)
        .integer(user.empty() ? 0 : 1, 1)
        .integer(0, 8)
        .integer(devices.version, 8)
        .vector(known.get(), 3)
        .get();
  }
};

Bytes encode(const std::vector<Question>& questions) {
  Bytes all;
  for (const Question& question : questions) {
    const Bytes one = question.encode();
    all.insert(all.end(), one.begin(), one.end());
  }
  return naive::Writer().vector(all, 3).get();
}

// The facts about a user that an accepted answer shows.
struct Told {
  UserKind kind = UserKind::kNone;
  std::string user;
  std::map<std::string, std::string> devices;  // each device's value; "" if it has no key, "=" if its value is known
  bool is_list_sent = false;
};

// A directory with users, its model, and a log over it.
class UserWorld {
 public:
  explicit UserWorld(const optiks_dir_options_t& options) : dir_(create(options)) {}

  [[nodiscard]] optiks_dir_t* dir() const { return dir_.get(); }
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

  void create_user(const std::string& name, const std::set<std::string>& devices) {
    const std::string id = "id of " + name;
    names_[name] = id;
    updates_.push_back({verify::kUsernames, name, id});
    set_list(id, devices);
  }
  void set_list(const std::string& id, const std::set<std::string>& devices) {
    lists_[id] = devices;
    updates_.push_back({verify::kDevices, id, text_of(device_list(devices))});
  }
  void set_key(const std::string& device, const std::string& value) {
    values_[device] = value;
    updates_.push_back({verify::kKeys, device, value});
  }
  void leave(const std::string& id) {
    left_.insert(id);
    updates_.push_back({verify::kDecommissioned, id, std::string(1, '\x01')});
  }
  void publish() {
    test::publish(dir_.get(), ++epoch_, updates_);
    updates_.clear();
  }

  // Makes random changes for one epoch. A key changes at most once in an epoch.
  void change(Random& random) {
    create_user(numbered("user ", epoch_), {});
    for (const auto& [id, devices] : std::map(lists_)) {
      if (left_.contains(id)) {
        continue;
      }
      switch (random.below(8)) {
        case 0:
          leave(id);
          break;
        case 1:
        case 2:
        case 3: {
          std::set<std::string> more = devices;
          more.insert(numbered(id + "'s ", epoch_));
          if (epoch_ != 0 && more.size() > 1 && random.below(3) == 0) {
            more.erase(more.begin());
          }
          if (is_new(id)) {
            break;
          }
          set_list(id, more);
          break;
        }
        default:
          break;
      }
      for (const std::string& device : lists_[id]) {
        if (random.below(3) == 0) {
          set_key(device, numbered(device + " value ", epoch_));
        }
      }
    }
  }

  [[nodiscard]] Told expected(const Question& question) const {
    Told told;
    const auto name = names_.find(question.username);
    if (name == names_.end()) {
      return told;
    }
    told.user = name->second;
    told.kind = left_.contains(told.user) ? UserKind::kLeft : UserKind::kCurrent;
    if (told.kind == UserKind::kCurrent) {
      for (const std::string& device : lists_.at(told.user)) {
        if (question.device.empty() || question.device == device) {
          const auto value = values_.find(device);
          told.devices[device] = value == values_.end() ? "" : value->second;
        }
      }
    }
    return told;
  }

  [[nodiscard]] const std::map<std::string, std::string>& names() const { return names_; }
  [[nodiscard]] const std::set<std::string>& list(const std::string& id) const { return lists_.at(id); }

  // Adds a head to the answer and verifies the answer. Then updates the clients' kept state in `questions`.
  Reason verify(const Bytes& body, std::vector<Question>& questions, std::vector<Told>& out) const {
    Bytes answer = log_.head(dir_.get(), epoch_);
    answer.insert(answer.end(), body.begin(), body.end());
    verify::UserAnswerVerifier verifier;
    Reason reason = verifier.begin(log_.context(), answer, questions.size());
    if (reason != Reason::kValid) {
      return reason;
    }
    std::vector<verify::DeviceResult> devices(verifier.num_devices());
    std::span<verify::DeviceResult> room = devices;
    out.clear();
    for (Question& question : questions) {
      std::vector<verify::KnownDevice> known;
      for (const auto& [id, one] : question.keys) {
        known.push_back({as_octets(id), one});
      }
      const verify::UserState state{
          question.least_epoch, as_octets(question.user), 0, question.has_left, question.devices, question.list, known};
      verify::UserResult result;
      reason = verifier.next({as_octets(question.username), as_octets(question.device)}, state, room, result);
      if (reason != Reason::kValid) {
        return reason;
      }
      out.push_back(remember(question, result, room.first(result.num_devices)));
      room = room.subspan(result.num_devices);
    }
    return verifier.finish();
  }

 private:
  [[nodiscard]] bool is_new(const std::string& id) const {
    return std::any_of(updates_.begin(), updates_.end(), [&](const Update& update) { return update.key == id; });
  }

  static Told remember(Question& question, const verify::UserResult& result,
                       std::span<const verify::DeviceResult> devices) {
    Told told;
    told.kind = result.kind;
    told.user = text_of(result.user);
    question.least_epoch = result.epoch;
    if (told.kind == UserKind::kCurrent) {
      told.is_list_sent = result.devices.has_value;
      question.devices = {.version = result.devices.version,
                          .time = result.devices.time,
                          .absent_epoch = result.devices_epoch,
                          .has_absent = true};
      for (const verify::DeviceResult& device : devices) {
        const std::string id = text_of(device.id);
        told.devices[id] = device.key.has_value ? text_of(device.key.value) : device.key.version == 0 ? "" : "=";
        if (device.key.version != 0) {
          question.keys[id] = {.version = device.key.version,
                               .time = device.key.time,
                               .absent_epoch = device.record_epoch,
                               .has_absent = true};
        }
      }
      // The kept list is replaced last: if the list is unchanged, the ids above are views of the old kept list.
      question.list = naive::to_bytes(result.list);
    }
    question.has_left = told.kind == UserKind::kLeft;
    question.user = told.user;
    return told;
  }

  LogOverDirectory log_;
  DirectoryHandle dir_;
  std::uint64_t epoch_ = 0;
  std::vector<Update> updates_;
  std::map<std::string, std::string> names_;
  std::map<std::string, std::set<std::string>> lists_;
  std::map<std::string, std::string> values_;
  std::set<std::string> left_;
};

class Users : public testing::Test {
 protected:
  // Makes an answer with a batch of proofs. Returns no octets if the request has no answer.
  Bytes answer(const Seen& seen, const Bytes& queries, std::uint64_t max_entries = kManyEntries) {
    optiks_proofs_t* made = nullptr;
    EXPECT_EQ(optiks_proofs_create(seen.view(), OPTIKS_KEYS, 1, &made), OPTIKS_OK);
    const ProofsHandle proofs(made);
    EXPECT_EQ(optiks_proofs_add_users(made, queries.data(), queries.size(), max_entries), OPTIKS_OK) << last_error();
    EXPECT_EQ(optiks_proofs_run(made), OPTIKS_OK);
    std::size_t len = 0;
    Bytes out;
    std::int32_t status = OPTIKS_E_BUFFER;
    for (int attempt = 0; attempt < 2 && status == OPTIKS_E_BUFFER; ++attempt) {
      out.resize(len);
      status = optiks_proofs_users(made, queries.data(), queries.size(), max_entries, out.data(), out.size(), &len,
                                   &summary_);
    }
    EXPECT_EQ(status, OPTIKS_OK) << last_error();
    return out;
  }

  std::int32_t cached(const Seen& seen, const Bytes& queries, Bytes& out) {
    std::size_t len = 0;
    out.resize(1U << 20);
    const std::int32_t status = optiks_view_users_cached(seen.view(), queries.data(), queries.size(), kManyEntries,
                                                         out.data(), out.size(), &len, &summary_);
    out.resize(len);
    return status;
  }

  std::string log_ = scratch_file("log");
  UserWorld world_{options_with(log_.c_str(), 1 << 20)};
  optiks_users_summary_t summary_{};
};

// Tests that the verifier accepts all answers, also for clients that keep state from earlier epochs, and that the
// results agree with the model.
TEST_F(Users, OfRandomDirectoriesAreAccepted) {
  Random random(21);
  std::map<std::string, Question> kept;
  std::map<UserKind, int> kinds;
  int unchanged = 0;
  int without_key = 0;
  for (int i = 0; i < 24; ++i) {
    world_.change(random);
    world_.publish();
    const Seen seen(world_.dir());
    std::vector<Question> asked;
    asked.push_back({.username = "nobody"});
    for (const auto& [name, id] : world_.names()) {
      Question question = random.below(4) == 0 ? Question{.username = name} : kept[name];
      question.username = name;
      const std::set<std::string>& devices = world_.list(id);
      if (!devices.empty() && random.below(4) == 0) {
        question.device = random.below(4) == 0 ? "another" : *devices.rbegin();
      }
      asked.push_back(question);
    }
    const Bytes queries = encode(asked);
    const std::vector<Question> before = asked;
    const Bytes body = answer(seen, queries);
    EXPECT_EQ(summary_.ahead_of, 0U);
    EXPECT_EQ(summary_.ahead_user, asked.size());
    std::vector<Told> told;
    ASSERT_EQ(world_.verify(body, asked, told), Reason::kValid) << "epoch " << world_.epoch();
    for (std::size_t j = 0; j < asked.size(); ++j) {
      const Told expected = world_.expected(before[j]);
      EXPECT_EQ(told[j].kind, expected.kind);
      EXPECT_EQ(told[j].user, expected.user);
      ASSERT_EQ(told[j].devices.size(), expected.devices.size());
      ++kinds[told[j].kind];
      for (const auto& [device, value] : told[j].devices) {
        ASSERT_TRUE(expected.devices.contains(device));
        if (value == "=") {
          ++unchanged;
        } else {
          EXPECT_EQ(value, expected.devices.at(device));
          without_key += value.empty() ? 1 : 0;
        }
      }
      if (j != 0) {
        asked[j].device.clear();
        kept[asked[j].username] = asked[j];
      }
    }
    // An answer that is made only from the cache must have the same octets.
    Bytes again;
    ASSERT_EQ(cached(seen, queries, again), OPTIKS_OK) << last_error();
    EXPECT_EQ(again, body);
  }
  EXPECT_GT(kinds[UserKind::kLeft], 10);
  EXPECT_GT(kinds[UserKind::kCurrent], 50);
  EXPECT_GT(unchanged, 10);
  EXPECT_GT(without_key, 10);
}

TEST_F(Users, AreCountedBeforeAProofIsMade) {
  world_.create_user("alice", {"phone", "tablet"});
  world_.set_key("phone", "1");
  world_.publish();
  world_.create_user("bob", {});
  world_.publish();
  const Seen seen(world_.dir());
  const Bytes queries = encode({{.username = "alice"}, {.username = "bob"}, {.username = "nobody"}});
  ASSERT_EQ(optiks_view_users_summary(seen.view(), queries.data(), queries.size(), kManyEntries, &summary_), OPTIKS_OK);
  // "alice" has five entries: name, decommission, list and two keys. "bob" has three entries, because the list is
  // empty. "nobody" has one entry.
  EXPECT_EQ(summary_.num_entries, 5U + 3U + 1U);
  optiks_dir_stats_t stats{};
  ASSERT_EQ(optiks_dir_stats(world_.dir(), &stats), OPTIKS_OK);
  EXPECT_EQ(stats.vrf_cache_misses, 0U);
  const std::uint64_t num_proofs = summary_.num_proofs;
  Bytes out;
  EXPECT_EQ(cached(seen, queries, out), OPTIKS_E_UNPROVEN);
  EXPECT_EQ(summary_.num_proofs, num_proofs);
  EXPECT_FALSE(answer(seen, queries, 9).empty());
  ASSERT_EQ(optiks_dir_stats(world_.dir(), &stats), OPTIKS_OK);
  EXPECT_EQ(stats.vrf_cache_misses, num_proofs);
  // A request about several users with too many entries gets no answer, but a request about one user always gets one.
  EXPECT_TRUE(answer(seen, queries, 8).empty());
  EXPECT_GT(summary_.num_entries, 8U);
  EXPECT_FALSE(answer(seen, encode({{.username = "alice"}}), 1).empty());
  EXPECT_EQ(summary_.num_entries, 5U);
}

TEST_F(Users, OfWhomMoreIsKnownThanTheViewHas) {
  world_.create_user("alice", {"phone", "tablet"});
  world_.set_key("phone", "1");
  world_.publish();
  const Seen seen(world_.dir());
  const auto ahead = [&](const Question& question) {
    const bool is_empty = answer(seen, encode({{.username = "nobody"}, question, {.username = "alice"}})).empty();
    EXPECT_EQ(is_empty, summary_.ahead_of != 0);
    EXPECT_EQ(summary_.ahead_user, summary_.ahead_of == 0 ? 3U : 1U);
    return summary_.ahead_of;
  };
  const verify::Known one{.version = 1, .has_absent = true};
  const verify::Known two{.version = 2, .has_absent = true};
  EXPECT_EQ(ahead({.username = "alice", .user = "known", .devices = one, .keys = {{"phone", one}}}), 0U);
  EXPECT_EQ(ahead({.username = "bob", .user = "known"}), 1U);
  EXPECT_EQ(ahead({.username = "bob"}), 0U);
  EXPECT_EQ(ahead({.username = "alice", .devices = two}), 2U);
  EXPECT_EQ(ahead({.username = "alice", .keys = {{"phone", two}}}), 3U);
  EXPECT_EQ(ahead({.username = "alice", .keys = {{"tablet", one}}}), 3U);
  // The directory ignores what the client knows about a device that is not on the list or not requested.
  EXPECT_EQ(ahead({.username = "alice", .keys = {{"other", two}}}), 0U);
  EXPECT_EQ(ahead({.username = "alice", .device = "tablet", .keys = {{"phone", two}}}), 0U);
}

TEST_F(Users, AreAskedAboutInTheirFormOnly) {
  world_.create_user("alice", {"phone"});
  world_.publish();
  const Seen seen(world_.dir());
  const auto status = [&](const Bytes& queries) {
    return optiks_view_users_summary(seen.view(), queries.data(), queries.size(), kManyEntries, &summary_);
  };
  const verify::Known one{.version = 1, .has_absent = true};
  const Bytes sound = encode({{.username = "alice", .devices = one, .keys = {{"a", one}, {"b", one}}}});
  EXPECT_EQ(status(sound), OPTIKS_OK) << last_error();
  for (std::size_t len = 0; len < sound.size(); ++len) {
    EXPECT_EQ(status(Bytes(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(len))), OPTIKS_E_ARGUMENT);
  }
  Bytes longer = sound;
  longer.push_back(0);
  EXPECT_EQ(status(longer), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(status(encode({})), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(status(encode({{.username = ""}})), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(status(encode({{.username = "alice", .keys = {{"", one}}}})), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(status(encode({{.username = "alice", .keys = {{"a", verify::Known()}}}})), OPTIKS_E_ARGUMENT);
  // These queries have ids in the wrong order, or an id twice.
  for (const std::uint8_t id : {'b', 'c'}) {
    Bytes disordered = sound;
    const std::size_t first_id = sound.size() - 19;
    ASSERT_EQ(disordered[first_id], 'a');
    disordered[first_id] = id;
    EXPECT_EQ(status(disordered), OPTIKS_E_ARGUMENT);
  }
  // These queries have a period but no known version, or an invalid flag.
  Bytes period = encode({{.username = "alice"}});
  EXPECT_EQ(status(period), OPTIKS_OK);
  const std::size_t flag = period.size() - 20;
  period[flag + 8] = 1;
  EXPECT_EQ(status(period), OPTIKS_E_ARGUMENT);
  period[flag + 8] = 0;
  period[flag] = 2;
  EXPECT_EQ(status(period), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_view_users_summary(nullptr, sound.data(), sound.size(), 1, &summary_), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_view_users_summary(seen.view(), sound.data(), sound.size(), 1, nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_proofs_add_users(nullptr, sound.data(), sound.size(), 1), OPTIKS_E_ARGUMENT);
}

}  // namespace
}  // namespace optiks::ozks::test
