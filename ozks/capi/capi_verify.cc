// Implements the C ABI calls that verify, except those about users and periods.
#include <algorithm>
#include <vector>

#include "capi_context.h"
#include "optiks/ozks/verify/leaves.h"
#include "optiks/ozks/verify/rfc6962.h"

namespace {

using namespace optiks::ozks::capi;
using namespace optiks::ozks::verify;
using optiks::ozks::ByteStrings;

// The maximum number of hashes in a proof of a tree of at most 2^64 - 1 entries.
constexpr std::size_t kMaxLogHashes = 65;

std::int32_t verify_lookup_answer(const optiks_context_t& context, std::size_t n, const ByteStrings& keys,
                                  const optiks_known_t* known, ByteSpan answer, std::int32_t* out_reason,
                                  std::size_t* out_failed, optiks_head_result_t* out_head,
                                  optiks_lookup_result_t* out_results) {
  LookupAnswerVerifier verifier;
  Reason reason = begin(context, answer, n, verifier);
  std::size_t failed = n;
  std::vector<LookupResult> results(reason == Reason::kValid ? n : 0);
  for (std::size_t i = 0; i < results.size() && reason == Reason::kValid; ++i) {
    reason = verifier.next(keys[i], known == nullptr ? KeyState() : to_key_state(known[i]), results[i]);
    failed = reason == Reason::kValid ? n : i;
  }
  if (reason == Reason::kValid) {
    *out_head = to_result(verifier.head(), verifier.encoded_head(), answer);
    std::ranges::transform(results, out_results, [&](const LookupResult& result) { return to_result(result, answer); });
  }
  *out_reason = to_number(reason);
  *out_failed = failed;
  return OPTIKS_OK;
}

std::int32_t verify_versions_answer(const optiks_context_t& context, std::size_t n, const ByteStrings& keys,
                                    const optiks_known_t* known, ByteSpan answer, optiks_versions_verdict_t& out) {
  VersionsAnswerVerifier verifier;
  Reason reason = begin(context, answer, n, verifier);
  const std::size_t num_entries = reason == Reason::kValid ? verifier.num_entries() : 0;
  if (num_entries > out.entries_capacity) {
    set_last_error("entries_capacity is too small");
    out.num_entries = num_entries;
    return OPTIKS_E_BUFFER;
  }
  std::size_t failed = n;
  std::vector<VersionsResult> results(reason == Reason::kValid ? n : 0);
  std::vector<VersionEntry> entries(num_entries);
  std::span<VersionEntry> free = entries;
  for (std::size_t i = 0; i < results.size() && reason == Reason::kValid; ++i) {
    reason = verifier.next(keys[i], known == nullptr ? KeyState() : to_key_state(known[i]), free, results[i]);
    failed = reason == Reason::kValid ? n : i;
    free = free.subspan(results[i].num_entries);
  }
  const bool accepted = reason == Reason::kValid;
  if (accepted) {
    out.head = to_result(verifier.head(), verifier.encoded_head(), answer);
    std::ranges::transform(results, out.results, to_versions_result);
    std::ranges::transform(entries, out.entries,
                           [&](const VersionEntry& entry) { return to_version_entry(entry, answer); });
  }
  out.reason = to_number(reason);
  out.failed = failed;
  out.num_entries = accepted ? num_entries : 0;
  return OPTIKS_OK;
}

}  // namespace

extern "C" {

int32_t optiks_verify_anchor(const optiks_anchor_t* anchor, int32_t* out_reason, uint8_t out_log_id[32]) {
  return guarded([&]() -> std::int32_t {
    if (!valid(anchor) || out_reason == nullptr || out_log_id == nullptr) {
      return argument_error("optiks_verify_anchor: NULL");
    }
    Anchor checked;
    const Reason reason = to_anchor(*anchor, checked);
    if (reason == Reason::kValid) {
      std::ranges::copy(checked.log_id, out_log_id);
    }
    *out_reason = to_number(reason);
    return OPTIKS_OK;
  });
}

int32_t optiks_verify_head(const optiks_context_t* context, const uint8_t* head, size_t head_len, int32_t* out_reason,
                           optiks_head_result_t* out_head) {
  return guarded([&]() -> std::int32_t {
    if (!valid(context) || !readable(head, head_len) || out_reason == nullptr || out_head == nullptr) {
      return argument_error("optiks_verify_head: NULL");
    }
    const ByteSpan octets(head, head_len);
    Context brought;
    Head decoded;
    VerifiedHead verified;
    Reason reason = to_context(*context, brought);
    if (reason == Reason::kValid) {
      reason = decode_whole(octets, decoded);
    }
    if (reason == Reason::kValid) {
      reason = verify_head(brought, decoded, verified);
    }
    if (reason == Reason::kValid) {
      *out_head = to_result(verified, decoded, octets);
    }
    *out_reason = to_number(reason);
    return OPTIKS_OK;
  });
}

int32_t optiks_verify_lookup(const optiks_context_t* context, size_t n, const uint8_t* keys,
                             const uint64_t* key_offsets, const optiks_known_t* known, const uint8_t* answer,
                             size_t answer_len, int32_t* out_reason, size_t* out_failed, optiks_head_result_t* out_head,
                             optiks_lookup_result_t* out_results) {
  return guarded([&]() -> std::int32_t {
    ByteStrings asked;
    if (!valid_now(context) || !read_keys(n, keys, key_offsets, asked) || !readable(answer, answer_len) ||
        out_reason == nullptr || out_failed == nullptr || out_head == nullptr || !readable(out_results, n) ||
        !valid(known, n, false)) {
      return argument_error(
          "optiks_verify_lookup: NULL, an ended record, a key that is not 1..255 octets, or a known state that is "
          "none");
    }
    return verify_lookup_answer(*context, n, asked, known, {answer, answer_len}, out_reason, out_failed, out_head,
                                out_results);
  });
}

int32_t optiks_verify_versions(const optiks_context_t* context, size_t n, const uint8_t* keys,
                               const uint64_t* key_offsets, const optiks_known_t* known, const uint8_t* answer,
                               size_t answer_len, optiks_versions_verdict_t* out) {
  return guarded([&]() -> std::int32_t {
    ByteStrings asked;
    if (!valid(context) || !read_keys(n, keys, key_offsets, asked) || !readable(answer, answer_len) || out == nullptr ||
        !readable(out->results, n) || !readable(out->entries, out->entries_capacity) || !valid(known, n, true)) {
      return argument_error(
          "optiks_verify_versions: NULL, a key that is not 1..255 octets, or a known state that is none");
    }
    return verify_versions_answer(*context, n, asked, known, {answer, answer_len}, *out);
  });
}

int32_t optiks_verify_audit(const optiks_context_t* context, const uint8_t* stored_record, const uint8_t* period_record,
                            const uint8_t* proof, size_t proof_len, int32_t* out_reason,
                            uint8_t out_record[OPTIKS_RECORD_LEN], uint32_t* out_structures) {
  return guarded([&]() -> std::int32_t {
    if (!valid(context) || stored_record == nullptr || period_record == nullptr || !readable(proof, proof_len) ||
        out_reason == nullptr || out_record == nullptr || out_structures == nullptr) {
      return argument_error("optiks_verify_audit: NULL");
    }
    Context brought;
    Reason reason = to_context(*context, brought);
    if (reason == Reason::kValid) {
      AuditResult result;
      const auto verdict = verify_audit(brought, read_record({stored_record, kRecordLen}),
                                        read_record({period_record, kRecordLen}), {proof, proof_len}, result);
      if (!verdict.ok()) {
        set_last_error(verdict.status().message());
        return OPTIKS_E_MEMORY;
      }
      reason = verdict.value();
      if (reason == Reason::kValid) {
        std::ranges::copy(result.record.octets, out_record);
        *out_structures = 0;
        for (std::size_t i = 0; i < result.structures.size(); ++i) {
          *out_structures |= result.structures[i] ? 1U << i : 0U;
        }
      }
    }
    *out_reason = to_number(reason);
    return OPTIKS_OK;
  });
}

int32_t optiks_judge_leaves(const optiks_anchor_t* anchor, const uint8_t* first, size_t first_len,
                            const uint8_t* second, size_t second_len, int32_t* out_reason) {
  return guarded([&]() -> std::int32_t {
    if (!valid(anchor) || !readable(first, first_len) || !readable(second, second_len) || out_reason == nullptr) {
      return argument_error("optiks_judge_leaves: NULL");
    }
    Context brought;
    brought.ed25519 = ed25519_verify;
    Reason reason = to_anchor(*anchor, brought.anchor);
    if (reason == Reason::kValid) {
      reason = judge_leaves(brought, {first, first_len}, {second, second_len});
    }
    *out_reason = to_number(reason);
    return OPTIKS_OK;
  });
}

int32_t optiks_verify_record(const optiks_anchor_t* anchor, const uint8_t record[OPTIKS_RECORD_LEN],
                             const uint8_t* kept, const uint8_t* kept_period_record, int32_t* out_reason) {
  return guarded([&]() -> std::int32_t {
    if (!valid(anchor) || record == nullptr || out_reason == nullptr ||
        (kept == nullptr && kept_period_record != nullptr)) {
      return argument_error("optiks_verify_record: NULL");
    }
    Anchor checked;
    Reason reason = to_anchor(*anchor, checked);
    if (reason == Reason::kValid) {
      const EpochRecord found = read_record({record, kRecordLen});
      reason = check_record(found, checked);
      if (reason == Reason::kValid && kept != nullptr) {
        reason = check_against_kept(found, to_kept(kept, kept_period_record), checked);
      }
    }
    *out_reason = to_number(reason);
    return OPTIKS_OK;
  });
}

int32_t optiks_verify_checkpoint(const optiks_anchor_t* anchor, const uint8_t* note, size_t note_len,
                                 int32_t* out_reason, uint64_t* out_size, uint8_t out_root[32]) {
  return guarded([&]() -> std::int32_t {
    if (!valid(anchor) || !readable(note, note_len) || out_reason == nullptr || out_size == nullptr ||
        out_root == nullptr) {
      return argument_error("optiks_verify_checkpoint: NULL");
    }
    Anchor checked;
    Checkpoint checkpoint;
    Reason reason = to_anchor(*anchor, checked);
    if (reason == Reason::kValid) {
      reason = verify_checkpoint({note, note_len}, checked.configuration.origin, checked.log_public_key, ed25519_verify,
                                 checkpoint);
    }
    if (reason == Reason::kValid) {
      *out_size = checkpoint.size;
      std::ranges::copy(checkpoint.root, out_root);
    }
    *out_reason = to_number(reason);
    return OPTIKS_OK;
  });
}

int32_t optiks_verify_inclusion(uint64_t index, uint64_t size, const uint8_t leaf_hash[32], const uint8_t root[32],
                                const uint8_t* proof, size_t num_hashes, int32_t* out_ok) {
  return guarded([&]() -> std::int32_t {
    if (leaf_hash == nullptr || root == nullptr || !readable(proof, num_hashes) || out_ok == nullptr) {
      return argument_error("optiks_verify_inclusion: NULL");
    }
    *out_ok = num_hashes <= kMaxLogHashes && verify_inclusion(index, size, {leaf_hash, kHashLen}, {root, kHashLen},
                                                              {proof, num_hashes * kHashLen})
                  ? 1
                  : 0;
    return OPTIKS_OK;
  });
}

int32_t optiks_verify_consistency(uint64_t old_size, uint64_t new_size, const uint8_t old_root[32],
                                  const uint8_t new_root[32], const uint8_t* proof, size_t num_hashes,
                                  int32_t* out_ok) {
  return guarded([&]() -> std::int32_t {
    if (old_root == nullptr || new_root == nullptr || !readable(proof, num_hashes) || out_ok == nullptr) {
      return argument_error("optiks_verify_consistency: NULL");
    }
    *out_ok = num_hashes <= kMaxLogHashes && verify_consistency(old_size, new_size, {old_root, kHashLen},
                                                                {new_root, kHashLen}, {proof, num_hashes * kHashLen})
                  ? 1
                  : 0;
    return OPTIKS_OK;
  });
}

}  // extern "C"
