using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// KeyRules say what a verified answer about a key or a device list makes of what is kept of it (docs/spec/state.md sections 1 and 3). What lookups, histories and monitoring show of the latest version is kept in one
/// place, so that whatever one of them showed counts for all.
/// </summary>
internal static class KeyRules
{
    /// <summary>
    /// TryLearn gives the state after a lookup that the verifier accepted, or why it is refused all the same. The verifier sees a step back by itself when the known version was brought to the question; it was
    /// not when its value was lost, or when nobody knew that the answer would be about this key.
    /// </summary>
    /// <param name="before">What is kept; null: nothing.</param>
    /// <param name="owned">What its owner verified of all versions; null: nothing.</param>
    /// <param name="lookup">The lookup.</param>
    /// <param name="value">Value of its version; null when there is none.</param>
    /// <param name="period">Period of the record.</param>
    /// <param name="epoch">Epoch at which the answer holds, from now on the least one.</param>
    /// <param name="recordEpoch">Epoch of the record in whose tree the absence of later versions was proven.</param>
    /// <param name="after">What is to be kept.</param>
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
    /// Learn gives the state after a list of versions that ended, or why it is refused all the same. What is kept of a later period stays, as nothing of an earlier one is said against it.
    /// </summary>
    /// <param name="before">What is kept; null: nothing.</param>
    /// <param name="owned">What was kept of all versions; null: nothing.</param>
    /// <param name="shown">The list.</param>
    /// <param name="period">Period of the record.</param>
    /// <param name="epoch">Its epoch.</param>
    /// <param name="after">What is to be kept.</param>
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
            // A version that was opened before is not sent again.
            ValueSha256 = latest?.Version.Value is { } value ? ValueHash.Of(value.Span) : isKept ? before!.ValueSha256 : owned?.ValueSha256,
        };
        Reason reason = Compare(before, owned, shown.Versions is [{ Version.IsCopy: true }, ..], ref after);
        return reason != Reason.Valid ? reason : Agree(before, owned, shown, period);
    }

    /// <summary>Agree says whether a version that is kept is shown as it was then, and no later one at a time at which there was none.</summary>
    public static Reason Agree(KeyState? before, KeyState? owned, EndedVersions shown, ulong period) =>
        !shown.Versions.All(version => Agrees(before, period, version) && Agrees(owned, period, version)) ? Reason.VersionRegressed
        : shown.Versions.Any(version => ComesTooEarly(before, period, version) || ComesTooEarly(owned, period, version)) ? Reason.LeafEpochOrder
        : Reason.Valid;

    /// <summary>
    /// Again is what an owner brings of a key whose versions it goes on from: its latest one is shown once more, as after a page that ended before it, so that one that was exchanged or dropped is seen
    /// (docs/spec/broken-append.md section 5).
    /// </summary>
    public static KnownKey Again(OwnedKey owned) => owned.Version switch
    {
        0 => new KnownKey(0, owned.Period, 0, 0, owned.AbsentEpoch),
        1 => default,
        _ => new KnownKey(0, owned.Period, owned.Version - 1, 0, null, owned.Version),
    };

    /// <summary>OfOwned is what an owner's verification of all versions says of the latest.</summary>
    public static KeyState OfOwned(OwnedKey owned) => new()
    {
        LeastEpoch = owned.AbsentEpoch ?? 0,
        Period = owned.Period,
        Version = owned.Version,
        Time = owned.Time,
        AbsentEpoch = owned.AbsentEpoch,
        // After a period without guarantee there is a value, and no version that has it.
        ValueSha256 = owned.Version > 0 ? owned.ValueSha256 : null,
    };

    /// <summary>
    /// IsLost: what had a version in an earlier period begins each later one with a copy, and this one did not. Nothing excuses that of a user who is current; a key may be a device of one who had left by then.
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
            // Of an answer in the period of what is kept it was said before.
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

    // Each version takes an epoch of its own, and none of those after the kept one was there at the epoch of its absence (docs/spec/pahd.md section 5).
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
