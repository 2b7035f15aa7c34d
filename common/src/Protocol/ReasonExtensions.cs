using System.Collections.Frozen;

namespace Optiks.Protocol;

/// <summary>ReasonExtensions are the names and kinds of reasons.</summary>
public static class ReasonExtensions
{
    private static readonly FrozenDictionary<Reason, string> s_names = new Dictionary<Reason, string>
    {
        [Reason.Valid] = "valid",
        [Reason.MalformedTruncated] = "malformed_truncated",
        [Reason.MalformedLength] = "malformed_length",
        [Reason.MalformedEnum] = "malformed_enum",
        [Reason.MalformedTrailing] = "malformed_trailing",
        [Reason.VrfKeyInvalid] = "vrf_key_invalid",
        [Reason.VrfGammaMalformed] = "vrf_gamma_malformed",
        [Reason.VrfScalarRange] = "vrf_scalar_range",
        [Reason.VrfGammaSmallOrder] = "vrf_gamma_small_order",
        [Reason.VrfChallenge] = "vrf_challenge",
        [Reason.PathLength] = "path_length",
        [Reason.MemberRoot] = "member_root",
        [Reason.MemberKind] = "member_kind",
        [Reason.ValueTooLong] = "value_too_long",
        [Reason.AbsentEmpty] = "absent_empty",
        [Reason.AbsentPadding] = "absent_padding",
        [Reason.AbsentCovers] = "absent_covers",
        [Reason.AbsentDepth] = "absent_depth",
        [Reason.AbsentRoot] = "absent_root",
        [Reason.VersionRange] = "version_range",
        [Reason.VersionRegressed] = "version_regressed",
        [Reason.LadderCount] = "ladder_count",
        [Reason.LeafEpochFuture] = "leaf_epoch_future",
        [Reason.LeafEpochPeriod] = "leaf_epoch_period",
        [Reason.LeafEpochOrder] = "leaf_epoch_order",
        [Reason.HistoryFrom] = "history_from",
        [Reason.AnswerCount] = "answer_count",
        [Reason.RecordFormat] = "record_format",
        [Reason.RecordLogId] = "record_log_id",
        [Reason.RecordPeriod] = "record_period",
        [Reason.RecordCount] = "record_count",
        [Reason.RecordPrevious] = "record_previous",
        [Reason.RecordTime] = "record_time",
        [Reason.RecordVrfKey] = "record_vrf_key",
        [Reason.RecordEpoch] = "record_epoch",
        [Reason.RecordFromFuture] = "record_from_future",
        [Reason.RecordTooOld] = "record_too_old",
        [Reason.CheckpointMissing] = "checkpoint_missing",
        [Reason.CheckpointMalformed] = "checkpoint_malformed",
        [Reason.CheckpointOrigin] = "checkpoint_origin",
        [Reason.CheckpointSignature] = "checkpoint_signature",
        [Reason.CheckpointConsistency] = "checkpoint_consistency",
        [Reason.InclusionIndex] = "inclusion_index",
        [Reason.InclusionProof] = "inclusion_proof",
        [Reason.Stale] = "stale",
        [Reason.Fork] = "fork",
        [Reason.AuditStart] = "audit_start",
        [Reason.AuditCrossesSwitch] = "audit_crosses_switch",
        [Reason.AppendLeafOrder] = "append_leaf_order",
        [Reason.AppendLeafEpoch] = "append_leaf_epoch",
        [Reason.AppendLeafCount] = "append_leaf_count",
        [Reason.AppendToken] = "append_token",
        [Reason.AppendPrefix] = "append_prefix",
        [Reason.AppendPosition] = "append_position",
        [Reason.AppendExists] = "append_exists",
        [Reason.AppendTruncated] = "append_truncated",
        [Reason.AppendTrailing] = "append_trailing",
        [Reason.AppendOldRoot] = "append_old_root",
        [Reason.AppendNewRoot] = "append_new_root",
        [Reason.Configuration] = "configuration",
    }.ToFrozenDictionary();

    /// <summary>Name of the reason as docs/spec/reasons.md has it, such as <c>member_root</c>.</summary>
    public static string Name(this Reason reason) =>
        s_names.TryGetValue(reason, out string? name) ? name : throw new ArgumentOutOfRangeException(nameof(reason), reason, "Not a reason.");

    /// <summary>IsValid says whether every check passed.</summary>
    public static bool IsValid(this Reason reason) => reason == Reason.Valid;

    /// <summary>IsMalformed says whether the octets did not decode, as opposed to a proof that does not hold.</summary>
    public static bool IsMalformed(this Reason reason) => (int)reason is >= 1 and <= 19;
}
