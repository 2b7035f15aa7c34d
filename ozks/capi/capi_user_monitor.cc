// Implements the C ABI call that verifies the answer to an owner who monitors its own user.
#include <algorithm>
#include <vector>

#include "capi_context.h"
#include "optiks/ozks/verify/user_monitor.h"

namespace {

using namespace optiks::ozks::capi;
using namespace optiks::ozks::verify;
using optiks::ozks::ByteStrings;

// The owner's question and kept state, read from the caller's arguments.
class OwnQuestion {
 public:
  // Returns false if the arguments violate the rules in optiks.h.
  bool read(const optiks_user_state_t* state, std::size_t num_names, const std::uint8_t* strings,
            const std::uint64_t* offsets, const optiks_known_t* known) {
    constexpr std::size_t kMost = (std::size_t{1} << 31U) - 1;
    if (state == nullptr || known == nullptr || num_names > kMost || state->num_keys > kMost ||
        !read_strings(num_names + state->num_keys + 2, strings, offsets, strings_) ||
        !valid(known, state->num_keys + 1, true)) {
      return false;
    }
    const ByteSpan list = strings_[num_names + 1];
    if (!is_key(strings_[0]) || (known->version == 0 && !list.empty())) {
      return false;
    }
    for (std::size_t i = 0; i < num_names; ++i) {
      names_.push_back(strings_[i + 1]);
    }
    for (std::size_t i = 0; i < state->num_keys; ++i) {
      const ByteSpan id = strings_[num_names + 2 + i];
      if (!is_key(id) || (i != 0 && !std::ranges::lexicographical_compare(keys_.back().id, id))) {
        return false;
      }
      keys_.push_back({id, to_key_state(known[i + 1]).known});
    }
    octets_ = {strings, static_cast<std::size_t>(offsets[num_names + state->num_keys + 2])};
    state_.least_epoch = state->least_epoch;
    state_.has_left = state->has_left != 0;
    state_.devices = to_key_state(*known).known;
    state_.list = list;
    state_.keys = keys_;
    return std::ranges::all_of(names_, is_key);
  }

  [[nodiscard]] OwnQuery query() const { return {strings_[0], names_}; }
  [[nodiscard]] const OwnState& state() const { return state_; }
  // Returns the octets of all strings, one string after another.
  [[nodiscard]] ByteSpan octets() const { return octets_; }

 private:
  static bool is_key(ByteSpan octets) { return !octets.empty() && octets.size() <= kMaxKeyLen; }

  ByteStrings strings_;
  ByteSpan octets_;
  std::vector<ByteSpan> names_;
  std::vector<KnownDevice> keys_;
  OwnState state_;
};

// The verified contents of an accepted answer.
struct Shown {
  VersionsResult list;
  std::vector<ByteSpan> ids;
  std::vector<DeviceVersions> keys;
  std::vector<VersionEntry> entries;
};

Reason verify_all(UserMonitorVerifier& verifier, Shown& out) {
  const std::size_t num_list = verifier.num_list_versions();
  out.entries.resize(num_list + verifier.num_key_versions());
  Reason reason = verifier.read_list(std::span(out.entries).first(num_list), out.list);
  if (reason != Reason::kValid) {
    return reason;
  }
  out.ids.resize(verifier.num_ids());
  reason = verifier.follow(out.ids);
  if (reason != Reason::kValid) {
    return reason;
  }
  out.keys.resize(verifier.num_keys());
  std::span<VersionEntry> free = std::span(out.entries).subspan(num_list);
  for (DeviceVersions& key : out.keys) {
    reason = verifier.next(free, key);
    if (reason != Reason::kValid) {
      return reason;
    }
    free = free.subspan(key.versions.num_entries);
  }
  return reason;
}

bool is_within(ByteSpan octets, ByteSpan view) {
  return std::less_equal<>()(octets.data(), view.data()) &&
         std::less_equal<>()(view.data() + view.size(), octets.data() + octets.size());
}

optiks_own_key_result_t to_key_result(const DeviceVersions& key, ByteSpan answer, ByteSpan strings) {
  optiks_own_key_result_t out{};
  const bool is_brought = is_within(strings, key.id);
  out.id_offset = offset_in(is_brought ? strings : answer, key.id);
  out.id_len = key.id.size();
  out.versions = to_versions_result(key.versions);
  out.id_is_brought = is_brought ? 1 : 0;
  return out;
}

std::int32_t verify_monitor_answer(const optiks_context_t& context, const OwnQuestion& own, ByteSpan answer,
                                   optiks_user_monitor_verdict_t& out) {
  Context brought;
  UserMonitorVerifier verifier;
  Reason reason = to_context(context, brought);
  if (reason == Reason::kValid) {
    reason = verifier.begin(brought, answer, own.query(), own.state());
  }
  Shown shown;
  const bool has_left = reason == Reason::kValid && verifier.has_left();
  if (reason == Reason::kValid && !has_left) {
    reason = verify_all(verifier, shown);
  }
  out.reason = to_number(reason);
  out.num_keys = reason == Reason::kValid ? shown.keys.size() : 0;
  out.num_entries = reason == Reason::kValid ? shown.entries.size() : 0;
  out.has_left = has_left ? 1 : 0;
  if (reason != Reason::kValid) {
    return OPTIKS_OK;
  }
  if (shown.keys.size() > out.keys_capacity || shown.entries.size() > out.entries_capacity) {
    set_last_error("keys_capacity or entries_capacity is too small");
    return OPTIKS_E_BUFFER;
  }
  out.head = to_result(verifier.head(), verifier.encoded_head(), answer);
  out.list = to_versions_result(shown.list);
  std::ranges::transform(shown.keys, out.keys,
                         [&](const DeviceVersions& key) { return to_key_result(key, answer, own.octets()); });
  std::ranges::transform(shown.entries, out.entries,
                         [&](const VersionEntry& entry) { return to_version_entry(entry, answer); });
  return OPTIKS_OK;
}

}  // namespace

extern "C" {

int32_t optiks_verify_user_monitor(const optiks_context_t* context, const optiks_user_state_t* state, size_t num_names,
                                   const uint8_t* strings, const uint64_t* string_offsets, const optiks_known_t* known,
                                   const uint8_t* answer, size_t answer_len, optiks_user_monitor_verdict_t* out) {
  return guarded([&]() -> std::int32_t {
    OwnQuestion own;
    if (!valid(context) || !readable(answer, answer_len) || out == nullptr ||
        !readable(out->keys, out->keys_capacity) || !readable(out->entries, out->entries_capacity) ||
        !own.read(state, num_names, strings, string_offsets, known)) {
      return argument_error(
          "optiks_verify_user_monitor: NULL, a string that is none of a user's, or a state that is none");
    }
    return verify_monitor_answer(*context, own, {answer, answer_len}, *out);
  });
}

}  // extern "C"
