using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Compares a verified answer about a chain with what the client remembers of the chain, and computes what to remember from now on
/// (docs/spec/state.md sections 1 and 3). Lookups, histories and monitoring store the latest version in the same place, so the client
/// checks each new answer against all earlier answers.
/// </summary>
internal static class LearnRules
{
    /// <summary>
    /// Returns what a lookup showed of a chain, or the reason why the client still refuses the lookup, which the verifier accepted. If the
    /// question named the known version, the verifier itself detects an answer with an older version. The question does not name the known
    /// version if the client has lost its value, or did not know that the answer would be about this chain.
    /// </summary>
    /// <param name="seen">The latest version that earlier answers showed; null if no answer showed the chain.</param>
    /// <param name="own">The owner's cursor; null if the chain is not owned.</param>
    /// <param name="lookup">The lookup.</param>
    /// <param name="value">Value of the lookup's version; null when there is no version.</param>
    /// <param name="period">Period of the record.</param>
    /// <param name="epoch">Epoch at which the answer is true. From now on the client accepts no earlier epoch for the chain.</param>
    /// <param name="recordEpoch">Epoch of the record in whose tree the absence of later versions was proven.</param>
    /// <param name="after">The facts to remember from now on.</param>
    /// <param name="reason">
    /// The reason why the client refuses the lookup; <see cref="Reason.Valid"/> if the client accepts the lookup.
    /// </param>
    public static bool TryLearn(
        Seen? seen, Cursor? own, VerifiedLookup lookup, byte[]? value, ulong period, ulong epoch, ulong recordEpoch, out Seen after,
        out Reason reason)
    {
        bool unchanged = lookup.Version > 0 && lookup.Value is null;
        after = new Seen
        {
            LeastEpoch = epoch,
            At = new Cursor
            {
                Period = period,
                Version = lookup.Version,
                Time = lookup.Time,
                AbsentEpoch = recordEpoch,
                ValueSha256 = unchanged ? seen!.At.ValueSha256 : value is null ? null : ValueHash.Of(value),
            },
            PublishedEpoch = unchanged ? seen!.PublishedEpoch : lookup.LeafEpoch,
        };
        reason = Compare(seen, own, lookup.BeginsWithCopy, ref after);
        return reason == Reason.Valid;
    }

    /// <summary>
    /// Computes what to remember after a complete list of versions, and returns the reason if the client still refuses the list. If
    /// the client knows the chain in a later period, that knowledge stays, because a list of an earlier period does not contradict it.
    /// </summary>
    /// <param name="seen">The latest version that earlier answers showed; null if no answer showed the chain.</param>
    /// <param name="own">The owner's cursor; null if the chain is not owned.</param>
    /// <param name="shown">The complete list.</param>
    /// <param name="period">Period of the record.</param>
    /// <param name="epoch">Epoch of the record.</param>
    /// <param name="after">The facts to remember from now on.</param>
    public static Reason Learn(Seen? seen, Cursor? own, EndedVersions shown, ulong period, ulong epoch, out Seen after)
    {
        if (seen is not null && seen.At.Period > period)
        {
            after = seen;
            return Agree(null, own, shown.Versions, period);
        }
        own = own is not null && own.Period > period ? null : own;
        TimedVersion? latest = shown.Versions is [.., { } last] && last.Version.Version == shown.Latest ? last : null;
        Cursor? kept = seen is not null && seen.At.Period == period && seen.At.Version == shown.Latest ? seen.At : null;
        after = new Seen
        {
            LeastEpoch = epoch,
            At = new Cursor
            {
                Period = period,
                Version = shown.Latest,
                Time = shown.Time,
                AbsentEpoch = epoch,
                // If the list shows no value for the latest version, keep the known hash: a server does not send a value again that the
                // client already has.
                ValueSha256 = latest?.ValueSha256 ?? (kept is not null ? kept.ValueSha256 : HashOf(own)),
            },
            PublishedEpoch = latest?.Version.Epoch ?? (kept is not null ? seen!.PublishedEpoch : 0),
        };
        Reason reason = Compare(seen, own, shown.Versions is [{ Version.IsCopy: true }, ..], ref after);
        return reason != Reason.Valid ? reason : Agree(seen?.At, own, shown.Versions, period);
    }

    /// <summary>
    /// Checks that versions show each remembered version unchanged. Also checks the times of versions after a remembered version: such a
    /// version must be later than the epoch at which an answer proved that there was no later version.
    /// </summary>
    public static Reason Agree(Cursor? seen, Cursor? own, IReadOnlyList<TimedVersion> shown, ulong period) =>
        !shown.All(version => Agrees(seen, period, version) && Agrees(own, period, version)) ? Reason.VersionRegressed
        : shown.Any(version => ComesTooEarly(seen, period, version.Version.Version, version.Time)
            || ComesTooEarly(own, period, version.Version.Version, version.Time)) ? Reason.LeafEpochOrder
        : Reason.Valid;

    /// <summary>
    /// Tells whether a chain lost its version at a period switch. A chain with a version in an earlier period must begin each later period
    /// with a copy, and this period did not begin with one. If the device list of a current user has no copy, this is always a fault. If a
    /// key has no copy, this may be correct, because the key may belong to a device whose user had left by then.
    /// </summary>
    public static bool IsLost(Cursor? known, ulong period, bool beginsWithCopy) =>
        known is { Version: > 0 } && known.Period < period && !beginsWithCopy;

    private static Reason Compare(Seen? seen, Cursor? own, bool beginsWithCopy, ref Seen after)
    {
        Reason reason = seen is null ? Reason.Valid : Compare(seen.At, seen.LeastEpoch, seen.NotCopied, beginsWithCopy, ref after);
        return reason != Reason.Valid || own is null ? reason : Compare(own, own.AbsentEpoch ?? 0, false, beginsWithCopy, ref after);
    }

    private static Reason Compare(Cursor known, ulong least, bool notCopied, bool beginsWithCopy, ref Seen after)
    {
        if (after.LeastEpoch < least)
        {
            return Reason.Stale;
        }
        // If the answer is about the period of the known version, an earlier answer has already shown whether the log copied the chain at
        // the switch.
        bool isOfPeriod = known.Period == after.At.Period;
        bool isLost = after.NotCopied || (isOfPeriod ? notCopied : IsLost(known, after.At.Period, beginsWithCopy));
        after = after.NotCopied == isLost ? after : after with { NotCopied = isLost };
        if (!isOfPeriod)
        {
            return Reason.Valid;
        }
        if (StepsBack(known, after.At))
        {
            return Reason.VersionRegressed;
        }
        if (ComesTooEarly(known, known.Period, after.At.Version, after.At.Time))
        {
            return Reason.LeafEpochOrder;
        }
        if (known.Version == after.At.Version && known.AbsentEpoch > after.At.AbsentEpoch)
        {
            after = after with { At = after.At with { AbsentEpoch = known.AbsentEpoch } };
        }
        return Reason.Valid;
    }

    private static bool StepsBack(Cursor known, Cursor after) =>
        after.Version < known.Version
        || (after.Version == known.Version
            && (after.Time != known.Time || (HashOf(known) is { } hash && after.ValueSha256 != hash)));

    // An answer proved that at AbsentEpoch the chain had no version after the known version. Each later epoch inserts at most one version
    // of a chain. So n later versions need at least n epochs after AbsentEpoch (docs/spec/pahd.md section 5).
    private static bool ComesTooEarly(Cursor? known, ulong period, ulong version, ulong time) =>
        known is { AbsentEpoch: { } absent } && known.Period == period && version > known.Version
        && (time < absent || time - absent < version - known.Version);

    // An erased value agrees with every known hash, because nobody can tell what the value was.
    private static bool Agrees(Cursor? known, ulong period, TimedVersion shown) =>
        known is null || known.Period != period || known.Version != shown.Version.Version
        || (known.Time == shown.Time
            && (known.ValueSha256 is not { } hash || shown.ValueSha256 is not { } value || value == hash));

    // After a period without guarantee, the owner's cursor has a value that belongs to no version of its period, so leave the value out.
    private static string? HashOf(Cursor? cursor) => cursor is { Version: > 0 } ? cursor.ValueSha256 : null;
}
