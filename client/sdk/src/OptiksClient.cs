using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Looks up, updates and monitors keys of one log. The client verifies every answer against the trust anchor and against everything that it
/// has verified so far. It saves the new state and then reports the answer. It reports a failed proof as a verdict;
/// <see cref="OptiksServerException"/> means that no server gave a usable answer. Thread-safe. The caller owns the HttpClient (with its
/// time limit) and the store. If a request would go over http through a proxy of the HttpClient, the proxy could read it, so the client
/// does not send the request (<see cref="ServerFailure.Insecure"/>).
/// </summary>
public sealed partial class OptiksClient
{
    /// <summary>The most keys in one request; longer lists take several requests.</summary>
    public const int MaxKeys = ProtocolLimits.MaxQueries;

    private readonly OptiksClientOptions _options;
    private readonly IClientStateStore _store;
    private readonly TimeProvider _time;
    private readonly ServerConnection _connection;
    private readonly VerifiedExchanger _exchanger;

    /// <summary>
    /// Creates a client of a log. First checks the native library, and throws <see cref="NativeLibraryException"/> if the library cannot be
    /// used.
    /// </summary>
    public OptiksClient(OptiksClientOptions options, HttpClient http, IClientStateStore store, TimeProvider? time = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(http);
        ArgumentNullException.ThrowIfNull(store);
        if (options.QueryUrls.Count == 0)
        {
            throw new ArgumentException("At least one query URL is needed.", nameof(options));
        }
        if (store.Current.LogId != Base64UrlText.Encode(options.TrustAnchor.LogId.Span))
        {
            throw new ClientStateException("The client state belongs to another log than the trust anchor.");
        }
        NativeLibraryCheck.Ensure();
        _options = options;
        _store = store;
        _time = time ?? TimeProvider.System;
        _connection = new ServerConnection(http, options.Credential(), options.AnswerWithin, _time);
        _exchanger = new VerifiedExchanger(options, _connection, store, _time);
    }

    /// <summary>
    /// The answers that the client believed and that too few auditors cover although the policy's time limit for auditors has passed. They
    /// are an alarm, which ends when enough auditors cover them. Empty for a trust anchor without auditors.
    /// </summary>
    public IReadOnlyList<Belief> Overdue
    {
        get
        {
            ClientState state = _store.Current;
            return CoverageOf(state).Overdue(state.Unaudited, _time.GetUtcNow());
        }
    }

    /// <summary>
    /// Ends the alarm about the given answers from <see cref="Overdue"/>, and about no others. Callers use this once a person knows that
    /// auditors will not cover these answers. Returns the number of answers whose alarm ended.
    /// </summary>
    public int AcceptOverdue(IReadOnlyCollection<Belief> overdue)
    {
        ArgumentNullException.ThrowIfNull(overdue);
        int count = 0;
        _store.TryUpdate(
            current =>
            {
                Belief[] accepted = [.. CoverageOf(current).Overdue(current.Unaudited, _time.GetUtcNow()).Where(overdue.Contains)];
                count = accepted.Length;
                return count == 0 ? current : current with { Unaudited = current.Unaudited.RemoveAll(accepted.Contains) };
            },
            []);
        return count;
    }

    /// <summary>Asks for the latest value of a key given as text.</summary>
    public Task<LookupResult> LookupAsync(string key, CancellationToken cancellationToken = default) =>
        LookupAsync(KeyName.OctetsOf(key), cancellationToken);

    /// <summary>Asks for the latest value of a key.</summary>
    public async Task<LookupResult> LookupAsync(ReadOnlyMemory<byte> key, CancellationToken cancellationToken = default) =>
        (await LookupAsync([key], cancellationToken).ConfigureAwait(false))[0];

    /// <summary>
    /// Asks for several keys, in requests with at most <see cref="MaxKeys"/> keys each, or with fewer keys if the answers would be too
    /// long. The results are in the order of the keys. If one proof of an answer is invalid, the client refuses the whole answer. Every key
    /// of that request then has the same reason, and <see cref="LookupResult.AtFault"/> marks the key whose proof is invalid.
    /// </summary>
    public async Task<IReadOnlyList<LookupResult>> LookupAsync(
        IReadOnlyList<ReadOnlyMemory<byte>> keys, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        KeyName[] names = [.. keys.Select(key => KeyName.Of(key, _options.TrustAnchor))];
        var results = new List<LookupResult>(names.Length);
        foreach (KeyName[] batch in names.Chunk(MaxKeys))
        {
            results.AddRange(await LookupBatchAsync(batch, 0, cancellationToken).ConfigureAwait(false));
        }
        return results;
    }

    private Coverage CoverageOf(ClientState state) => new(_options.TrustAnchor.Policy, state.Cosigners);

    private async Task<IReadOnlyList<LookupResult>> LookupBatchAsync(KeyName[] keys, ulong leastEpoch, CancellationToken cancellationToken)
    {
        // If the caller gives a key more than once, request it only once, because the state has one entry per key.
        KeyName[] distinct = [.. keys.DistinctBy(key => key.Id)];
        var exchange = new LookupExchange(distinct, _options.TrustAnchor.Policy, _store) { LeastEpoch = leastEpoch };
        Outcome<LookupExchange.KeyAnswer[]> outcome;
        try
        {
            outcome = await _exchanger.RunAsync(exchange, cancellationToken).ConfigureAwait(false);
        }
        catch (OptiksServerException e) when (MaySplit(e, keys.Length))
        {
            return await HalveAsync(keys, half => LookupBatchAsync(half, leastEpoch, cancellationToken)).ConfigureAwait(false);
        }
        var results = new Dictionary<string, LookupResult>(StringComparer.Ordinal);
        for (int i = 0; i < distinct.Length; i++)
        {
            results.Add(distinct[i].Id, Result(distinct[i], outcome, i));
        }
        return [.. keys.Select(key => results[key.Id])];
    }

    // Long values can make an answer too long even for a few keys, so the client splits the request. A server never refuses a request for a
    // single key for this reason (docs/spec/rest.md section 2).
    private static bool MaySplit(OptiksServerException refusal, int count) => refusal.Problem == ProblemNames.AnswerTooLarge && count > 1;

    private static async Task<IReadOnlyList<T>> HalveAsync<TQuestion, T>(
        TQuestion[] questions, Func<TQuestion[], Task<IReadOnlyList<T>>> askAsync)
    {
        int half = questions.Length / 2;
        IReadOnlyList<T> first = await askAsync(questions[..half]).ConfigureAwait(false);
        return [.. first, .. await askAsync(questions[half..]).ConfigureAwait(false)];
    }

    private static LookupResult Result(KeyName key, Outcome<LookupExchange.KeyAnswer[]> outcome, int index)
    {
        if (outcome.Learnt is null)
        {
            return new LookupResult(outcome) { Key = key.Octets, AtFault = outcome.FailedKey == index };
        }
        LookupExchange.KeyAnswer answer = outcome.Learnt[index];
        return new LookupResult(outcome)
        {
            Key = key.Octets,
            Version = answer.After.At.Version,
            PublishedEpoch = answer.After.PublishedEpoch,
            // Return null explicitly, because a null array would be converted implicitly to empty octets.
            Value = answer.Value is { } value ? value : default(ReadOnlyMemory<byte>?),
            Unchanged = answer.Unchanged,
            NotCopied = answer.After.NotCopied,
        };
    }
}
