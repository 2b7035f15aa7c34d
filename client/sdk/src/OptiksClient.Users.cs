using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>Asks for a user with all devices, by a username given as text.</summary>
    public Task<UserLookupResult> LookupUserAsync(string username, CancellationToken cancellationToken = default) =>
        LookupUserAsync(KeyName.OctetsOf(username), null, cancellationToken);

    /// <summary>
    /// Asks for a user, by a username, with all devices or with one device. The answer shows the whole device list, which proves whether
    /// the one device is on the list.
    /// </summary>
    public async Task<UserLookupResult> LookupUserAsync(
        ReadOnlyMemory<byte> username, ReadOnlyMemory<byte>? device = null, CancellationToken cancellationToken = default) =>
        (await LookupUsersAsync([(username, device)], cancellationToken).ConfigureAwait(false))[0];

    /// <summary>
    /// Asks for several users, in requests with at most <see cref="MaxKeys"/> users each, or with fewer users if the answers would be too
    /// long. The results are in the order of the questions. If one proof of an answer is invalid, the client refuses the whole answer.
    /// Every user of that request then has the same reason, and <see cref="UserLookupResult.AtFault"/> marks the user whose proof is
    /// invalid.
    /// </summary>
    /// <param name="users">The usernames, each with the one device that is requested, or with null for all devices.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public async Task<IReadOnlyList<UserLookupResult>> LookupUsersAsync(
        IReadOnlyList<(ReadOnlyMemory<byte> Username, ReadOnlyMemory<byte>? Device)> users, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(users);
        (KeyName Username, KeyName? Device)[] names =
            [.. users.Select(
                user => (UsernameOf(user.Username), user.Device is { } device ? NameOf(device, "device id") : default(KeyName?)))];
        var results = new List<UserLookupResult>(names.Length);
        foreach ((KeyName Username, KeyName? Device)[] batch in names.Chunk(MaxKeys))
        {
            results.AddRange(await LookupUserBatchAsync(batch, 0, cancellationToken).ConfigureAwait(false));
        }
        return results;
    }

    private async Task<IReadOnlyList<UserLookupResult>> LookupUserBatchAsync(
        (KeyName Username, KeyName? Device)[] users, ulong leastEpoch, CancellationToken cancellationToken, bool ofOwner = false)
    {
        var exchange = new UserLookupExchange(users, leastEpoch, _options.TrustAnchor.Policy, _store, ofOwner);
        Outcome<UserLookupExchange.Learnt> outcome;
        try
        {
            outcome = await _exchanger.RunAsync(exchange, cancellationToken).ConfigureAwait(false);
        }
        catch (OptiksServerException e) when (MaySplit(e, users.Length))
        {
            return await HalveAsync(users, half => LookupUserBatchAsync(half, leastEpoch, cancellationToken, ofOwner))
                .ConfigureAwait(false);
        }
        return [.. users.Select((user, i) => Result(user.Username, user.Device, outcome, i))];
    }

    private UserLookupResult Result(KeyName username, KeyName? device, Outcome<UserLookupExchange.Learnt> outcome, int index)
    {
        var result = new UserLookupResult(outcome)
        {
            Username = username.Octets,
            AskedDevice = device?.Octets,
            AtFault = outcome.FailedKey == index,
        };
        return outcome.Learnt?.Users[index] is not { } answer ? result : result with
        {
            User = answer.User,
            EarlierUsers = answer.Earlier,
            HasLeft = answer.Kind == UserKind.Left,
            Epoch = answer.Epoch,
            Time = UnixTime.FromMilliseconds(answer.TimeMs),
            ListVersion = answer.List?.At.Version ?? 0,
            ListEpoch = answer.List?.PublishedEpoch ?? 0,
            Devices = answer.Devices,
            Alarms = AlarmRules.OfLookup(
                _store.Current, username.Id,
                [.. answer.Earlier.Select(earlier => earlier.User),
                    .. answer.User is { } user ? [user] : Array.Empty<ReadOnlyMemory<byte>>()]),
        };
    }

    /// <summary>
    /// Returns the normalized form of a username (docs/spec/usernames.md). The client uses only this form in requests, in its state and in
    /// checks.
    /// </summary>
    private KeyName UsernameOf(ReadOnlyMemory<byte> username) =>
        Usernames.Prepare(_options.TrustAnchor.Configuration, username.Span, out byte[] form) is var fault and not UsernameFault.Valid
        ? throw new ArgumentException(fault.Sentence(), nameof(username))
        : KeyName.OfVerified(form);

    private KeyName NameOf(ReadOnlyMemory<byte> octets, string what) => KeyName.Of(octets, _options.TrustAnchor, what);
}
