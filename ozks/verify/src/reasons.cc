#include "optiks/ozks/verify/reasons.h"

#include "optiks/base/check.h"

namespace optiks::ozks::verify {

// A switch without default: the compiler names a reason that is missing here.
const char* reason_name(std::int32_t reason) {
  switch (static_cast<Reason>(reason)) {
    case Reason::kValid:
      return "valid";
    case Reason::kMalformedTruncated:
      return "malformed_truncated";
    case Reason::kMalformedLength:
      return "malformed_length";
    case Reason::kMalformedEnum:
      return "malformed_enum";
    case Reason::kMalformedTrailing:
      return "malformed_trailing";
    case Reason::kVrfKeyInvalid:
      return "vrf_key_invalid";
    case Reason::kVrfGammaMalformed:
      return "vrf_gamma_malformed";
    case Reason::kVrfScalarRange:
      return "vrf_scalar_range";
    case Reason::kVrfGammaSmallOrder:
      return "vrf_gamma_small_order";
    case Reason::kVrfChallenge:
      return "vrf_challenge";
    case Reason::kPathLength:
      return "path_length";
    case Reason::kMemberRoot:
      return "member_root";
    case Reason::kMemberKind:
      return "member_kind";
    case Reason::kValueTooLong:
      return "value_too_long";
    case Reason::kAbsentEmpty:
      return "absent_empty";
    case Reason::kAbsentPadding:
      return "absent_padding";
    case Reason::kAbsentCovers:
      return "absent_covers";
    case Reason::kAbsentDepth:
      return "absent_depth";
    case Reason::kAbsentRoot:
      return "absent_root";
    case Reason::kVersionRange:
      return "version_range";
    case Reason::kVersionRegressed:
      return "version_regressed";
    case Reason::kLadderCount:
      return "ladder_count";
    case Reason::kLeafEpochFuture:
      return "leaf_epoch_future";
    case Reason::kLeafEpochPeriod:
      return "leaf_epoch_period";
    case Reason::kLeafEpochOrder:
      return "leaf_epoch_order";
    case Reason::kHistoryFrom:
      return "history_from";
    case Reason::kAnswerCount:
      return "answer_count";
    case Reason::kRecordFormat:
      return "record_format";
    case Reason::kRecordLogId:
      return "record_log_id";
    case Reason::kRecordPeriod:
      return "record_period";
    case Reason::kRecordCount:
      return "record_count";
    case Reason::kRecordPrevious:
      return "record_previous";
    case Reason::kRecordTime:
      return "record_time";
    case Reason::kRecordVrfKey:
      return "record_vrf_key";
    case Reason::kRecordEpoch:
      return "record_epoch";
    case Reason::kRecordFromFuture:
      return "record_from_future";
    case Reason::kRecordTooOld:
      return "record_too_old";
    case Reason::kCheckpointMissing:
      return "checkpoint_missing";
    case Reason::kCheckpointMalformed:
      return "checkpoint_malformed";
    case Reason::kCheckpointOrigin:
      return "checkpoint_origin";
    case Reason::kCheckpointSignature:
      return "checkpoint_signature";
    case Reason::kCheckpointConsistency:
      return "checkpoint_consistency";
    case Reason::kInclusionIndex:
      return "inclusion_index";
    case Reason::kInclusionProof:
      return "inclusion_proof";
    case Reason::kStale:
      return "stale";
    case Reason::kFork:
      return "fork";
    case Reason::kAuditStart:
      return "audit_start";
    case Reason::kAuditCrossesSwitch:
      return "audit_crosses_switch";
    case Reason::kAppendLeafOrder:
      return "append_leaf_order";
    case Reason::kAppendLeafEpoch:
      return "append_leaf_epoch";
    case Reason::kAppendLeafCount:
      return "append_leaf_count";
    case Reason::kAppendToken:
      return "append_token";
    case Reason::kAppendPrefix:
      return "append_prefix";
    case Reason::kAppendPosition:
      return "append_position";
    case Reason::kAppendExists:
      return "append_exists";
    case Reason::kAppendTruncated:
      return "append_truncated";
    case Reason::kAppendTrailing:
      return "append_trailing";
    case Reason::kAppendOldRoot:
      return "append_old_root";
    case Reason::kAppendNewRoot:
      return "append_new_root";
    case Reason::kConfiguration:
      return "configuration";
  }
  return nullptr;
}

Reason reason_of(vrf::Reason reason) {
  switch (reason) {
    case vrf::Reason::kValid:
      return Reason::kValid;
    case vrf::Reason::kKeyInvalid:
      return Reason::kVrfKeyInvalid;
    case vrf::Reason::kGammaMalformed:
      return Reason::kVrfGammaMalformed;
    case vrf::Reason::kScalarRange:
      return Reason::kVrfScalarRange;
    case vrf::Reason::kGammaSmallOrder:
      return Reason::kVrfGammaSmallOrder;
    case vrf::Reason::kChallenge:
      return Reason::kVrfChallenge;
  }
  OPTIKS_CHECK(false);
}

}  // namespace optiks::ozks::verify
