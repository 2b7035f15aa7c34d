// Implements the C ABI calls that verify answers about ended periods, and the hand-over to the next period.
#include <algorithm>

#include "capi_context.h"
#include "optiks/ozks/verify/handover.h"
#include "optiks/ozks/verify/periods.h"

namespace {

using namespace optiks::ozks::capi;
using namespace optiks::ozks::verify;

// Converts an entry that optiks_verify_versions returned. Returns false if the entry is not of version 1, or its value
// is not within the answer.
bool to_entry(const optiks_version_entry_t& entry, ByteSpan answer, VersionEntry& out) {
  if (entry.version != 1 || entry.value_offset > answer.size() ||
      entry.value_len > answer.size() - entry.value_offset) {
    return false;
  }
  out = {entry.version, entry.leaf_epoch, entry.time, entry.has_value != 0,
         answer.subspan(entry.value_offset, entry.value_len)};
  return true;
}

}  // namespace

extern "C" {

int32_t optiks_verify_periods(const optiks_context_t* context, uint64_t period, const uint8_t* answer,
                              size_t answer_len, int32_t* out_reason, optiks_head_result_t* out_head,
                              size_t* out_bounds, size_t bounds_capacity, size_t* out_num_bounds) {
  return guarded([&]() -> std::int32_t {
    if (!valid_now(context) || !readable(answer, answer_len) || out_reason == nullptr || out_head == nullptr ||
        !readable(out_bounds, bounds_capacity) || out_num_bounds == nullptr) {
      return argument_error("optiks_verify_periods: NULL, or an ended record");
    }
    const ByteSpan octets(answer, answer_len);
    Context brought;
    PeriodsResult result;
    Reason reason = to_context(*context, brought);
    if (reason == Reason::kValid) {
      reason = verify_periods(brought, period, octets, result);
    }
    const std::size_t num_bounds = reason == Reason::kValid ? result.num_bounds : 0;
    *out_num_bounds = num_bounds;
    if (num_bounds > bounds_capacity) {
      set_last_error("bounds_capacity is too small");
      return OPTIKS_E_BUFFER;
    }
    if (reason == Reason::kValid) {
      *out_head = to_result(result.head, result.encoded_head, octets);
      std::ranges::transform(std::span(result.bounds).first(num_bounds), out_bounds,
                             [&](ByteSpan bound) { return offset_in(octets, bound); });
    }
    *out_reason = to_number(reason);
    return OPTIKS_OK;
  });
}

int32_t optiks_verify_handover(const optiks_head_result_t* head, const optiks_version_entry_t* first_entry,
                               const uint8_t* answer, size_t answer_len, const optiks_end_t* end, int32_t* out_reason) {
  return guarded([&]() -> std::int32_t {
    if (head == nullptr || !readable(answer, answer_len) || end == nullptr || out_reason == nullptr) {
      return argument_error("optiks_verify_handover: NULL");
    }
    VersionEntry first;
    if (first_entry != nullptr && !to_entry(*first_entry, {answer, answer_len}, first)) {
      return argument_error("optiks_verify_handover: the entry is not of version 1 in this answer");
    }
    EndState state{end->period, end->last_epoch, end->version, {}};
    std::ranges::copy(end->value_sha256, state.value_sha256.begin());
    const std::span<const VersionEntry> entries(&first, first_entry == nullptr ? 0U : 1U);
    *out_reason = to_number(check_handover({head->period, head->period_first_epoch}, entries, state));
    return OPTIKS_OK;
  });
}

}  // extern "C"
