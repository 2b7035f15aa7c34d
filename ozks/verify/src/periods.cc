#include "optiks/ozks/verify/periods.h"

#include "try.h"

#include <optional>

namespace optiks::ozks::verify {
namespace {

using Bounds = std::span<const ByteSpan>;

bool is_first(const EpochRecord& record) { return record.epoch == record.period_first_epoch; }

// Returns the time of the first epoch of a period, or nullopt if the record of this epoch is not among the bounds.
std::optional<std::uint64_t> start_ms_of(Bounds bounds, std::uint64_t period) {
  for (const ByteSpan octets : bounds) {
    const EpochRecord record = read_record(octets);
    if (record.period == period && is_first(record)) {
      return record.time_ms;
    }
  }
  return std::nullopt;
}

// Does step 3 of docs/spec/periods.md section 4, and sets `out.bounds`.
Reason check_bounds(const Context& context, const PeriodsAnswer& answer, PeriodsResult& out) {
  if (answer.bounds.size() == 0 || answer.bounds.size() > out.bounds.size()) {
    return Reason::kPeriodBounds;
  }
  for (const PartRecord& bound : answer.bounds) {
    const EpochRecord record = read_record(bound.record);
    OPTIKS_TRY(check_record(record, context.anchor));
    OPTIKS_TRY(check_included(record, out.head.checkpoint, bound.inclusion));
    out.bounds[out.num_bounds++] = bound.record;
  }
  return Reason::kValid;
}

// True if `record` may come after `before` in the list of bounds. The numbers are compared before they are subtracted,
// so no difference wraps.
bool is_next_bound(const EpochRecord& record, const EpochRecord& before) {
  if (record.period == before.period) {
    return is_first(before) && record.epoch > before.epoch;
  }
  return record.period > before.period && record.period - before.period == 1 && record.epoch > before.epoch &&
         record.epoch - before.epoch == 1 && is_first(record);
}

// Does step 4 of docs/spec/periods.md section 4.
Reason check_shape(Bounds bounds, const EpochRecord& head, std::uint64_t period) {
  EpochRecord before = read_record(bounds.front());
  if (before.period != period || !is_first(before)) {
    return Reason::kPeriodBounds;
  }
  for (const ByteSpan octets : bounds.subspan(1)) {
    const EpochRecord record = read_record(octets);
    if (!is_next_bound(record, before)) {
      return Reason::kPeriodBounds;
    }
    before = record;
  }
  const bool is_heads = before.period == head.period && is_first(before) && before.epoch == head.period_first_epoch;
  return is_heads ? Reason::kValid : Reason::kPeriodBounds;
}

// Does step 5 of docs/spec/periods.md section 4. check_shape() has checked that the bounds have the first epoch of each
// bound's period.
Reason check_chain(Bounds bounds, const EpochRecord& head, const Configuration& configuration) {
  EpochRecord before = read_record(bounds.front());
  for (const ByteSpan octets : bounds.subspan(1)) {
    const EpochRecord record = read_record(octets);
    OPTIKS_TRY(check_same_log(before, record, configuration, start_ms_of(bounds, before.period)));
    before = record;
  }
  return check_same_log(before, head, configuration, start_ms_of(bounds, before.period));
}

// Does step 6 of docs/spec/periods.md section 4 for one of the records.
Reason check_kept(Bounds bounds, const EpochRecord& record, const EpochRecord& kept,
                  const Configuration& configuration) {
  const EpochRecord& earlier = kept.epoch < record.epoch ? kept : record;
  return check_same_log(record, kept, configuration, start_ms_of(bounds, earlier.period));
}

Reason check_all_kept(Bounds bounds, const EpochRecord& head, const EpochRecord& kept,
                      const Configuration& configuration) {
  for (const ByteSpan octets : bounds) {
    OPTIKS_TRY(check_kept(bounds, read_record(octets), kept, configuration));
  }
  return check_kept(bounds, head, kept, configuration);
}

}  // namespace

PeriodsAnswer PeriodsAnswer::decode(Reader& reader) {
  PeriodsAnswer answer;
  answer.head = Head::decode(reader);
  answer.bounds = List<PartRecord>::decode(reader, {0, kMax24});
  return answer;
}

Reason verify_periods(const Context& context, std::uint64_t period, ByteSpan octets, PeriodsResult& out) {
  out = {};
  PeriodsAnswer answer;
  OPTIKS_TRY(decode_whole(octets, answer));
  out.encoded_head = answer.head;
  OPTIKS_TRY(verify_head_alone(context, answer.head, out.head));
  OPTIKS_TRY(check_bounds(context, answer, out));
  const Configuration& configuration = context.anchor.configuration;
  const EpochRecord& head = out.head.record;
  const Bounds bounds = std::span(out.bounds).first(out.num_bounds);
  OPTIKS_TRY(check_shape(bounds, head, period));
  OPTIKS_TRY(check_chain(bounds, head, configuration));
  if (context.kept_record) {
    OPTIKS_TRY(check_all_kept(bounds, head, context.kept_record->record, configuration));
  }
  return check_fresh(head, configuration, context.now_ms);
}

}  // namespace optiks::ozks::verify
