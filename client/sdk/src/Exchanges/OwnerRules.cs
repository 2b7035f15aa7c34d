namespace Optiks.Client;

/// <summary>OwnerRules compare what the log shows of an owner's key with what the owner set.</summary>
internal static class OwnerRules
{
    /// <summary>State after these versions, in order, were verified at a head: changes that were expected are ticked off, all others become alarms.</summary>
    public static OwnedKey Apply(OwnedKey owned, ulong period, ulong headEpoch, IReadOnlyList<VersionsExchange.TimedVersion> versions)
    {
        // State of another period says nothing about this one's versions, save that the first may be a copy of the last value.
        OwnedKey next = owned.Period == period ? owned : owned with { Period = period, Version = 0, Time = 0 };
        foreach ((KeyVersion version, ulong time) in versions)
        {
            string? hash = version.Value is { } value ? ValueHash.Of(value.Span) : null;
            bool isCopy = version.Epoch == 0 && period != owned.Period && owned.ValueSha256 is not null && hash == owned.ValueSha256;
            int expected = hash is null ? -1 : IndexOf(next, hash);
            if (expected >= 0)
            {
                // Earlier ones are dropped as well: should one appear later, it would undo a newer change of the owner's.
                next = next with { Expected = next.Expected.RemoveRange(0, expected + 1) };
            }
            else if (!isCopy)
            {
                next = next with { Alarms = next.Alarms.Add(new OwnerAlarm(period, version.Version, version.Epoch, hash)) };
            }
            next = next with { Version = version.Version, Time = time, ValueSha256 = hash };
        }
        return next with { AbsentEpoch = headEpoch };
    }

    /// <summary>State in which a change of an owned key is expected; the same state if it is already.</summary>
    public static ClientState Expect(ClientState current, KeyName key, ExpectedChange change)
    {
        OwnedKey owned = current.Owned.GetValueOrDefault(key.Id) ?? new OwnedKey();
        return owned.Expected.Any(known => known.RequestId == change.RequestId)
            ? current
            : current with { Owned = current.Owned.SetItem(key.Id, owned with { Expected = owned.Expected.Add(change) }) };
    }

    /// <summary>State in which a request about an owned key is expected no more; the same state if it is not.</summary>
    public static ClientState Forget(ClientState current, KeyName key, Guid requestId) =>
        current.Owned.TryGetValue(key.Id, out OwnedKey? owned) && owned.Expected.Any(known => known.RequestId == requestId)
            ? current with { Owned = current.Owned.SetItem(key.Id, owned with { Expected = owned.Expected.RemoveAll(known => known.RequestId == requestId) }) }
            : current;

    private static int IndexOf(OwnedKey owned, string hash)
    {
        for (int i = 0; i < owned.Expected.Length; i++)
        {
            if (string.Equals(owned.Expected[i].ValueSha256, hash, StringComparison.Ordinal))
            {
                return i;
            }
        }
        return -1;
    }
}
