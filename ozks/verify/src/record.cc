#include "optiks/ozks/verify/record.h"

#include <algorithm>

#include "optiks/base/check.h"
#include "optiks/ozks/verify/text.h"
#include "try.h"

namespace optiks::ozks::verify {
namespace {

constexpr std::uint16_t kFormat = 1;
constexpr std::uint16_t kFormatWithUsernameForm = 2;  // of a configuration
constexpr std::uint16_t kSuite = 1;
// The maximum of period_length_ms. JSON can represent all integers up to it exactly.
constexpr std::uint64_t kMaxPeriodLengthMs = (std::uint64_t{1} << 53) - 1;

// Reads an integer of a structure. The type of the field determines how many octets it has.
template <typename T>
void read(Reader& reader, T& field) {
  field = static_cast<T>(reader.integer(sizeof(T)));
}

bool is_origin(ByteSpan origin) {
  return is_utf8(origin) && !has_white_space(origin) && !has_control_character(origin) &&
         std::ranges::find(origin, '+') == origin.end() && origin.back() != '/';
}

bool is_zero(ByteSpan octets) {
  return std::ranges::all_of(octets, [](std::uint8_t octet) { return octet == 0; });
}

// Checks rule 3 of docs/spec/records.md section 4.
bool period_follows(const EpochRecord& later, const EpochRecord& earlier, const Configuration& configuration,
                    std::optional<std::uint64_t> period_start_ms) {
  const std::uint64_t step = later.epoch - earlier.epoch;
  if (later.period < earlier.period || later.period - earlier.period > step) {
    return false;
  }
  if (later.period == earlier.period) {
    return later.period_first_epoch == earlier.period_first_epoch;
  }
  if (later.period_first_epoch <= earlier.epoch || (step == 1 && later.period_first_epoch != later.epoch)) {
    return false;
  }
  if (earlier.epoch == earlier.period_first_epoch) {
    period_start_ms = earlier.time_ms;
  }
  // Each period that ended between the two records must have lasted at least period_length_ms.
  return period_start_ms && later.time_ms >= *period_start_ms &&
         (later.time_ms - *period_start_ms) / configuration.period_length_ms >= later.period - earlier.period;
}

}  // namespace

Configuration Configuration::decode(Reader& reader) {
  Configuration c;
  read(reader, c.format);
  read(reader, c.suite);
  c.origin = reader.vector({1, 255});
  read(reader, c.period_length_ms);
  read(reader, c.retained_periods);
  read(reader, c.username_reuse);
  read(reader, c.max_key_len);
  read(reader, c.max_value_len);
  read(reader, c.max_devices);
  read(reader, c.heartbeat_ms);
  read(reader, c.max_ahead_ms);
  read(reader, c.max_behind_ms);
  if (c.format == kFormatWithUsernameForm) {
    read(reader, c.username_form);
  }
  return c;
}

Reason read_configuration(ByteSpan octets, Configuration& out) {
  OPTIKS_TRY(decode_whole(octets, out));
  const bool in_bounds = (out.format == kFormat || out.format == kFormatWithUsernameForm) && out.username_form <= 1 &&
                         out.suite == kSuite && is_origin(out.origin) && out.period_length_ms > 0 &&
                         out.period_length_ms <= kMaxPeriodLengthMs && out.retained_periods >= 2 &&
                         out.username_reuse <= 1 && out.max_key_len >= 1 && out.max_value_len >= 1 &&
                         out.max_value_len <= kMaxValueLen && out.max_devices >= 1 && out.heartbeat_ms >= 1;
  return in_bounds ? Reason::kValid : Reason::kConfiguration;
}

Reason make_anchor(ByteSpan configuration, ByteSpan log_public_key, Anchor& out) {
  OPTIKS_TRY(read_configuration(configuration, out.configuration));
  out.log_public_key = log_public_key;
  out.log_id = log_id_hash(configuration, log_public_key);
  return Reason::kValid;
}

StructureState StructureState::decode(Reader& reader) {
  StructureState state;
  state.root = reader.take(kHashLen);
  read(reader, state.count);
  state.vrf_public_key = reader.take(vrf::kPublicKeyLen);
  return state;
}

EpochRecord read_record(ByteSpan octets) {
  OPTIKS_CHECK(octets.size() == kRecordLen);
  Reader reader(octets);
  EpochRecord record;
  record.octets = octets;
  read(reader, record.format);
  record.log_id = reader.take(kHashLen);
  read(reader, record.epoch);
  read(reader, record.period);
  read(reader, record.period_first_epoch);
  read(reader, record.time_ms);
  for (StructureState& state : record.structures) {
    state = StructureState::decode(reader);
  }
  record.previous = reader.take(kHashLen);
  OPTIKS_DCHECK(reader.finish() == Reason::kValid);
  return record;
}

Reason check_record(const EpochRecord& record, const Anchor& anchor) {
  if (record.format != kFormat) {
    return Reason::kRecordFormat;
  }
  if (!equal(record.log_id, anchor.log_id)) {
    return Reason::kRecordLogId;
  }
  if (record.period_first_epoch > record.epoch || (record.period == 0) != (record.period_first_epoch == 0)) {
    return Reason::kRecordPeriod;
  }
  const Hash empty = empty_root();
  for (const StructureState& state : record.structures) {
    if ((state.count == 0) != equal(state.root, empty)) {
      return Reason::kRecordCount;
    }
  }
  if (record.epoch == 0) {
    const auto is_empty = [](const StructureState& state) { return state.count == 0; };
    if (!std::ranges::all_of(record.structures, is_empty)) {
      return Reason::kRecordCount;
    }
    if (!is_zero(record.previous)) {
      return Reason::kRecordPrevious;
    }
  }
  return Reason::kValid;
}

Reason check_record_after(const EpochRecord& later, const EpochRecord& earlier, const Configuration& configuration,
                          std::optional<std::uint64_t> period_start_ms) {
  OPTIKS_CHECK(earlier.epoch < later.epoch);
  const std::uint64_t step = later.epoch - earlier.epoch;
  if (step == 1 && !equal(later.previous, record_hash(earlier.octets))) {
    return Reason::kRecordPrevious;
  }
  if (later.time_ms < earlier.time_ms || later.time_ms - earlier.time_ms < step) {
    return Reason::kRecordTime;
  }
  if (!period_follows(later, earlier, configuration, period_start_ms)) {
    return Reason::kRecordPeriod;
  }
  const bool same_period = later.period == earlier.period;
  for (const std::uint8_t id : kStructures) {
    const bool same_key = equal(later.structure(id).vrf_public_key, earlier.structure(id).vrf_public_key);
    if (same_key != (same_period || !is_per_period(id))) {
      return Reason::kRecordVrfKey;
    }
  }
  for (const std::uint8_t id : kStructures) {
    const bool may_decrease = is_per_period(id) && !same_period;
    if (!may_decrease && later.structure(id).count < earlier.structure(id).count) {
      return Reason::kRecordCount;
    }
  }
  return Reason::kValid;
}

Reason check_same_log(const EpochRecord& a, const EpochRecord& b, const Configuration& configuration,
                      std::optional<std::uint64_t> period_start_ms) {
  if (a.epoch == b.epoch) {
    return equal(a.octets, b.octets) ? Reason::kValid : Reason::kFork;
  }
  return a.epoch < b.epoch ? check_record_after(b, a, configuration, period_start_ms)
                           : check_record_after(a, b, configuration, period_start_ms);
}

Reason check_period_start(const EpochRecord& start, const EpochRecord& record, const Anchor& anchor) {
  OPTIKS_TRY(check_record(start, anchor));
  // check_same_log() then checks that both records have the same period_first_epoch, so `start` is the record of the
  // first epoch of the period of `record`.
  return start.epoch == record.period_first_epoch ? check_same_log(start, record, anchor.configuration)
                                                  : Reason::kRecordPeriod;
}

Reason check_against_kept(const EpochRecord& record, const KeptRecord& kept, const Anchor& anchor) {
  std::optional<std::uint64_t> period_start_ms;
  if (kept.period_start) {
    OPTIKS_TRY(check_period_start(*kept.period_start, kept.record, anchor));
    if (kept.record.epoch < record.epoch) {
      period_start_ms = kept.period_start->time_ms;
    }
  }
  return check_same_log(record, kept.record, anchor.configuration, period_start_ms);
}

Reason check_not_from_future(const EpochRecord& record, const Configuration& configuration, std::uint64_t now_ms) {
  const bool ahead = record.time_ms > now_ms && record.time_ms - now_ms > configuration.max_ahead_ms;
  return ahead ? Reason::kRecordFromFuture : Reason::kValid;
}

Reason check_fresh(const EpochRecord& record, const Configuration& configuration, std::uint64_t now_ms) {
  OPTIKS_TRY(check_not_from_future(record, configuration, now_ms));
  const bool behind = now_ms > record.time_ms && now_ms - record.time_ms > configuration.max_behind_ms;
  return behind ? Reason::kRecordTooOld : Reason::kValid;
}

}  // namespace optiks::ozks::verify
