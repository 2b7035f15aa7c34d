// The verdicts of docs/spec/reasons.md. Numbers and names never change their meaning; every language has the same list.
#pragma once

#include <cstdint>

#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks::verify {

// Reason: 0 is valid, 1..19 malformed, all others invalid.
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
};

// reason_name: the name of docs/spec/reasons.md ("member_root"), a string of static lifetime; nullptr for a number that
// is no reason.
[[nodiscard]] const char* reason_name(std::int32_t reason);

// reason_of: the reason of the same name.
[[nodiscard]] Reason reason_of(vrf::Reason reason);

}  // namespace optiks::ozks::verify
