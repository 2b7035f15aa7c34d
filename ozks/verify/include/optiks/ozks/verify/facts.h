// Generated from docs/spec/facts.toml by `make facts`: do not edit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace optiks::ozks::verify {

// The trees of a log (docs/spec/tree.md).
inline constexpr std::uint8_t kUsernames = 1;
inline constexpr std::uint8_t kDevices = 2;
inline constexpr std::uint8_t kKeys = 3;
inline constexpr std::uint8_t kDecommissioned = 4;
inline constexpr std::size_t kNumStructures = 4;
// kStructures: all structures, in the order of their ids.
inline constexpr std::array<std::uint8_t, kNumStructures> kStructures = {kUsernames, kDevices, kKeys, kDecommissioned};
// structure_index: the zero-based index of a structure in an array with one element for each structure.
[[nodiscard]] constexpr std::size_t structure_index(std::uint8_t structure) { return structure - std::size_t{1}; }
[[nodiscard]] constexpr bool is_structure(std::uint8_t id) { return id >= 1 && id <= kNumStructures; }
// has_versions: a key has versions 1, 2, ... there (PAHD); elsewhere it has one leaf, of version 0 (oZKS).
[[nodiscard]] constexpr bool has_versions(std::uint8_t structure) {
  return structure == kDevices || structure == kKeys;
}
// is_per_period: the tree begins anew with each time period.
[[nodiscard]] constexpr bool is_per_period(std::uint8_t structure) {
  return structure == kDevices || structure == kKeys;
}

// The first byte of each hash's input (docs/spec/encoding.md section 1).
inline constexpr std::uint8_t kTagLeaf = 0x01;
inline constexpr std::uint8_t kTagInterior = 0x02;
inline constexpr std::uint8_t kTagEmpty = 0x03;
inline constexpr std::uint8_t kTagCommitment = 0x04;
inline constexpr std::uint8_t kTagNote = 0x05;
inline constexpr std::uint8_t kTagRecord = 0x06;
inline constexpr std::uint8_t kTagLogId = 0x07;
inline constexpr std::uint8_t kTagPromise = 0x08;

// The length of a hash, of H (docs/spec/encoding.md section 1) or of SHA-256.
inline constexpr std::size_t kHashLen = 32;
// The length of the opening of a commitment (docs/spec/tree.md section 2).
inline constexpr std::size_t kOpeningLen = 16;
// The length of an Ed25519 signature (docs/spec/board.md section 5).
inline constexpr std::size_t kSignatureLen = 64;
// The length of a StructureState (docs/spec/records.md section 2).
inline constexpr std::size_t kStructureStateLen = 72;
// The length of an EpochRecord (docs/spec/records.md section 2).
inline constexpr std::size_t kRecordLen = 386;
// The length of an AddedLeaf (docs/spec/proofs.md section 5).
inline constexpr std::size_t kAddedLeafLen = 65;
// The largest length of a Path's siblings: one hash for each bit of a label (docs/spec/proofs.md section 1).
inline constexpr std::size_t kMaxSiblingsLen = 8192;
// The largest length of an inclusion or consistency proof: 63 hashes (docs/spec/board.md section 4).
inline constexpr std::size_t kMaxLogProofLen = 2016;
// The largest number of octets in a key; a key has at least one octet.
inline constexpr std::size_t kMaxKeyLen = 255;
// The largest number of octets in a value, unless the configuration sets another number.
inline constexpr std::size_t kDefaultMaxValueLen = 65'536;
// The largest number of octets in a value that a configuration may allow.
inline constexpr std::size_t kMaxValueLen = 1'048'576;
// The largest number of epochs in a range.
inline constexpr std::size_t kMaxRangeEpochs = 256;
// The largest number of users that a username leads to, one after another (docs/spec/recycled-names.md).
inline constexpr std::size_t kMaxGenerations = 64;
// The largest number of records in an answer with the bounds of periods (docs/spec/periods.md section 4).
inline constexpr std::size_t kMaxPeriodBounds = 128;

// Reason: 0 is valid, 1..19 malformed, all others invalid (docs/spec/reasons.md).
enum class [[nodiscard]] Reason : std::int32_t{
    kValid = 0,
    kMalformedTruncated = 1,
    kMalformedLength = 2,
    kMalformedEnum = 3,
    kMalformedTrailing = 4,
    kVrfKeyInvalid = 20,
    kVrfGammaMalformed = 21,
    kVrfScalarRange = 22,
    kVrfGammaSmallOrder = 23,
    kVrfChallenge = 24,
    kPathLength = 30,
    kMemberRoot = 31,
    kMemberKind = 32,
    kValueTooLong = 33,
    kAbsentEmpty = 40,
    kAbsentPadding = 41,
    kAbsentCovers = 42,
    kAbsentDepth = 43,
    kAbsentRoot = 44,
    kVersionRange = 50,
    kVersionRegressed = 51,
    kLadderCount = 52,
    kLeafEpochFuture = 53,
    kLeafEpochPeriod = 54,
    kLeafEpochOrder = 55,
    kHistoryFrom = 56,
    kAnswerCount = 57,
    kRecordFormat = 60,
    kRecordLogId = 61,
    kRecordPeriod = 62,
    kRecordCount = 63,
    kRecordPrevious = 64,
    kRecordTime = 65,
    kRecordVrfKey = 66,
    kRecordEpoch = 67,
    kRecordFromFuture = 68,
    kRecordTooOld = 69,
    kCheckpointMissing = 80,
    kCheckpointMalformed = 81,
    kCheckpointOrigin = 82,
    kCheckpointSignature = 83,
    kCheckpointConsistency = 84,
    kInclusionIndex = 85,
    kInclusionProof = 86,
    kStale = 87,
    kFork = 88,
    kAuditStart = 100,
    kAuditCrossesSwitch = 101,
    kAppendLeafOrder = 102,
    kAppendLeafEpoch = 103,
    kAppendLeafCount = 104,
    kAppendToken = 105,
    kAppendPrefix = 106,
    kAppendPosition = 107,
    kAppendExists = 108,
    kAppendTruncated = 109,
    kAppendTrailing = 110,
    kAppendOldRoot = 111,
    kAppendNewRoot = 112,
    kConfiguration = 120,
    kPartOrder = 130,
    kPartPeriod = 131,
    kPartUnknown = 132,
    kPartUnused = 133,
    kPartEpoch = 134,
    kUserKind = 140,
    kUserNameMissing = 141,
    kUserChanged = 142,
    kUserReturned = 143,
    kUserIdLength = 144,
    kDecommissionValue = 145,
    kDevicesMissing = 146,
    kDeviceList = 147,
    kDeviceCount = 148,
    kGenerationLeft = 149,
    kGenerationOrder = 150,
    kPeriodBounds = 160,
    kHandoverPeriod = 161,
    kHandoverUnset = 162,
    kHandoverMissing = 163,
    kHandoverValue = 164,
    kLeafUnrelated = 190,
    kLeafAgrees = 191,
    kLeafContradicts = 192,
};

inline constexpr std::pair<Reason, const char*> kReasonNames[] = {
    {Reason::kValid, "valid"},
    {Reason::kMalformedTruncated, "malformed_truncated"},
    {Reason::kMalformedLength, "malformed_length"},
    {Reason::kMalformedEnum, "malformed_enum"},
    {Reason::kMalformedTrailing, "malformed_trailing"},
    {Reason::kVrfKeyInvalid, "vrf_key_invalid"},
    {Reason::kVrfGammaMalformed, "vrf_gamma_malformed"},
    {Reason::kVrfScalarRange, "vrf_scalar_range"},
    {Reason::kVrfGammaSmallOrder, "vrf_gamma_small_order"},
    {Reason::kVrfChallenge, "vrf_challenge"},
    {Reason::kPathLength, "path_length"},
    {Reason::kMemberRoot, "member_root"},
    {Reason::kMemberKind, "member_kind"},
    {Reason::kValueTooLong, "value_too_long"},
    {Reason::kAbsentEmpty, "absent_empty"},
    {Reason::kAbsentPadding, "absent_padding"},
    {Reason::kAbsentCovers, "absent_covers"},
    {Reason::kAbsentDepth, "absent_depth"},
    {Reason::kAbsentRoot, "absent_root"},
    {Reason::kVersionRange, "version_range"},
    {Reason::kVersionRegressed, "version_regressed"},
    {Reason::kLadderCount, "ladder_count"},
    {Reason::kLeafEpochFuture, "leaf_epoch_future"},
    {Reason::kLeafEpochPeriod, "leaf_epoch_period"},
    {Reason::kLeafEpochOrder, "leaf_epoch_order"},
    {Reason::kHistoryFrom, "history_from"},
    {Reason::kAnswerCount, "answer_count"},
    {Reason::kRecordFormat, "record_format"},
    {Reason::kRecordLogId, "record_log_id"},
    {Reason::kRecordPeriod, "record_period"},
    {Reason::kRecordCount, "record_count"},
    {Reason::kRecordPrevious, "record_previous"},
    {Reason::kRecordTime, "record_time"},
    {Reason::kRecordVrfKey, "record_vrf_key"},
    {Reason::kRecordEpoch, "record_epoch"},
    {Reason::kRecordFromFuture, "record_from_future"},
    {Reason::kRecordTooOld, "record_too_old"},
    {Reason::kCheckpointMissing, "checkpoint_missing"},
    {Reason::kCheckpointMalformed, "checkpoint_malformed"},
    {Reason::kCheckpointOrigin, "checkpoint_origin"},
    {Reason::kCheckpointSignature, "checkpoint_signature"},
    {Reason::kCheckpointConsistency, "checkpoint_consistency"},
    {Reason::kInclusionIndex, "inclusion_index"},
    {Reason::kInclusionProof, "inclusion_proof"},
    {Reason::kStale, "stale"},
    {Reason::kFork, "fork"},
    {Reason::kAuditStart, "audit_start"},
    {Reason::kAuditCrossesSwitch, "audit_crosses_switch"},
    {Reason::kAppendLeafOrder, "append_leaf_order"},
    {Reason::kAppendLeafEpoch, "append_leaf_epoch"},
    {Reason::kAppendLeafCount, "append_leaf_count"},
    {Reason::kAppendToken, "append_token"},
    {Reason::kAppendPrefix, "append_prefix"},
    {Reason::kAppendPosition, "append_position"},
    {Reason::kAppendExists, "append_exists"},
    {Reason::kAppendTruncated, "append_truncated"},
    {Reason::kAppendTrailing, "append_trailing"},
    {Reason::kAppendOldRoot, "append_old_root"},
    {Reason::kAppendNewRoot, "append_new_root"},
    {Reason::kConfiguration, "configuration"},
    {Reason::kPartOrder, "part_order"},
    {Reason::kPartPeriod, "part_period"},
    {Reason::kPartUnknown, "part_unknown"},
    {Reason::kPartUnused, "part_unused"},
    {Reason::kPartEpoch, "part_epoch"},
    {Reason::kUserKind, "user_kind"},
    {Reason::kUserNameMissing, "user_name_missing"},
    {Reason::kUserChanged, "user_changed"},
    {Reason::kUserReturned, "user_returned"},
    {Reason::kUserIdLength, "user_id_length"},
    {Reason::kDecommissionValue, "decommission_value"},
    {Reason::kDevicesMissing, "devices_missing"},
    {Reason::kDeviceList, "device_list"},
    {Reason::kDeviceCount, "device_count"},
    {Reason::kGenerationLeft, "generation_left"},
    {Reason::kGenerationOrder, "generation_order"},
    {Reason::kPeriodBounds, "period_bounds"},
    {Reason::kHandoverPeriod, "handover_period"},
    {Reason::kHandoverUnset, "handover_unset"},
    {Reason::kHandoverMissing, "handover_missing"},
    {Reason::kHandoverValue, "handover_value"},
    {Reason::kLeafUnrelated, "leaf_unrelated"},
    {Reason::kLeafAgrees, "leaf_agrees"},
    {Reason::kLeafContradicts, "leaf_contradicts"},
};

}  // namespace optiks::ozks::verify
