// Decodes and checks configurations, log ids and epoch records (docs/spec/records.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/hash.h"
#include "optiks/ozks/verify/reasons.h"

namespace optiks::ozks::verify {

// A decoded configuration. Its view points into the octets that were decoded.
struct Configuration {
  std::uint16_t format = 0;
  std::uint16_t suite = 0;
  ByteSpan origin;
  std::uint64_t period_length_ms = 0;
  std::uint8_t retained_periods = 0;
  std::uint8_t username_reuse = 0;
  std::uint8_t max_key_len = 0;
  std::uint32_t max_value_len = 0;
  std::uint16_t max_devices = 0;
  std::uint32_t heartbeat_ms = 0;
  std::uint32_t max_ahead_ms = 0;
  std::uint32_t max_behind_ms = 0;
  std::uint8_t username_form = 0;

  static Configuration decode(Reader& reader);
};

// Decodes a configuration and checks the bounds of docs/spec/records.md section 1.
Reason read_configuration(ByteSpan octets, Configuration& out);

// The trust anchor. The client must get it over a channel that the server does not control.
struct Anchor {
  Configuration configuration;
  ByteSpan log_public_key;  // 32, Ed25519
  Hash log_id{};
};

// Makes a trust anchor. Its views point to the octets of the arguments.
Reason make_anchor(ByteSpan configuration, ByteSpan log_public_key, Anchor& out);

struct StructureState {
  ByteSpan root;  // 32
  std::uint64_t count = 0;
  ByteSpan vrf_public_key;  // 32

  static StructureState decode(Reader& reader);
};

struct EpochRecord {
  ByteSpan octets;  // the whole record
  std::uint16_t format = 0;
  ByteSpan log_id;  // 32
  std::uint64_t epoch = 0;
  std::uint64_t period = 0;
  std::uint64_t period_first_epoch = 0;
  std::uint64_t time_ms = 0;
  std::array<StructureState, kNumStructures> structures;
  ByteSpan previous;  // 32

  [[nodiscard]] const StructureState& structure(std::uint8_t id) const { return structures[structure_index(id)]; }
};

// Decodes a record. `octets` must have kRecordLen octets; every such string decodes.
[[nodiscard]] EpochRecord read_record(ByteSpan octets);

// Checks a record by docs/spec/records.md section 3, without another record.
Reason check_record(const EpochRecord& record, const Anchor& anchor);

// Checks two records of one log against each other, by docs/spec/records.md section 4. `later.epoch` must be greater
// than `earlier.epoch`. `period_start_ms`: the time of the first epoch of the earlier record's period, from a record
// that check_period_start() accepted. Without this time the function refuses a switch of the period, unless `earlier`
// is itself the record of the first epoch of its period.
Reason check_record_after(const EpochRecord& later, const EpochRecord& earlier, const Configuration& configuration,
                          std::optional<std::uint64_t> period_start_ms = std::nullopt);

// Checks two records of one log against each other; their order does not matter. Records of the same epoch must be
// equal. `period_start_ms`: as in check_record_after(), the time of the first epoch of the earlier record's period.
Reason check_same_log(const EpochRecord& a, const EpochRecord& b, const Configuration& configuration,
                      std::optional<std::uint64_t> period_start_ms = std::nullopt);

// Checks, by docs/spec/records.md section 5, that `start` is the record of the first epoch of the period of `record`.
// check_record() must have accepted `record`.
Reason check_period_start(const EpochRecord& start, const EpochRecord& record, const Anchor& anchor);

// A record that a client keeps. If the client also keeps the record of the first epoch of this record's period, it is
// `period_start`.
struct KeptRecord {
  EpochRecord record;
  std::optional<EpochRecord> period_start;
};

// Checks a record against a kept record (docs/spec/answers.md section 3 step 5).
Reason check_against_kept(const EpochRecord& record, const KeptRecord& kept, const Anchor& anchor);

// These functions check the time of a record (docs/spec/answers.md section 3 step 6). `now_ms` is the time of the
// client's clock.
Reason check_not_from_future(const EpochRecord& record, const Configuration& configuration, std::uint64_t now_ms);
Reason check_fresh(const EpochRecord& record, const Configuration& configuration, std::uint64_t now_ms);

}  // namespace optiks::ozks::verify
