using System.Collections.Immutable;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Compares what the log shows of an owner's chain with what the owner set (docs/spec/state.md section 3).</summary>
internal static class OwnRules
{
    /// <summary>
    /// Returns the owner's part of a chain after the client verified these versions at a head. It ticks off the expected changes in order,
    /// and raises an alarm for every other version.
    /// </summary>
    /// <param name="own">The owner's part of the chain.</param>
    /// <param name="period">Period of the head.</param>
    /// <param name="epoch">Epoch of the head.</param>
    /// <param name="versions">The versions that the client verified.</param>
    /// <param name="handover">
    /// The verdict of comparing the first version in the period with the end state of the previous period; null if they were not compared.
    /// </param>
    /// <param name="list">Octets of the latest version of a device list; null for a key.</param>
    public static Own Look(
        Own own, ulong period, ulong epoch, IReadOnlyList<TimedVersion> versions, Reason? handover = null, byte[]? list = null)
    {
        // The cursor of another period says nothing about the versions of this period, except that the first version may be a copy of the
        // last value.
        Cursor at = own.At is { } kept && kept.Period == period ? kept : new Cursor { Period = period, ProvenEpoch = own.At?.ProvenEpoch };
        string? copied = own.At is { } before && (before.Version == 0 || before.Period != period) ? before.ValueSha256 : null;
        // Skip the versions that earlier monitoring answers showed, because the client has already compared these versions with the owner's
        // changes.
        versions = [.. versions.Where(version => version.Version.Version > at.Version)];
        // The previous period may have no guarantee. Even then, a chain of which the owner has seen a version must begin this period with a
        // copy, which may have any value. A list must always begin with a copy. A key in another period need not: it may have been on no
        // list at the end of the previous period, and its user may have left.
        bool mustCopy = own.At is { } from && (from.Period == period ? from is { Version: 0, AbsentEpoch: null } : list is not null);
        bool isLost = mustCopy && copied is not null && versions is not [{ Version.IsCopy: true }, ..];
        Own next = isLost || handover == Reason.HandoverMissing
            ? own with { Alarms = own.Alarms.Add(new Alarm(period, 0, epoch, null, Reason.HandoverMissing)) }
            : own;
        IReadOnlySet<string>? devices = list is null ? null : DeviceIds(own.List);
        foreach (TimedVersion shown in versions)
        {
            KeyVersion version = shown.Version;
            string? hash = shown.ValueSha256;
            IReadOnlySet<string>? after = list is not null && version.Value is { } octets ? DeviceIds(octets) : null;
            // A copy that was compared with the end state ticks off no change, whatever the verdict. If the client does not know the end of
            // the previous period, the copy may have a value that the owner set in that period's last epochs.
            Reason? fault = version.IsCopy && handover is not Reason.Valid ? handover : null;
            bool isSet = version.IsCopy && (handover is Reason.Valid || (handover is null && hash is not null && hash == copied));
            if (!isSet && fault is null)
            {
                next = next with { Expected = Tick(next.Expected, change => Makes(change, hash, devices, after), out isSet) };
            }
            next = isSet ? next : next with { Alarms = next.Alarms.Add(new Alarm(period, version.Version, version.Epoch, hash, fault)) };
            at = at with { Version = version.Version, Time = shown.Time, ValueSha256 = hash };
            devices = after;
        }
        return next with
        {
            At = at with
            {
                AbsentEpoch = Math.Max(epoch, at.AbsentEpoch ?? 0),
                ValueSha256 = list is not null ? ValueHash.Of(list) : at.Version == 0 ? null : at.ValueSha256,
            },
            List = list ?? own.List,
        };
    }

    /// <summary>
    /// Ticks off the first expected change that a version shows and that is not overtaken, and marks the changes before it as overtaken. If
    /// the version shows only an overtaken change, drops this change: it undoes a later change, so the caller raises an alarm. Returns the
    /// changes that are still expected.
    /// </summary>
    /// <param name="expected">Changes that the owner made and that the log has not shown yet.</param>
    /// <param name="isShown">Tells whether a change has the same content as the version that was shown.</param>
    /// <param name="isSet">Whether the owner made the change that the version shows. If not, the caller raises an alarm.</param>
    public static ImmutableArray<Expected> Tick(ImmutableArray<Expected> expected, Func<Expected, bool> isShown, out bool isSet)
    {
        int seen = IndexOf(expected, change => !change.IsOvertaken && isShown(change));
        isSet = seen >= 0;
        if (isSet)
        {
            return [.. expected[..seen].Select(change => change with { IsOvertaken = true }), .. expected[(seen + 1)..]];
        }
        int late = IndexOf(expected, isShown);
        return late < 0 ? expected : expected.RemoveAt(late);
    }

    /// <summary>
    /// Raises alarms for versions that the owner did not set, and changes nothing else. The versions are of a period for which the chain's
    /// hand-over is still to be done. The hand-over will show the versions again.
    /// </summary>
    public static Own CompareBehind(Own own, ulong period, IReadOnlyList<TimedVersion> versions)
    {
        Own next = own;
        foreach (TimedVersion shown in versions)
        {
            string? hash = shown.ValueSha256;
            var alarm = new Alarm(period, shown.Version.Version, shown.Version.Epoch, hash);
            bool isKnown = own.Expected.Any(change => change.ValueSha256 == hash)
                || (shown.Version.IsCopy && hash is not null && hash == own.At?.ValueSha256);
            next = isKnown || next.Alarms.Contains(alarm) ? next : next with { Alarms = next.Alarms.Add(alarm) };
        }
        return next;
    }

    /// <summary>
    /// Raises alarms about versions that earlier monitoring answers showed and that a list of all versions now shows again. The state has
    /// only the last of these versions, so the client cannot tell whether the others are as they were when the client first saw them. A
    /// version raises no alarm if the next version existed by the epoch passed as <paramref name="covered"/>, which is the first epoch that
    /// enough auditors may cover. Since the auditors' coverage began, no server can have shown such a version as the latest one
    /// (docs/spec/cosigners.md section 4).
    /// </summary>
    public static Own SeeAgain(Own own, ulong period, IReadOnlyList<TimedVersion> versions, ulong covered)
    {
        if (own.At is not { } at || at.Period != period)
        {
            return own;
        }
        Alarm[] alarms =
            [.. versions.Zip(versions.Skip(1)).Where(pair => pair.First.Version.Version < at.Version && pair.Second.Time > covered)
                .Select(pair => new Alarm(period, pair.First.Version.Version, pair.First.Version.Epoch, pair.First.ValueSha256))
                .Except(own.Alarms)];
        return alarms.Length == 0 ? own : own with { Alarms = own.Alarms.AddRange(alarms) };
    }

    /// <summary>
    /// Returns the end state of a chain at the end of a period, if the owner verified the chain up to the period's last epoch and knows the
    /// value; otherwise null.
    /// </summary>
    public static EndState? EndOf(Own own, EpochRecord end) =>
        IsVerifiedTo(own, end) && own.At is { } at && (at.Version == 0) == (at.ValueSha256 is null)
        ? new EndState(end.Period, end.Epoch, at.Version,
            at.ValueSha256 is { } hash ? Convert.FromHexString(hash) : default(ReadOnlyMemory<byte>))
        : null;

    /// <summary>Tells whether the owner verified a chain up to the last epoch of a period.</summary>
    public static bool IsVerifiedTo(Own own, EpochRecord end) => own.At is { } at && at.Period == end.Period && at.AbsentEpoch == end.Epoch;

    /// <summary>
    /// Makes the owner continue in the next period after a period that the log no longer serves. The owner does not verify the last epochs
    /// of the ended period, so the state records them as epochs without guarantee.
    /// </summary>
    public static Own Miss(Own own, EpochRecord end)
    {
        ulong? verified = own.At is { } at && at.Period == end.Period ? at.AbsentEpoch : null;
        var missed = new Missed(end.Period, verified + 1 ?? end.PeriodFirstEpoch, end.Epoch);
        return own with
        {
            At = new Cursor
            {
                Period = end.Period + 1,
                ProvenEpoch = own.At?.ProvenEpoch,
                // The next period must begin with a copy of the chain, so remember that the chain had a value.
                ValueSha256 = own.At?.ValueSha256,
            },
            NoGuarantee = missed.FromEpoch > missed.ToEpoch || own.NoGuarantee.Any(known => known.Period == end.Period)
                ? own.NoGuarantee
                : own.NoGuarantee.Add(missed),
        };
    }

    /// <summary>
    /// Prepares the state for its first head. Owned keys and users in the state continue from the period of that head, the first known
    /// period.
    /// </summary>
    public static ClientState Begin(ClientState current, ulong period)
    {
        ClientState next = current.OwnedPersons.Aggregate(
            current, (state, user) => state.SetOwnPerson(user, state.OwnPersonOf(user)! with { GoesOnFrom = period }));
        return current.OwnedChains.Where(key => key.Structure == StructureId.Keys).Aggregate(
            next, (state, key) => state.SetOwn(key, WithPeriod(state.OwnOf(key)!, period)));
    }

    /// <summary>Returns the owner's part with which the monitoring of a key begins that the owner did not own before.</summary>
    public static Own NewKey(ClientState current) => new() { At = current.Head is { } head ? new Cursor { Period = head.Period } : null };

    /// <summary>
    /// Returns the state with a change among the expected changes of an owned chain; the unchanged state if the change is already expected.
    /// </summary>
    public static ClientState Expect(ClientState current, StructureKey key, Expected change)
    {
        // Monitoring of a key begins at the period in which the key was first set. So it also covers what servers showed other clients
        // before the owner monitored the key for the first time.
        Own own = current.OwnOf(key) ?? (key.Structure == StructureId.Keys ? NewKey(current) : new Own());
        return own.Expected.Any(change.IsSame)
            ? current
            : current.SetOwn(key, own with { Expected = own.Expected.Add(change), IsListedOnly = false });
    }

    /// <summary>
    /// Returns the state without the expected changes of a request about an owned chain; the unchanged state if there are no such changes.
    /// A change stays if the state passed as <paramref name="before"/> already expects it under this request id. Such a change belongs to
    /// an earlier request with the same id.
    /// </summary>
    public static ClientState Forget(ClientState current, StructureKey key, Guid requestId, ClientState? before)
    {
        ImmutableArray<Expected> earlier = before?.OwnOf(key)?.Expected ?? [];
        bool IsRefused(Expected known) => known.RequestId == requestId && !earlier.Any(known.IsSame);
        return current.OwnOf(key) is { } own && own.Expected.Any(IsRefused)
            ? current.SetOwn(key, own with { Expected = own.Expected.RemoveAll(IsRefused) })
            : current;
    }

    /// <summary>Returns the ids of the devices on a list, in base64url; no ids if there is no list.</summary>
    public static IReadOnlySet<string> DeviceIds(ReadOnlyMemory<byte> list) => list.IsEmpty
        ? ImmutableHashSet<string>.Empty
        : DeviceList.Decode(list).Select(device => Base64UrlText.Encode(device.Span)).ToHashSet(StringComparer.Ordinal);

    private static Own WithPeriod(Own own, ulong period) =>
        own with { At = own.At is { } at ? at with { Period = period } : new Cursor { Period = period } };

    // Tells whether a change has the same content as a version. A list can be compared only with the list before it, so a list whose
    // predecessor was not opened matches no change.
    private static bool Makes(Expected change, string? hash, IReadOnlySet<string>? before, IReadOnlySet<string>? after)
    {
        if (change.ValueSha256 is { } set)
        {
            return set == hash;
        }
        if (before is null || after is null)
        {
            return false;
        }
        var made = new HashSet<string>(before, StringComparer.Ordinal);
        made.ExceptWith(change.Removed);
        made.UnionWith(change.Added);
        return made.SetEquals(after);
    }

    private static int IndexOf(ImmutableArray<Expected> expected, Func<Expected, bool> matches)
    {
        for (int i = 0; i < expected.Length; i++)
        {
            if (matches(expected[i]))
            {
                return i;
            }
        }
        return -1;
    }
}
