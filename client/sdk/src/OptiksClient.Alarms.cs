using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>The keys that the client updated or monitored with this state, and so owns.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> OwnedKeys =>
        [.. _store.Current.Owned.Where(key => !key.Value.IsListedOnly).Select(key => key.Key).Order(StringComparer.Ordinal)
            .Select(KeyName.FromId)];

    /// <summary>
    /// Returns the alarms of an owned key that earlier calls raised, each with the version that the log shows. The owner reads these
    /// versions before it calls <see cref="AcknowledgeAlarms"/>. The call needs an API key or token with the scope <c>history</c>. If the
    /// key has no alarms, the call sends no request.
    /// </summary>
    public async Task<AlarmReview> ReviewAlarmsAsync(ReadOnlyMemory<byte> key, CancellationToken cancellationToken = default)
    {
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        OwnerAlarm[] held = [.. (_store.Current.Owned.GetValueOrDefault(name.Id) ?? new OwnedKey()).Alarms.OrderBy(alarm => alarm.Period)
            .ThenBy(alarm => alarm.Version)];
        if (held.Length == 0)
        {
            return new AlarmReview(new Outcome(Reason.Valid, null)) { Key = key };
        }
        Outcome outcome = new(Reason.Valid, null);
        var shown = new List<ReviewedAlarm>();
        foreach (IGrouping<ulong, OwnerAlarm> period in held.GroupBy(alarm => alarm.Period))
        {
            KeyVersionNumber[] versions =
                [.. period.Where(alarm => alarm.Version > 0).Select(alarm => new KeyVersionNumber(alarm.Period, alarm.Version)).Distinct()];
            VersionsRun? run = versions.Length == 0
                ? null
                : await TryFindVersionsAsync(name, versions, cancellationToken).ConfigureAwait(false);
            if (run is { Outcome.Reason: not Reason.Valid })
            {
                return new AlarmReview(run.Outcome) { Key = key };
            }
            outcome = run?.Outcome ?? outcome;
            shown.AddRange(period.Select(alarm => Reviewed(alarm, run)).OfType<ReviewedAlarm>());
        }
        return new AlarmReview(outcome) { Key = key, Alarms = shown };
    }

    /// <summary>Returns the epochs of an owned key that have no guarantee, from the state alone, without a request.</summary>
    public IReadOnlyList<NoGuarantee> NoGuarantee(ReadOnlyMemory<byte> key) =>
        _store.Current.Owned.GetValueOrDefault(KeyName.Of(key, _options.TrustAnchor).Id)?.NoGuarantee ?? [];

    /// <summary>Returns the epochs without guarantee of the user that owns a name, from the state alone, without a request.</summary>
    public IReadOnlyList<NoGuarantee> NoGuaranteeOfUser(ReadOnlyMemory<byte> username)
    {
        ClientState state = _store.Current;
        return OwnedUserRules.UserOf(state, UsernameOf(username).Id) is { } user ? state.OwnedUsers[user].NoGuarantee : [];
    }

    /// <summary>
    /// Records that the owner of a key knows of these epochs without guarantee. Later results still report these epochs. Returns the number
    /// of entries in the parameter <paramref name="missed"/> that this call newly accepted.
    /// </summary>
    public int AcceptNoGuarantee(ReadOnlyMemory<byte> key, IReadOnlyCollection<NoGuarantee> missed)
    {
        ArgumentNullException.ThrowIfNull(missed);
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        int count = 0;
        _store.TryUpdate(
            current =>
            {
                count = 0;
                return current.Owned.TryGetValue(name.Id, out OwnedKey? owned)
                    && Accepted(owned.NoGuarantee, missed, out count) is var after && count > 0
                    ? current with { Owned = current.Owned.SetItem(name.Id, owned with { NoGuarantee = after }) }
                    : current;
            },
            []);
        return count;
    }

    /// <summary>
    /// Records that the owner of a user knows of these epochs without guarantee. Later results still report these epochs. Returns the
    /// number of entries in the parameter <paramref name="missed"/> that this call newly accepted.
    /// </summary>
    public int AcceptNoGuaranteeOfUser(ReadOnlyMemory<byte> username, IReadOnlyCollection<NoGuarantee> missed)
    {
        ArgumentNullException.ThrowIfNull(missed);
        KeyName name = UsernameOf(username);
        int count = 0;
        _store.TryUpdate(
            current =>
            {
                count = 0;
                return OwnedUserRules.UserOf(current, name.Id) is { } user
                    && Accepted(current.OwnedUsers[user].NoGuarantee, missed, out count) is var after && count > 0
                    ? current with { OwnedUsers = current.OwnedUsers.SetItem(user, current.OwnedUsers[user] with { NoGuarantee = after }) }
                    : current;
            },
            []);
        return count;
    }

    private static ImmutableArray<NoGuarantee> Accepted(
        ImmutableArray<NoGuarantee> held, IReadOnlyCollection<NoGuarantee> missed, out int count)
    {
        count = held.Count(one => !one.IsAccepted && missed.Contains(one));
        return [.. held.Select(one => missed.Contains(one) ? one with { IsAccepted = true } : one)];
    }

    // Returns null if the log no longer serves the period of the versions, so that nobody can show the versions.
    private async Task<VersionsRun?> TryFindVersionsAsync(KeyName name, KeyVersionNumber[] versions, CancellationToken cancellationToken)
    {
        try
        {
            return await FindVersionsAsync(name, versions, 0, cancellationToken).ConfigureAwait(false);
        }
        catch (OptiksServerException e) when (e.Problem == ProblemNames.PeriodGone && _store.Current.Head is { } head
            && head.Period - versions[0].Period >= _options.TrustAnchor.Configuration.RetainedPeriods)
        {
            return null;
        }
    }

    private static ReviewedAlarm? Reviewed(OwnerAlarm alarm, VersionsRun? run) =>
        alarm.Version == 0 || run is null ? new ReviewedAlarm(alarm, null)
        : run.Versions.FirstOrDefault(timed => timed.Version.Version == alarm.Version)?.Version is { } version && IsOf(alarm, version)
            ? new ReviewedAlarm(alarm, version)
        : null;

    /// <summary>
    /// Ends the given alarms of an owned key, and no others. The key's owner thereby confirms that it knows of the versions that raised the
    /// alarms. Returns the number of alarms that ended.
    /// </summary>
    public int AcknowledgeAlarms(ReadOnlyMemory<byte> key, IReadOnlyCollection<OwnerAlarm> alarms)
    {
        ArgumentNullException.ThrowIfNull(alarms);
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        int count = 0;
        _store.TryUpdate(
            current =>
            {
                if (!current.Owned.TryGetValue(name.Id, out OwnedKey? owned))
                {
                    return current;
                }
                OwnedKey after = owned with { Alarms = owned.Alarms.RemoveAll(alarms.Contains) };
                count = owned.Alarms.Length - after.Alarms.Length;
                return count == 0 ? current : OwnedUserRules.Tidy(current with { Owned = current.Owned.SetItem(name.Id, after) });
            },
            []);
        return count;
    }

    // Tells whether an alarm is about this version, by its epoch and by the hash of its value. If the value was erased, nobody can show it,
    // so the epoch alone decides.
    private static bool IsOf(OwnerAlarm alarm, KeyVersion version) =>
        alarm.Epoch == version.Epoch
            && (version.Value is not { } value || alarm.ValueSha256 is null || ValueHash.Of(value.Span) == alarm.ValueSha256);
}
