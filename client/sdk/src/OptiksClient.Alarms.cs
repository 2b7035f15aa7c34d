using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>The keys that the client updated or monitored with this state, and so owns.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> OwnedKeys =>
        [.. _store.Current.OwnedChains
            .Where(key => key.Structure == StructureId.Keys && _store.Current.OwnOf(key) is { IsListedOnly: false })
            .Select(key => key.Id).Order(StringComparer.Ordinal).Select(KeyName.FromId)];

    /// <summary>
    /// Returns the alarms of an owned key that earlier calls raised, each with the version that the log shows. The owner reads these
    /// versions before it calls <see cref="AcknowledgeAlarms"/>. The call needs an API key or token with the scope <c>history</c>. If the
    /// key has no alarms, the call sends no request.
    /// </summary>
    public async Task<AlarmReview> ReviewAlarmsAsync(ReadOnlyMemory<byte> key, CancellationToken cancellationToken = default)
    {
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        Alarm[] held = [.. (_store.Current.OwnOf(StructureKey.OfKey(name.Id))?.Alarms ?? []).OrderBy(alarm => alarm.Period)
            .ThenBy(alarm => alarm.Version)];
        if (held.Length == 0)
        {
            return new AlarmReview(new Outcome(Reason.Valid, null)) { Key = key };
        }
        Outcome outcome = new(Reason.Valid, null);
        var shown = new List<ReviewedAlarm>();
        foreach (IGrouping<ulong, Alarm> period in held.GroupBy(alarm => alarm.Period))
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
    public IReadOnlyList<Missed> NoGuarantee(ReadOnlyMemory<byte> key) =>
        _store.Current.OwnOf(StructureKey.OfKey(KeyName.Of(key, _options.TrustAnchor).Id))?.NoGuarantee ?? [];

    /// <summary>Returns the epochs without guarantee of the user that owns a name, from the state alone, without a request.</summary>
    public IReadOnlyList<Missed> NoGuaranteeOfUser(ReadOnlyMemory<byte> username)
    {
        ClientState state = _store.Current;
        return PersonRules.UserOf(state, UsernameOf(username).Id) is { } user
            ? PersonRules.ListOf(state, user)?.NoGuarantee ?? []
            : [];
    }

    /// <summary>
    /// Records that the owner of a key knows of these epochs without guarantee. Later results still report these epochs. Returns the number
    /// of entries in the parameter <paramref name="missed"/> that this call newly accepted.
    /// </summary>
    public int AcceptNoGuarantee(ReadOnlyMemory<byte> key, IReadOnlyCollection<Missed> missed)
    {
        ArgumentNullException.ThrowIfNull(missed);
        var chain = StructureKey.OfKey(KeyName.Of(key, _options.TrustAnchor).Id);
        return Accept(_ => chain, missed);
    }

    /// <summary>
    /// Records that the owner of a user knows of these epochs without guarantee. Later results still report these epochs. Returns the
    /// number of entries in the parameter <paramref name="missed"/> that this call newly accepted.
    /// </summary>
    public int AcceptNoGuaranteeOfUser(ReadOnlyMemory<byte> username, IReadOnlyCollection<Missed> missed)
    {
        ArgumentNullException.ThrowIfNull(missed);
        KeyName name = UsernameOf(username);
        return Accept(
            current => PersonRules.UserOf(current, name.Id) is { } user ? StructureKey.OfList(user) : default(StructureKey?), missed);
    }

    private int Accept(Func<ClientState, StructureKey?> find, IReadOnlyCollection<Missed> missed)
    {
        int count = 0;
        _store.TryUpdate(
            current =>
            {
                count = 0;
                if (find(current) is not { } chain || current.OwnOf(chain) is not { } own)
                {
                    return current;
                }
                count = own.NoGuarantee.Count(one => !one.IsAccepted && missed.Contains(one));
                return count == 0 ? current : current.SetOwn(chain, own with
                {
                    NoGuarantee = [.. own.NoGuarantee.Select(one => missed.Contains(one) ? one with { IsAccepted = true } : one)],
                });
            },
            []);
        return count;
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

    private static ReviewedAlarm? Reviewed(Alarm alarm, VersionsRun? run) =>
        alarm.Version == 0 || run is null ? new ReviewedAlarm(alarm, null)
        : run.Versions.FirstOrDefault(timed => timed.Version.Version == alarm.Version)?.Version is { } version && IsOf(alarm, version)
            ? new ReviewedAlarm(alarm, version)
        : null;

    /// <summary>
    /// Ends the given alarms of an owned key, and no others. The key's owner thereby confirms that it knows of the versions that raised the
    /// alarms. Returns the number of alarms that ended.
    /// </summary>
    public int AcknowledgeAlarms(ReadOnlyMemory<byte> key, IReadOnlyCollection<Alarm> alarms)
    {
        ArgumentNullException.ThrowIfNull(alarms);
        var chain = StructureKey.OfKey(KeyName.Of(key, _options.TrustAnchor).Id);
        int count = 0;
        _store.TryUpdate(
            current =>
            {
                count = 0;
                if (current.OwnOf(chain) is not { } own)
                {
                    return current;
                }
                Own after = own with { Alarms = own.Alarms.RemoveAll(alarms.Contains) };
                count = own.Alarms.Length - after.Alarms.Length;
                return count == 0 ? current : PersonRules.Tidy(current.SetOwn(chain, after));
            },
            []);
        return count;
    }

    // Tells whether an alarm is about this version, by its epoch and by the hash of its value. If the value was erased, nobody can show it,
    // so the epoch alone decides.
    private static bool IsOf(Alarm alarm, KeyVersion version) =>
        alarm.Epoch == version.Epoch
            && (version.Value is not { } value || alarm.ValueSha256 is null || ValueHash.Of(value.Span) == alarm.ValueSha256);
}
