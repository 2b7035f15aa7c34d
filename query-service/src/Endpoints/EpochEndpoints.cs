using System.Globalization;
using System.Text.Json;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>
/// Serves records, the latest head, audit proofs and the log's configuration. These endpoints are open to everyone. Answers that never
/// change are marked as immutable for caches.
/// </summary>
internal sealed class EpochEndpoints
{
    /// <summary>The path of the endpoint that returns the newest epoch's head.</summary>
    public const string LatestPath = "/v1/epochs/latest";

    private const string EpochField = "{epoch}";
    private const string RangeField = "{range}";

    // The number of bytes of the length field before the vector of bounds.
    private const int BoundsLength = 3;

    // The URL parameter with the first period whose bounds the client wants.
    private const string FromParameter = "from";

    private readonly CurrentEpoch _current;
    private readonly FollowerState _state;
    private readonly AuditProofs _proofs;
    private readonly RateLimiter _limiter;
    private readonly IBoardFiles _board;
    private readonly AnswerBudget _budget;

    public EpochEndpoints(CurrentEpoch current, FollowerState state, AuditProofs proofs, RateLimiter limiter, IBoardFiles board,
        AnswerBudget budget)
    {
        _board = board;
        _budget = budget;
        _limiter = limiter;
        _current = current;
        _state = state;
        _proofs = proofs;
    }

    public void Map(IEndpointRouteBuilder routes)
    {
        routes.MapRead(LatestPath, (HttpContext context, CancellationToken cancellation) => LatestAsync(context, cancellation))
            .AllowBrowsers();
        routes.MapRead("/v1/epochs/{epoch}",
            (HttpContext context, string epoch, CancellationToken cancellation) => RecordAsync(context, epoch, cancellation))
            .LimitRate(RateLimitKind.Audits).AllowBrowsers();
        routes.MapRead("/v1/epochs/{range}/audit-proof",
            (HttpContext context, string range, CancellationToken cancellation) => AuditProofAsync(context, range, cancellation))
            .LimitRate(RateLimitKind.Audits).AllowBrowsers();
        routes.MapRead("/v1/periods", (HttpContext context, CancellationToken cancellation) => PeriodsAsync(context, cancellation))
            .LimitRate(RateLimitKind.Audits).AllowBrowsers();
        routes.MapRead("/v1/configuration", ConfigurationAsync).AllowBrowsers();
    }

    private static ProblemException NotFound(string detail) => new(new Problem(ProblemTypes.NotFound, detail));

    private static ulong ParseEpoch(ReadOnlySpan<char> text, string field) =>
        ClientPosition.TryParse(text, out ulong epoch)
            ? epoch
            : throw new ProblemException(
                new Problem(ProblemTypes.MalformedRequest,
                    "An epoch must be a decimal integer without leading zeros; a range must be two of them, 'a-b'.", field));

    /// <summary>Returns the current epoch if the client accepts it; otherwise throws <see cref="ProblemException"/>.</summary>
    private ServedEpoch ServedFor(HttpRequest request)
    {
        var position = ClientPosition.Read(request);
        ServedEpoch epoch = _current.PeekOrThrow();
        position.ThrowIfAhead(epoch.Epoch);
        return epoch;
    }

    private static async Task WriteAsync(HttpContext context, string type, ReadOnlyMemory<byte> octets,
        Action<Utf8JsonWriter, ReadOnlyMemory<byte>> writeJson, CancellationToken cancellationToken)
    {
        context.Response.ContentType = type;
        if (type != MediaTypes.Json)
        {
            context.Response.ContentLength = octets.Length;
            await context.Response.BodyWriter.WriteAsync(octets, cancellationToken);
            return;
        }
        var json = new Utf8JsonWriter(context.Response.BodyWriter, new JsonWriterOptions { Encoder = AnswerJson.Encoder });
        await using (json)
        {
            writeJson(json, octets);
        }
    }

    // Sets the entity tag, and returns true if the client already has this content. Within one log, the given name and the form (JSON or
    // binary) determine the content.
    private bool IsUnchanged(HttpContext context, string name, string type)
    {
        context.Response.Headers.Vary = Microsoft.Net.Http.Headers.HeaderNames.Accept;
        return Caching.IsUnchanged(context, $"{_state.LogName}/{name}/{(type == MediaTypes.Json ? "json" : "octets")}");
    }

    private async Task LatestAsync(HttpContext context, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, MediaTypes.Head);
        var position = ClientPosition.Read(context.Request);
        ServedEpoch epoch = _current.AcquireFresh();
        byte[] head;
        try
        {
            position.ThrowIfAhead(epoch.Epoch);
            head = epoch.Heads.TryGet(position.CheckpointSize, out byte[]? rendered)
                ? rendered
                : await epoch.Heads.RenderAsync(position.CheckpointSize, cancellationToken);
        }
        finally
        {
            epoch.Release();
        }
        context.Response.Headers.CacheControl = "public, max-age=1";
        context.Response.Headers.Vary = Microsoft.Net.Http.Headers.HeaderNames.Accept;
        await WriteAsync(context, type, head, AnswerJson.WriteHead, cancellationToken);
    }

    private async Task PeriodsAsync(HttpContext context, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, MediaTypes.Periods);
        var position = ClientPosition.Read(context.Request);
        ulong from = ClientPosition.Find(context.Request, FromParameter)
            ?? throw new ProblemException(
                new Problem(ProblemTypes.MalformedRequest, "Give one parameter 'from': the first period.", $"?{FromParameter}"));
        ServedEpoch epoch = _current.AcquireFresh();
        // The code below reads only records and hashes. It does not read the trees, so it needs no reference to the epoch.
        epoch.Release();
        position.ThrowIfAhead(epoch.Epoch);
        using AnswerLease lease = _budget.LeaseFor(context);
        (ReadOnlyMemory<byte> bounds, ReadOnlyMemory<byte> record) = await epoch.Bounds.RenderAsync(from, cancellationToken);
        EpochHeads heads = record.Equals(epoch.Record) ? epoch.Heads : new EpochHeads(record, epoch.Checkpoint, epoch.Log);
        byte[] head = heads.TryGet(position.CheckpointSize, out byte[]? rendered)
            ? rendered
            : await heads.RenderAsync(position.CheckpointSize, cancellationToken);
        using var answer = new PooledWriter(lease, head.Length + BoundsLength + bounds.Length);
        answer.Append(head);
        answer.Append([(byte)(bounds.Length >> 16), (byte)(bounds.Length >> 8), (byte)bounds.Length]);
        answer.Append(bounds.Span);
        context.Response.Headers.CacheControl = "public, max-age=1";
        context.Response.Headers.Vary = Microsoft.Net.Http.Headers.HeaderNames.Accept;
        await answer.SendAsync(context.Response, type, AnswerJson.WritePeriodsAnswer, cancellationToken);
    }

    private async Task RecordAsync(HttpContext context, string text, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, MediaTypes.Record);
        ulong number = ParseEpoch(text, EpochField);
        ServedEpoch epoch = ServedFor(context.Request);
        if (number > epoch.Epoch)
        {
            throw NotFound($"This replica's newest epoch is {epoch.Epoch}.");
        }
        ReadOnlyMemory<byte> record = number == epoch.Epoch ? epoch.Record : await epoch.Log.ReadRecordAsync(number, cancellationToken);
        if (!IsUnchanged(context, string.Create(CultureInfo.InvariantCulture, $"epochs/{number}"), type))
        {
            await WriteAsync(context, type, record, (json, octets) => AnswerJson.WriteRecord(json, octets.Span), cancellationToken);
        }
    }

    private async Task AuditProofAsync(HttpContext context, string range, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, MediaTypes.AuditProof);
        int dash = range.IndexOf('-', StringComparison.Ordinal);
        ulong last = ParseEpoch(range.AsSpan(dash + 1), RangeField);
        if (dash < 0 && last == 0)
        {
            throw NotFound("Epoch 0 has no audit proof: no step leads to it.");
        }
        ulong first = dash < 0 ? last - 1 : ParseEpoch(range.AsSpan(0, dash), RangeField);
        if (first >= last)
        {
            throw new ProblemException(
                new Problem(ProblemTypes.MalformedRequest, "A range 'a-b' must lead from epoch a to a later epoch b.", RangeField));
        }
        if (last - first > AuditProof.MaxEpochs)
        {
            throw new ProblemException(
                new Problem(ProblemTypes.RangeTooLarge, $"A range may have at most {AuditProof.MaxEpochs} epochs.", RangeField));
        }
        ulong newest = ServedFor(context.Request).Epoch;
        if (last > newest)
        {
            throw NotFound($"This replica's newest epoch is {newest}.");
        }
        // This check needs no read of the board, because the audit proof of two published epochs exists and never changes.
        if (IsUnchanged(context, string.Create(CultureInfo.InvariantCulture, $"audit-proof/{first}-{last}"), type))
        {
            return;
        }
        _limiter.Spend(context, RateLimitKind.Audits, (int)(last - first));
        if (last - first == 1 && type != MediaTypes.Json)
        {
            await BoardEndpoints.SendAsync(
                context, await _board.FindAuditProofAsync(last, cancellationToken), type, _budget, cancellationToken);
            return;
        }
        using AnswerLease lease = _budget.LeaseFor(context);
        using PooledWriter proof = last - first == 1
            ? await ReadAuditProofAsync(last, lease, cancellationToken)
            : await _proofs.MergeAsync(first, last, lease, cancellationToken);
        await proof.SendAsync(context.Response, type, AnswerJson.WriteAuditProof, cancellationToken);
    }

    private async Task<PooledWriter> ReadAuditProofAsync(ulong epoch, AnswerLease lease, CancellationToken cancellationToken)
    {
        var proof = new PooledWriter(lease, 0);
        try
        {
            await _board.ReadAuditProofAsync(epoch, proof, cancellationToken);
            return proof;
        }
        catch
        {
            proof.Dispose();
            throw;
        }
    }

    private async Task ConfigurationAsync(HttpContext context, CancellationToken cancellationToken)
    {
        TrustAnchor anchor = _state.Anchor ?? throw CurrentEpoch.Unavailable("This replica does not know the log yet.");
        AcceptHeader.Choose(context.Request, MediaTypes.Json);
        // The configuration of a log never changes, but a successor log may replace the log at the same address. So caches may keep the
        // answer only for a minute.
        context.Response.Headers.CacheControl = "public, max-age=60";
        if (!Caching.IsKnown(context, $"{_state.LogName}/configuration"))
        {
            await WriteAsync(context, MediaTypes.Json, default, (json, _) => AnswerJson.WriteConfiguration(json, anchor),
                cancellationToken);
        }
    }
}
