using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>KeyRules say what a verified lookup of a key or a device list makes of what is kept of it (docs/spec/state.md section 1).</summary>
internal static class KeyRules
{
    /// <summary>
    /// TryLearn gives the state after a lookup that the verifier accepted, or why it is refused all the same. The verifier sees a step back by itself when the known version was brought to the question; it was
    /// not when its value was lost, or when nobody knew that the answer would be about this key.
    /// </summary>
    /// <param name="before">What is kept; null: nothing.</param>
    /// <param name="lookup">The lookup.</param>
    /// <param name="value">Value of its version; null when there is none.</param>
    /// <param name="period">Period of the record.</param>
    /// <param name="epoch">Epoch at which the answer holds, from now on the least one.</param>
    /// <param name="recordEpoch">Epoch of the record in whose tree the absence of later versions was proven.</param>
    /// <param name="after">What is to be kept.</param>
    /// <param name="reason">Why it is refused.</param>
    public static bool TryLearn(
        KeyState? before, VerifiedLookup lookup, byte[]? value, ulong period, ulong epoch, ulong recordEpoch, out KeyState after, out Reason reason)
    {
        bool unchanged = lookup.Version > 0 && lookup.Value is null;
        bool same = before is not null && before.Period == period && before.Version == lookup.Version;
        after = new KeyState
        {
            LeastEpoch = epoch,
            Period = period,
            Version = lookup.Version,
            Time = lookup.Time,
            AbsentEpoch = same ? Math.Max(before!.AbsentEpoch ?? 0, recordEpoch) : recordEpoch,
            PublishedEpoch = unchanged ? before!.PublishedEpoch : lookup.LeafEpoch,
            ValueSha256 = unchanged ? before!.ValueSha256 : value is null ? null : ValueHash.Of(value),
        };
        reason = before is null ? Reason.Valid
            : epoch < before.LeastEpoch ? Reason.Stale
            : StepsBack(before, after) ? Reason.VersionRegressed
            : ComesTooEarly(before, after) ? Reason.LeafEpochOrder
            : Reason.Valid;
        return reason == Reason.Valid;
    }

    private static bool StepsBack(KeyState before, KeyState after) =>
        before.Period == after.Period
        && (after.Version < before.Version
            || (after.Version == before.Version && (after.Time != before.Time || after.ValueSha256 != before.ValueSha256)));

    // Each version takes an epoch of its own, and none of those after the kept one was there at the epoch of its absence (docs/spec/pahd.md section 5).
    private static bool ComesTooEarly(KeyState before, KeyState after) =>
        before.Period == after.Period && after.Version > before.Version && before.AbsentEpoch is { } absent
        && (after.Time < absent || after.Time - absent < after.Version - before.Version);
}
