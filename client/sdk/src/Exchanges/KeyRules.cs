using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Combines a verified answer about a key or a device list with what the state keeps of it (docs/spec/state.md sections 1 and 3). Lookups,
/// histories and monitoring keep what they show of the latest version in one place. So each is checked against what any of them showed.
/// </summary>
internal static class KeyRules
{
    /// <summary>
    /// Returns the state after a lookup that the verifier accepted, or the reason for which it is refused all the same. The verifier
    /// detects a step back itself when the question named the known version. The question did not when the version's value was lost, or
    /// when nobody knew that the answer would be about this key.
    /// </summary>
    /// <param name="before">The kept state; null if nothing is kept.</param>
    /// <param name="owned">The owner's knowledge of all versions; null if the key is not owned.</param>
    /// <param name="lookup">The lookup.</param>
    /// <param name="value">Value of its version; null when there is no version.</param>
    /// <param name="period">Period of the record.</param>
    /// <param name="epoch">Epoch at which the answer holds, from now on the least one.</param>
    /// <param name="recordEpoch">Epoch of the record in whose tree the absence of later versions was proven.</param>
    /// <param name="after">The state to keep.</param>
    /// <param name="reason">Why it is refused.</param>
    public static bool TryLearn(
        KeyState? before, OwnedKey? owned, VerifiedLookup lookup, byte[]? value, ulong period, ulong epoch, ulong recordEpoch, out KeyState after, out Reason reason)
    {
        bool unchanged = lookup.Version > 0 && lookup.Value is null;
        after = new KeyState
        {
            LeastEpoch = epoch,
            Period = period,
            Version = lookup.Version,
            Time = lookup.Time,
            AbsentEpoch = recordEpoch,
            PublishedEpoch = unchanged ? before!.PublishedEpoch : lookup.LeafEpoch,
            ValueSha256 = unchanged ? before!.ValueSha256 : value is null ? null : ValueHash.Of(value),
        };
        reason = Compare(before, owned is null ? null : OfOwned(owned), lookup.BeginsWithCopy, ref after);
        return reason == Reason.Valid;
    }

    /// <summary>
    /// Computes the state after a list of versions that ended, and returns the reason if the list is refused all the same. The kept state
    /// of a later period stays, because a list of an earlier period does not contradict it.
    /// </summary>
    /// <param name="before">The kept state; null if nothing is kept.</param>
    /// <param name="owned">The owner's knowledge of the latest version; null if the key is not owned.</param>
    /// <param name="shown">The list.</param>
    /// <param name="period">Period of the record.</param>
    /// <param name="epoch">Its epoch.</param>
    /// <param name="after">The state to keep.</param>
    public static Reason Learn(KeyState? before, KeyState? owned, EndedVersions shown, ulong period, ulong epoch, out KeyState after)
    {
        if (before is not null && before.Period > period)
        {
            after = before;
            return Agree(null, owned, shown, period);
        }
        owned = owned is not null && owned.Period > period ? null : owned;
        VersionsExchange.TimedVersion? latest = shown.Versions.Count > 0 && shown.Versions[^1].Version.Version == shown.Latest ? shown.Versions[^1] : null;
        bool isKept = before is not null && before.Period == period && before.Version == shown.Latest;
        after = new KeyState
        {
            LeastEpoch = epoch,
            Period = period,
            Version = shown.Latest,
            Time = shown.Time,
            AbsentEpoch = epoch,
            PublishedEpoch = latest?.Version.Epoch ?? (isKept ? before!.PublishedEpoch : 0),
            // A server does not send the value of a version again that was opened before.
            ValueSha256 = latest?.Version.Value is { } value ? ValueHash.Of(value.Span) : isKept ? before!.ValueSha256 : owned?.ValueSha256,
        };
        Reason reason = Compare(before, owned, shown.Versions is [{ Version.IsCopy: true }, ..], ref after);
        return reason != Reason.Valid ? reason : Agree(before, owned, shown, period);
    }

    /// <summary>
    /// Checks that a kept version is shown as it was then, and that no later version has a time at which the client saw none.
    /// </summary>
    public static Reason Agree(KeyState? before, KeyState? owned, EndedVersions shown, ulong period) =>
        !shown.Versions.All(version => Agrees(before, period, version) && Agrees(owned, period, version)) ? Reason.VersionRegressed
        : shown.Versions.Any(version => ComesTooEarly(before, period, version) || ComesTooEarly(owned, period, version)) ? Reason.LeafEpochOrder
        : Reason.Valid;

    /// <summary>
    /// Returns what an owner names as known of a key when it asks only for newer versions. The server then shows the latest known version
    /// again, as after a page that ended before it. This reveals whether the version was exchanged or dropped (docs/spec/broken-append.md
    /// section 5).
    /// </summary>
    public static KnownKey Again(OwnedKey owned) => owned.Version switch
    {
        0 => new KnownKey(0, owned.Period, 0, 0, owned.AbsentEpoch),
        1 => default,
        _ => new KnownKey(0, owned.Period, owned.Version - 1, 0, null, owned.Version),
    };

    /// <summary>Returns what an owner's verification of all versions says of the latest one.</summary>
    public static KeyState OfOwned(OwnedKey owned) => new()
    {
        LeastEpoch = owned.AbsentEpoch ?? 0,
        Period = owned.Period,
        Version = owned.Version,
        Time = owned.Time,
        AbsentEpoch = owned.AbsentEpoch,
        // After a period without guarantee the state keeps a value without a version.
        ValueSha256 = owned.Version > 0 ? owned.ValueSha256 : null,
    };

    /// <summary>
    /// Tells whether a key lost its version at a period switch. A key with a version in an earlier period must begin each later one with a
    /// copy, and this one did not. For a user who is current nothing excuses that; a key may belong to a device whose user had left by
    /// then.
    /// </summary>
    public static bool IsLost(KeyState? kept, ulong period, bool beginsWithCopy) => kept is { Version: > 0 } && kept.Period < period && !beginsWithCopy;

    private static Reason Compare(KeyState? before, KeyState? owned, bool beginsWithCopy, ref KeyState after)
    {
        foreach (KeyState? kept in (KeyState?[])[before, owned])
        {
            if (kept is null)
            {
                continue;
            }
            if (after.LeastEpoch < kept.LeastEpoch)
            {
                return Reason.Stale;
            }
            // An answer in the kept state's period was judged before.
            after = after with { NotCopied = after.NotCopied || (kept.Period == after.Period ? kept.NotCopied : IsLost(kept, after.Period, beginsWithCopy)) };
            if (kept.Period != after.Period)
            {
                continue;
            }
            if (StepsBack(kept, after))
            {
                return Reason.VersionRegressed;
            }
            if (ComesTooEarly(kept, after))
            {
                return Reason.LeafEpochOrder;
            }
            if (kept.Version == after.Version && kept.AbsentEpoch is { } absent)
            {
                after = after with { AbsentEpoch = Math.Max(absent, after.AbsentEpoch ?? 0) };
            }
        }
        return Reason.Valid;
    }

    private static bool StepsBack(KeyState before, KeyState after) =>
        after.Version < before.Version
        || (after.Version == before.Version && (after.Time != before.Time || (before.ValueSha256 is not null && after.ValueSha256 != before.ValueSha256)));

    // Each version takes an epoch of its own, and no version after the kept one existed at the epoch of its absence (docs/spec/pahd.md
    // section 5).
    private static bool ComesTooEarly(KeyState before, KeyState after) =>
        after.Version > before.Version && before.AbsentEpoch is { } absent
        && (after.Time < absent || after.Time - absent < after.Version - before.Version);

    private static bool ComesTooEarly(KeyState? before, ulong period, VersionsExchange.TimedVersion shown) =>
        before is { AbsentEpoch: { } absent } && before.Period == period && shown.Version.Version > before.Version
        && (shown.Time < absent || shown.Time - absent < shown.Version.Version - before.Version);

    // An erased value says nothing about what it was.
    private static bool Agrees(KeyState? kept, ulong period, VersionsExchange.TimedVersion shown) =>
        kept is null || kept.Period != period || kept.Version != shown.Version.Version
        || (kept.Time == shown.Time && (kept.ValueSha256 is null || shown.Version.Value is not { } value || ValueHash.Of(value.Span) == kept.ValueSha256));
}
