using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// OptiksClient looks up, updates and monitors keys of one log. Every answer is verified against the trust anchor and against what was
/// verified before, and remembered before it is reported. A proof that fails is a verdict; <see cref="OptiksServerException"/> says that
/// there was no answer. Any thread. The HttpClient (with its time limit) and the store stay the caller's; where its proxy would read a request
/// over http, nothing is sent (<see cref="ServerFailure.Insecure"/>).
/// </summary>
public sealed partial class OptiksClient
{
    /// <summary>MaxKeys of one request; more are asked for in several.</summary>
    public const int MaxKeys = ProtocolLimits.MaxQueries;

    private readonly OptiksClientOptions _options;
    private readonly IClientStateStore _store;
    private readonly TimeProvider _time;
    private readonly ServerConnection _connection;
    private readonly VerifiedExchanger _exchanger;

    /// <summary>OptiksClient of a log. Checks the native library first (<see cref="NativeLibraryException"/>).</summary>
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
    /// Overdue is what was believed longer ago than the policy's auditors may take, and is not covered by enough of them: an alarm. It ends when they cover it. Empty for a trust anchor without auditors.
    /// </summary>
    public IReadOnlyList<Belief> Overdue
    {
        get
        {
            ClientState state = _store.Current;
            return CoverageOf(state).Overdue(state.Unaudited, _time.GetUtcNow());
        }
    }

    /// <summary>AcceptOverdue ends the alarm about these of <see cref="Overdue"/>, and no others: somebody knows that auditors will not cover them. Returns how many there were.</summary>
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

    /// <summary>LookupAsync asks for the latest value of a key given as text.</summary>
    public Task<LookupResult> LookupAsync(string key, CancellationToken cancellationToken = default) =>
        LookupAsync(KeyName.OctetsOf(key), cancellationToken);

    /// <summary>LookupAsync asks for the latest value of a key.</summary>
    public async Task<LookupResult> LookupAsync(ReadOnlyMemory<byte> key, CancellationToken cancellationToken = default) =>
        (await LookupAsync([key], cancellationToken).ConfigureAwait(false))[0];

    /// <summary>
    /// LookupAsync asks for several keys, in requests of <see cref="MaxKeys"/> or fewer, as long answers need; results in the order of the keys. An answer with one bad proof
    /// is refused whole: then every key of that request has the same reason, and the one at fault is marked.
    /// </summary>
    public async Task<IReadOnlyList<LookupResult>> LookupAsync(IReadOnlyList<ReadOnlyMemory<byte>> keys, CancellationToken cancellationToken = default)
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
        // The state has one entry a key, so a key asked for twice is sent once.
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

    // Long values make an answer too long whatever the number of keys; one key alone is never refused so (docs/spec/rest.md section 2).
    private static bool MaySplit(OptiksServerException refusal, int count) => refusal.Problem == ProblemNames.AnswerTooLarge && count > 1;

    private static async Task<IReadOnlyList<T>> HalveAsync<TQuestion, T>(TQuestion[] questions, Func<TQuestion[], Task<IReadOnlyList<T>>> askAsync)
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
            Version = answer.After.Version,
            PublishedEpoch = answer.After.PublishedEpoch,
            // Written out: a null array would become empty octets.
            Value = answer.Value is { } value ? value : default(ReadOnlyMemory<byte>?),
            Unchanged = answer.Unchanged,
            NotCopied = answer.After.NotCopied,
        };
    }
}
