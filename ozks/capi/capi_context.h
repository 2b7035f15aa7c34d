// Helpers of the C ABI calls that verify. They convert the caller's parameters to the verifier's types, and convert
// verified heads and lookups to the types of the ABI. The verifier itself depends neither on libsodium nor on
// exceptions nor on the conventions of C#.
#pragma once

#include <sodium.h>

#include <algorithm>

#include "capi_guard.h"
#include "optiks/ozks/verify/answers.h"

namespace optiks::ozks::capi {

using namespace optiks::ozks::verify;

inline bool ed25519_verify(ByteSpan public_key, ByteSpan message, ByteSpan signature) {
  return crypto_sign_verify_detached(signature.data(), message.data(), message.size(), public_key.data()) == 0;
}

inline std::int32_t to_number(Reason reason) { return static_cast<std::int32_t>(reason); }

inline bool valid(const optiks_anchor_t* anchor) {
  return anchor != nullptr && readable(anchor->configuration, anchor->configuration_len);
}

inline bool valid(const optiks_context_t* context) {
  return context != nullptr && valid(&context->anchor) &&
         (context->kept_record != nullptr || context->kept_period_record == nullptr);
}

// True if the context is valid for a question about the current period: it is a valid context without a record of an
// ended period.
inline bool valid_now(const optiks_context_t* context) { return valid(context) && context->ended_record == nullptr; }

inline Reason to_anchor(const optiks_anchor_t& anchor, Anchor& out) {
  return make_anchor({anchor.configuration, anchor.configuration_len}, anchor.log_public_key, out);
}

inline KeptRecord to_kept(const std::uint8_t* record, const std::uint8_t* period_record) {
  KeptRecord kept;
  kept.record = read_record({record, kRecordLen});
  if (period_record != nullptr) {
    kept.period_start = read_record({period_record, kRecordLen});
  }
  return kept;
}

inline Reason to_context(const optiks_context_t& context, Context& out) {
  out.ed25519 = ed25519_verify;
  out.now_ms = context.now_ms;
  if (context.kept_size != 0) {
    Checkpoint& kept = out.kept_checkpoint.emplace();
    kept.size = context.kept_size;
    std::ranges::copy(context.kept_root, kept.root.begin());
  }
  if (context.ended_record != nullptr) {
    out.ended_record = read_record({context.ended_record, kRecordLen});
  }
  if (context.kept_record != nullptr) {
    out.kept_record = to_kept(context.kept_record, context.kept_period_record);
  }
  return to_anchor(context.anchor, out.anchor);
}

inline KeyState to_key_state(const optiks_known_t& known) {
  KeyState state;
  state.least_epoch = known.least_epoch;
  state.known.period = known.period;
  state.known.version = known.version;
  state.known.time = known.time;
  state.known.absent_epoch = known.absent_epoch;
  state.known.has_absent = known.has_absent != 0;
  state.known.page_version = known.page_version;
  return state;
}

// True if every state is valid by docs/spec/pahd.md section 3. `may_be_page` is true for questions about lists of
// versions: only then is a state after a page valid.
inline bool valid(const optiks_known_t* known, std::size_t n, bool may_be_page) {
  if (known == nullptr) {
    return true;
  }
  return std::all_of(known, known + n, [&](const optiks_known_t& one) {
    return to_key_state(one).known.is_consistent() && (may_be_page || one.page_version == 0);
  });
}

// Returns the offset of a view within the answer, or 0 for an empty view.
inline std::size_t offset_in(ByteSpan answer, ByteSpan view) {
  return view.data() == nullptr ? 0 : static_cast<std::size_t>(view.data() - answer.data());
}

inline optiks_head_result_t to_result(const VerifiedHead& verified, const Head& head, ByteSpan answer) {
  optiks_head_result_t out{};
  out.epoch = verified.record.epoch;
  out.period = verified.record.period;
  out.period_first_epoch = verified.record.period_first_epoch;
  out.time_ms = verified.record.time_ms;
  out.size = verified.checkpoint.size;
  std::ranges::copy(verified.checkpoint.root, out.root);
  out.record_offset = offset_in(answer, head.record);
  out.checkpoint_offset = offset_in(answer, head.checkpoint);
  out.checkpoint_len = head.checkpoint.size();
  return out;
}

inline optiks_lookup_result_t to_result(const LookupResult& result, ByteSpan answer) {
  optiks_lookup_result_t out{};
  out.version = result.version;
  out.time = result.time;
  out.leaf_epoch = result.leaf_epoch;
  out.value_offset = offset_in(answer, result.value);
  out.value_len = result.value.size();
  out.has_value = result.has_value ? 1 : 0;
  out.begins_with_copy = result.begins_with_copy ? 1 : 0;
  return out;
}

inline optiks_version_entry_t to_version_entry(const VersionEntry& entry, ByteSpan answer) {
  optiks_version_entry_t out{};
  out.version = entry.version;
  out.leaf_epoch = entry.leaf_epoch;
  out.time = entry.time;
  out.value_offset = offset_in(answer, entry.value);
  out.value_len = entry.value.size();
  out.has_value = entry.has_value ? 1 : 0;
  return out;
}

inline optiks_versions_result_t to_versions_result(const VersionsResult& result) {
  optiks_versions_result_t out{};
  out.version = result.version;
  out.from = result.from;
  out.num_entries = result.num_entries;
  out.complete = result.complete ? 1 : 0;
  return out;
}

// Starts to verify an answer: checks the trust anchor, then calls the verifier's begin().
template <typename Verifier>
Reason begin(const optiks_context_t& context, ByteSpan answer, std::size_t num_keys, Verifier& verifier) {
  Context brought;
  const Reason reason = to_context(context, brought);
  return reason == Reason::kValid ? verifier.begin(brought, answer, num_keys) : reason;
}

}  // namespace optiks::ozks::capi
