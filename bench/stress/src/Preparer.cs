using System.Collections.Concurrent;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;

namespace Optiks.Stress;

/// <summary>
/// Fills the key space of later runs. It finds by verified lookups which keys exist, writes the missing keys, and waits until they are
/// published. If it runs again, it writes only the keys that are still missing.
/// </summary>
internal sealed class Preparer
{
    private const int LookupBatch = ProtocolLimits.MaxQueries;
    private const int UpdateBatch = ProtocolLimits.MaxList;
    private const int Parallel = 4;
    private const double ProgressSeconds = 5;
    private readonly TargetOptions _options;
    private readonly Target _target;
    private readonly Views _views;
    private readonly TimeProvider _time;
    private readonly Action<string> _progress;

    public Preparer(TargetOptions options, Target target, Views views, TimeProvider time, Action<string> progress)
    {
        _options = options;
        _target = target;
        _views = views;
        _time = time;
        _progress = progress;
    }

    /// <summary>Prepares the keys, and returns the number of updates that were needed. Throws <see cref="StressException"/> if the
    /// preparation fails.</summary>
    /// <param name="manyVersions">The least number of versions that each of the additional keys with many versions must have.</param>
    /// <param name="cancellationToken">Cancels the preparation; the updates that were accepted stay.</param>
    public async Task<int> PrepareAsync(int manyVersions, CancellationToken cancellationToken)
    {
        KeySpace keys = _options.Keys;
        string[] single = [.. Enumerable.Range(0, keys.Count).Select(keys.Key)];
        string[] many = [.. Enumerable.Range(0, keys.ManyCount).Select(keys.ManyKey)];
        // If the log has no keys at all, the lookups are not needed.
        bool empty = await IsEmptyAsync(cancellationToken);
        IReadOnlyDictionary<string, ulong> singleVersions = await VersionsAsync(empty ? [] : single, cancellationToken);
        IReadOnlyDictionary<string, ulong> manyHave = await VersionsAsync(empty ? [] : many, cancellationToken);
        string[] missing = [.. single.Where(key => singleVersions.GetValueOrDefault(key) == 0)];
        int written = missing.Length;
        _progress($"{single.Length - missing.Length} of {single.Length} keys are there; writing {missing.Length}");
        await WriteAsync(missing, cancellationToken);
        // An epoch publishes only one version of a key, so each round of updates waits until its versions are published.
        for (ulong version = 1; version <= (ulong)manyVersions; version++)
        {
            string[] round = [.. many.Where(key => manyHave.GetValueOrDefault(key) < version)];
            if (round.Length > 0)
            {
                _progress($"version {version} of {manyVersions} for {round.Length} keys");
                written += round.Length;
                await WriteAsync(round, cancellationToken);
            }
        }
        return written;
    }

    private async Task<bool> IsEmptyAsync(CancellationToken cancellationToken)
    {
        Reply reply = await RetryAsync(
            _options.QueryUrls[0], "/v1/epochs/latest", MediaTypes.Head, null, "", authorize: false, TimeSpan.Zero, cancellationToken);
        HeadVerdict verdict = Verifier.VerifyHead(_views.Context(null), reply.Body);
        if (verdict.Reason != Reason.Valid || _views.Learn(0, verdict.Head!, reply.Body) != Reason.Valid)
        {
            throw new StressException($"The head does not verify: {verdict.Reason.Name()}.", ExitCodes.Invalid);
        }
        return _views.Versions(verdict.Head!.Epoch) == 0;
    }

    private async Task<IReadOnlyDictionary<string, ulong>> VersionsAsync(string[] names, CancellationToken cancellationToken)
    {
        var versions = new Dictionary<string, ulong>(names.Length, StringComparer.Ordinal);
        foreach (string[] batch in names.Chunk(LookupBatch))
        {
            using var keys = new ByteStrings(batch.Length);
            var queries = new Query[batch.Length];
            for (int i = 0; i < batch.Length; i++)
            {
                byte[] name = Encoding.UTF8.GetBytes(batch[i]);
                keys.Add(name);
                queries[i] = new Query(name, 0, 0);
            }
            Reply reply = await RetryAsync(
                _options.QueryUrls[0], "/v1/lookup", MediaTypes.Lookup, QueryList.Encode(queries), MediaTypes.Query, authorize: false,
                TimeSpan.Zero, cancellationToken);
            LookupVerdict verdict = Verifier.Lookup(_views.Context(null), keys, new KnownKey[batch.Length], reply.Body);
            if (verdict.Reason != Reason.Valid)
            {
                throw new StressException($"A lookup does not verify: {verdict.Reason.Name()}.", ExitCodes.Invalid);
            }
            for (int i = 0; i < batch.Length; i++)
            {
                versions.Add(batch[i], verdict.Keys[i].Version);
            }
        }
        return versions;
    }

    private async Task WriteAsync(string[] names, CancellationToken cancellationToken)
    {
        var parallel = new ParallelOptions { MaxDegreeOfParallelism = Parallel, CancellationToken = cancellationToken };
        var last = new ConcurrentBag<UpdateItem>();
        Action<int> accepted = Counter("accepted", names.Length);
        await System.Threading.Tasks.Parallel.ForEachAsync(names.Chunk(UpdateBatch), parallel, async (batch, token) =>
        {
            UpdateItem[] items = [.. batch.Select(key => new UpdateItem(Guid.CreateVersion7(_time.GetUtcNow()), key))];
            byte[] body = UpdateBody.Encode(items, _options.Keys, list: true);
            await RetryAsync(_options.UpdateUrls[0], "/v1/updates", MediaTypes.Json, body, MediaTypes.Json, authorize: true,
                TimeSpan.Zero, token);
            last.Add(items[^1]);
            accepted(batch.Length);
        });
        // It is enough to wait for the last update of each list: epochs publish the oldest updates first, and no two of these updates have
        // the same key.
        foreach (UpdateItem item in last)
        {
            await PublishedAsync(item, cancellationToken);
        }
        _progress($"published {names.Length}");
    }

    // Returns a function that counts steps, and that reports the progress every few seconds and at the end. Any thread may call the
    // function.
    private Action<int> Counter(string what, int total)
    {
        var gate = new Lock();
        int done = 0;
        long said = _time.GetTimestamp();
        return more =>
        {
            lock (gate)
            {
                done += more;
                if (done == total || _time.GetElapsedTime(said).TotalSeconds >= ProgressSeconds)
                {
                    said = _time.GetTimestamp();
                    _progress($"{what} {done} of {total}");
                }
            }
        };
    }

    private async Task PublishedAsync(UpdateItem item, CancellationToken cancellationToken)
    {
        const int WaitSeconds = 10;
        while (true)
        {
            Reply reply = await RetryAsync(
                _options.UpdateUrls[0], $"/v1/updates/{item.RequestId:D}?wait={WaitSeconds}", MediaTypes.Json, null, "", authorize: true,
                TimeSpan.FromSeconds(WaitSeconds), cancellationToken);
            StatusText status = StatusText.Parse(reply.Body);
            if (status.Published is not null)
            {
                return;
            }
            if (status.Status != "pending")
            {
                throw new StressException($"The update of {item.Key} is {status.Status}.", ExitCodes.Unreachable);
            }
        }
    }

    private async Task<Reply> RetryAsync(
        Uri server, string path, string accept, ReadOnlyMemory<byte>? body, string contentType, bool authorize, TimeSpan extra,
        CancellationToken cancellationToken)
    {
        const int Attempts = 100;
        for (int attempt = 1; ; attempt++)
        {
            Reply reply = await _target.SendAsync(server, path, accept, body, contentType, authorize, extra, cancellationToken);
            if (reply.Error is null)
            {
                return reply;
            }
            bool transient = reply.Status is 0 or 429 or >= 500 && reply.Error != "unreachable";
            if (!transient || attempt == Attempts)
            {
                throw new StressException($"{server.Authority} refused {path.Split('?')[0]}: {reply.Error}.", ExitCodes.Unreachable);
            }
            await Task.Delay(TimeSpan.FromMilliseconds(200), _time, cancellationToken);
        }
    }
}
