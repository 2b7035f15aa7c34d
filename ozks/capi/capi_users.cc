// Implements the C ABI call that verifies answers about users.
#include <algorithm>
#include <limits>
#include <vector>

#include "capi_context.h"
#include "optiks/ozks/verify/users.h"

namespace {

using namespace optiks::ozks::capi;
using namespace optiks::ozks::verify;
using optiks::ozks::ByteStrings;

// The indexes of the strings about a user, which precede the ids of its devices.
enum : std::size_t { kUsername, kDevice, kUser, kList, kStringsOfUser };

// The client's questions and kept states, read from the caller's arguments.
class UserQuestions {
 public:
  // Returns false if the arguments violate the rules in optiks.h.
  bool read(std::size_t n, const std::uint8_t* strings, const std::uint64_t* offsets, const optiks_user_state_t* states,
            const optiks_known_t* known) {
    if (!readable(states, n)) {
      return false;
    }
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    if (n >= kMost / (kStringsOfUser + 1)) {
      return false;
    }
    std::size_t num_strings = kStringsOfUser * n;
    for (std::size_t i = 0; i < n; ++i) {
      if (states[i].num_keys > kMost / 2 - num_strings) {
        return false;
      }
      num_strings += states[i].num_keys;
    }
    states_ = {states, n};
    known_ = {known, num_strings - (kStringsOfUser - 1) * n};
    return readable(known, known_.size()) && read_strings(num_strings, strings, offsets, strings_) &&
           valid(known, known_.size(), false) && are_users() && read_keys();
  }

  [[nodiscard]] std::size_t size() const { return states_.size(); }

  [[nodiscard]] optiks::ozks::verify::UserQuery query(std::size_t i) const {
    return {string(i, kUsername), string(i, kDevice)};
  }

  [[nodiscard]] UserState state(std::size_t i) const {
    UserState state;
    state.least_epoch = states_[i].least_epoch;
    state.user = string(i, kUser);
    state.has_left = states_[i].has_left != 0;
    state.generation = states_[i].generation;
    state.devices = to_key_state(known_[i]).known;
    state.list = string(i, kList);
    state.keys = std::span(keys_).subspan(first_key_[i], states_[i].num_keys);
    return state;
  }

 private:
  [[nodiscard]] optiks::ozks::ByteSpan string(std::size_t user, std::size_t which) const {
    return strings_[kStringsOfUser * user + which];
  }

  [[nodiscard]] bool are_users() const {
    for (std::size_t i = 0; i < size(); ++i) {
      const bool has_list = !string(i, kList).empty();
      const bool is_nobodys_generation = states_[i].generation != 0 && string(i, kUser).empty();
      if (is_nobodys_generation || string(i, kUsername).empty() || string(i, kUsername).size() > kMaxKeyLen ||
          string(i, kDevice).size() > kMaxKeyLen || string(i, kUser).size() > kMaxKeyLen ||
          has_list != (known_[i].version != 0)) {
        return false;
      }
    }
    return true;
  }

  bool read_keys() {
    keys_.reserve(known_.size() - size());
    for (const optiks_user_state_t& state : states_) {
      first_key_.push_back(keys_.size());
      for (std::size_t i = 0; i < state.num_keys; ++i) {
        const optiks::ozks::ByteSpan id = strings_[kStringsOfUser * size() + keys_.size()];
        const bool is_next = i == 0 ? !id.empty() : std::ranges::lexicographical_compare(keys_.back().id, id);
        if (!is_next || id.size() > kMaxKeyLen) {
          return false;
        }
        keys_.push_back({id, to_key_state(known_[size() + keys_.size()]).known});
      }
    }
    return true;
  }

  std::span<const optiks_user_state_t> states_;
  std::span<const optiks_known_t> known_;
  ByteStrings strings_;
  std::vector<KnownDevice> keys_;
  std::vector<std::size_t> first_key_;  // for each user, the index of its first key in keys_
};

optiks_user_result_t to_user_result(const UserResult& result, const UserState& brought, ByteSpan answer) {
  optiks_user_result_t out{};
  out.kind = static_cast<std::int32_t>(result.kind);
  out.generation = result.generation;
  out.epoch = result.epoch;
  out.largest_epoch = result.largest_epoch;
  out.devices_epoch = result.devices_epoch;
  if (result.user.data() != brought.user.data()) {
    out.user_offset = offset_in(answer, result.user);
    out.user_len = result.user.size();
  }
  out.devices = to_result(result.devices, answer);
  out.num_devices = result.num_devices;
  return out;
}

optiks_device_result_t to_device_result(const DeviceResult& result, ByteSpan list, ByteSpan answer) {
  optiks_device_result_t out{};
  out.id_offset = offset_in(list, result.id);
  out.id_len = result.id.size();
  out.record_epoch = result.record_epoch;
  out.key = to_result(result.key, answer);
  return out;
}

std::int32_t verify_users_answer(const optiks_context_t& context, const UserQuestions& asked, ByteSpan answer,
                                 optiks_users_verdict_t& out) {
  const std::size_t n = asked.size();
  UserAnswerVerifier verifier;
  Reason reason = begin(context, answer, n, verifier);
  const std::size_t room = reason == Reason::kValid ? verifier.num_devices() : 0;
  if (room > out.devices_capacity) {
    set_last_error("devices_capacity is too small");
    out.num_devices = room;
    return OPTIKS_E_BUFFER;
  }
  std::size_t failed = n;
  std::vector<UserResult> users(reason == Reason::kValid ? n : 0);
  std::vector<DeviceResult> devices(room);
  std::span<DeviceResult> free = devices;
  for (std::size_t i = 0; i < users.size() && reason == Reason::kValid; ++i) {
    reason = verifier.next(asked.query(i), asked.state(i), free, users[i]);
    failed = reason == Reason::kValid ? n : i;
    free = free.subspan(users[i].num_devices);
  }
  if (reason == Reason::kValid) {
    reason = verifier.finish();
  }
  if (reason == Reason::kValid) {
    out.head = to_result(verifier.head(), verifier.encoded_head(), answer);
    out.record_offset = offset_in(answer, verifier.newest_record());
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
      // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): NULL only if n is 0, which the analyzer does not track.
      out.users[i] = to_user_result(users[i], asked.state(i), answer);
      for (const std::size_t end = at + users[i].num_devices; at < end; ++at) {
        out.devices[at] = to_device_result(devices[at], users[i].list, answer);
      }
    }
  }
  out.reason = to_number(reason);
  out.failed = failed;
  out.num_devices = reason == Reason::kValid ? room - free.size() : 0;
  return OPTIKS_OK;
}

}  // namespace

extern "C" {

int32_t optiks_verify_users(const optiks_context_t* context, size_t n, const uint8_t* strings,
                            const uint64_t* string_offsets, const optiks_user_state_t* states,
                            const optiks_known_t* known, const uint8_t* answer, size_t answer_len,
                            optiks_users_verdict_t* out) {
  return guarded([&]() -> std::int32_t {
    UserQuestions asked;
    if (!valid_now(context) || !readable(answer, answer_len) || out == nullptr || !readable(out->users, n) ||
        !readable(out->devices, out->devices_capacity) || !asked.read(n, strings, string_offsets, states, known)) {
      return argument_error("optiks_verify_users: NULL, a string that is none of a user's, or a state that is none");
    }
    return verify_users_answer(*context, asked, {answer, answer_len}, *out);
  });
}

}  // extern "C"
