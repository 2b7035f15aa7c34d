using System.Collections.Concurrent;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>
/// Serves a FixtureLog over HTTP on a free loopback port, and is honest unless a test changes its behaviour. The server can lag, change its
/// answers, fail, and show another log.
/// </summary>
internal sealed class FixtureServer : IAsyncDisposable
{
    public const string ApiKey = "optiks_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    /// <summary>A token that the server accepts instead of the API key.</summary>
    public const string Token = "e30.e30.AA";
    private readonly WebApplication _app;
    private readonly ConcurrentDictionary<Guid, (byte[] Key, byte[] Value)> _accepted = new();
    private readonly ConcurrentDictionary<Guid, string> _status = new();
    private readonly ConcurrentDictionary<Guid, bool> _userRequests = new();

    private FixtureServer(FixtureLog log)
    {
        Log = log;
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.Configure<KestrelServerOptions>(options => options.Limits.MaxRequestBodySize = 8 << 20);
        _app = builder.Build();
        _app.Run(HandleAsync);
    }

    public FixtureLog Log { get; set; }

    public Uri Url => new(_app.Urls.Single());

    /// <summary>The epoch that the server serves; null for the latest epoch.</summary>
    public ulong? Lag { get; set; }

    /// <summary>The number of versions per page of history and monitor answers.</summary>
    public uint PageSize { get; set; } = 256;

    /// <summary>Receives the request's path and the answer, and returns the answer that the server sends.</summary>
    public Func<string, byte[], byte[]> Mutate { get; set; } = (_, answer) => answer;

    /// <summary>
    /// Receives the request's path, and returns the status and problem type with which the server refuses the request; null to answer
    /// normally.
    /// </summary>
    public Func<string, (int Status, string Problem)?> Refuse { get; set; } = _ => null;

    /// <summary>
    /// Tells whether the server no longer serves a period. The second argument is the current period. The default is honest and follows the
    /// configuration.
    /// </summary>
    public Func<ulong, ulong, bool> IsGone { get; set; } = (period, current) =>
        current - period >= FixtureLog.Configuration.RetainedPeriods;

    /// <summary>Whether the server reports that all values of ended periods were erased.</summary>
    public bool HasErasedEnds { get; set; }

    /// <summary>The paths and queries of the requests that asked about ended periods.</summary>
    public ConcurrentQueue<string> EndedQueries { get; } = new();

    /// <summary>The methods and paths of all requests.</summary>
    public ConcurrentQueue<string> Requests { get; } = new();

    /// <summary>The paths of the requests that carried an API key.</summary>
    public ConcurrentQueue<string> Authorized { get; } = new();

    /// <summary>Tells, by its path, whether a request gets an answer that begins and then never continues.</summary>
    public Func<string, bool> Hang { get; set; } = _ => false;

    /// <summary>Whether the server answers every request with a page of HTML.</summary>
    public bool AnswersHtml { get; set; }

    /// <summary>Whether the server sends each answer without end, until the client disconnects.</summary>
    public bool Endless { get; set; }

    /// <summary>
    /// Whether the server answers about keys as if the client kept no checkpoint. An honest server that is behind the client's checkpoint
    /// refuses the request with <c>not-caught-up</c>.
    /// </summary>
    public bool IgnoresKeptSize { get; set; }

    /// <summary>Returns the tiles to serve instead of the log's tiles; null to serve the log's tiles.</summary>
    public Func<TilePath, byte[]>? Tile { get; set; }

    /// <summary>Whether the operator requires an API key for lookups.</summary>
    public bool LookupsAreClosed { get; set; }

    /// <summary>The number of epochs before the latest one for which a client may ask.</summary>
    public ulong RecentEpochs { get; set; } = 8;

    /// <summary>Returns the answer with the cosignatures of auditors and witnesses; null if this server has no such resource.</summary>
    public Func<byte[]>? Cosignatures { get; set; }

    /// <summary>The prefix of all requests' paths.</summary>
    public string Prefix { get; set; } = "";

    /// <summary>The queries of the last lookup, history or monitor request.</summary>
    public IReadOnlyList<FixtureQuery> LastQueries { get; private set; } = [];

    /// <summary>The limits of one page of a monitoring answer about a user.</summary>
    public UserMonitorPage UserPage { get; set; } = new(256, 2048, 1024, 1 << 22);

    /// <summary>
    /// Whether the server answers about users although the client's question names versions or users that the log does not have. An honest
    /// server refuses such a question with <c>not-caught-up</c>.
    /// </summary>
    public bool DeniesWhatIsKnown { get; set; }

    /// <summary>
    /// The greatest number of queries in a lookup. The server refuses a longer lookup, as if its answer would be too long.
    /// </summary>
    public int MostQueries { get; set; } = int.MaxValue;

    /// <summary>The decoded bodies of all monitoring requests about users.</summary>
    public ConcurrentQueue<UserMonitorQuery> UserQueries { get; } = new();

    /// <summary>The status document that the server returns for every request about a user.</summary>
    public string UserStatus { get; set; } = """{"status":"pending"}""";

    /// <summary>The status document that the server returns for every erasure.</summary>
    public string ErasureStatus { get; set; } = """{"status":"pending"}""";

    /// <summary>The body of the last request about a user, or of an erasure.</summary>
    public byte[] LastUserRequest { get; private set; } = [];

    /// <summary>The last update that the server received, and whether the request asked for a receipt.</summary>
    public (byte[] Key, byte[] Value, bool WantsReceipt) LastUpdate { get; private set; }

    /// <summary>Whether the server publishes each accepted update at once in a new epoch.</summary>
    public bool PublishAtOnce { get; set; } = true;

    public static async Task<FixtureServer> StartAsync(FixtureLog log)
    {
        var server = new FixtureServer(log);
        await server._app.StartAsync();
        return server;
    }

    public void PublishPending()
    {
        foreach ((Guid id, (byte[] key, byte[] value)) in _accepted.ToArray())
        {
            Log.Publish(key, value);
            _status[id] =
                $$"""{"request_id":"{{id}}","status":"published","epoch":{{Log.Latest}},"items":[{"item":0,"key_b64":"{{Base64UrlText.Encode(key)}}","version":{{VersionOf(key)}},"period":{{Log.Period}}}],"proof":{"href":"/v1/lookup?min_epoch={{Log.Latest}}","method":"POST"} }""";
            _accepted.TryRemove(id, out _);
        }
    }

    public async ValueTask DisposeAsync() => await _app.DisposeAsync();

    private ulong VersionOf(byte[] key) =>
        LookupAnswer.Decode(
            (byte[])[.. Log.HeadAsync(Log.Latest, 0).GetAwaiter().GetResult()!,
                .. Log.Lookups(Log.Latest, [new FixtureQuery(key, 0, 0)])]).Lookups[0].Version;

    private async Task HandleAsync(HttpContext context)
    {
        string path = context.Request.Path.Value!;
        if (!path.StartsWith(Prefix, StringComparison.Ordinal))
        {
            await FixtureAnswers.ProblemAsync(context, 404, "not-found");
            return;
        }
        path = path[Prefix.Length..];
        Requests.Enqueue($"{context.Request.Method} {path}");
        if (context.Request.Headers.Authorization.Count > 0)
        {
            Authorized.Enqueue(path);
        }
        if (Refuse(path) is { } refusal)
        {
            await FixtureAnswers.ProblemAsync(context, refusal.Status, refusal.Problem);
            return;
        }
        if (AnswersHtml && path.StartsWith("/v1/", StringComparison.Ordinal))
        {
            await BytesAsync(context, path, "text/html", "<html></html>"u8.ToArray());
            return;
        }
        if (Endless && path.StartsWith("/v1/", StringComparison.Ordinal))
        {
            await FixtureAnswers.SendEndlesslyAsync(context);
            return;
        }
        if (Hang(path))
        {
            context.Response.ContentType = context.Request.Headers.Accept.ToString();
            await context.Response.Body.WriteAsync(new byte[1]);
            await context.Response.Body.FlushAsync();
            // Send nothing more until the client disconnects.
            await Task.Delay(Timeout.Infinite, context.RequestAborted)
                .ContinueWith(_ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
            return;
        }
        ulong latest = Lag ?? Log.Latest;
        (ulong epoch, string? unserved) = Asked(context, latest);
        if (unserved is not null)
        {
            await FixtureAnswers.ProblemAsync(context, unserved == "not-found" ? 404 : 410, unserved);
            return;
        }
        switch (path)
        {
            case "/v1/epochs/latest":
                await HeadAsync(context, latest);
                break;
            case "/v1/periods":
                await PeriodsAsync(context, latest);
                break;
            case "/v1/lookup" or "/v1/history" or "/v1/monitor":
                await AnswerAsync(context, path, epoch);
                break;
            case "/v1/users/lookup" or "/v1/users/monitor":
                await AnswerUserAsync(context, path, epoch);
                break;
            case "/v1/updates":
                await AcceptAsync(context);
                break;
            case "/v1/users" or "/v1/erasures":
                await AcceptUserAsync(context, path);
                break;
            case "/v1/configuration":
                await BytesAsync(context, path, MediaTypes.Json, FixtureLog.Anchor.ToJson());
                break;
            case "/v1/cosignatures" when Cosignatures is not null:
                await BytesAsync(context, path, MediaTypes.Json, Cosignatures());
                break;
            case "/log/checkpoint":
                await BytesAsync(context, path, "text/plain", FixtureLog.Checkpoint(Log.Board(epoch + 1)));
                break;
            default:
                await OtherAsync(context, path, epoch);
                break;
        }
    }

    // Returns the epoch that a request asks for, or the problem type with which the server refuses the request.
    private (ulong Epoch, string? Unserved) Asked(HttpContext context, ulong latest)
    {
        if (context.Request.Query["at_epoch"] is [{ } at])
        {
            ulong recent = ulong.Parse(at, System.Globalization.CultureInfo.InvariantCulture);
            return recent <= latest && latest - recent <= RecentEpochs ? (recent, null) : (0, "not-found");
        }
        if (context.Request.Query["period"] is not [{ } text])
        {
            return (latest, null);
        }
        EndedQueries.Enqueue($"{context.Request.Path}?period={text}");
        ulong asked = ulong.Parse(text, System.Globalization.CultureInfo.InvariantCulture);
        ulong period = EpochRecord.ReadPeriod(Log.Record(latest));
        return asked >= period ? (0, "not-found")
            : IsGone(asked, period) ? (0, "period-gone")
            : HasErasedEnds ? (0, "erased")
            : (Log.LastEpoch(asked, latest), null);
    }

    private async Task HeadAsync(HttpContext context, ulong latest) => await BytesAsync(
        context, "/v1/epochs/latest", MediaTypes.Head,
        (await Log.HeadAsync(latest,
            ulong.Parse(context.Request.Query["checkpoint_size"].ToString(), System.Globalization.CultureInfo.InvariantCulture)))!);

    private async Task PeriodsAsync(HttpContext context, ulong latest)
    {
        ulong from = ulong.Parse(context.Request.Query["from"].ToString(), System.Globalization.CultureInfo.InvariantCulture);
        ulong period = EpochRecord.ReadPeriod(Log.Record(latest));
        if (from > period)
        {
            await FixtureAnswers.ProblemAsync(context, 404, "not-found");
            return;
        }
        const ulong OfPage = (ProtocolLimits.MaxPeriodBounds / 2) - 1;
        ulong last = period - from > OfPage ? Log.FirstEpoch(Log.LastEpoch(from + OfPage, latest)) : latest;
        byte[]? head = await Log.HeadAsync(last,
            ulong.Parse(context.Request.Query["checkpoint_size"].ToString(), System.Globalization.CultureInfo.InvariantCulture), latest);
        if (head is null)
        {
            await FixtureAnswers.ProblemAsync(context, 503, "not-caught-up");
            return;
        }
        await BytesAsync(context, "/v1/periods", context.Request.Headers.Accept.ToString(),
            [.. head, .. await Log.BoundsAsync(last, from, latest)]);
    }

    private async Task AnswerAsync(HttpContext context, string path, ulong epoch)
    {
        if ((path != "/v1/lookup" || LookupsAreClosed) && !IsAuthorized(context))
        {
            await FixtureAnswers.ProblemAsync(context, 401, "unauthorized");
            return;
        }
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        IReadOnlyList<FixtureQuery> queries = FixtureQuery.ReadList(body.ToArray());
        LastQueries = queries;
        if (path == "/v1/lookup" && queries.Count > MostQueries)
        {
            await FixtureAnswers.ProblemAsync(context, 422, "answer-too-large");
            return;
        }
        ulong kept = IgnoresKeptSize
            ? 0
            : ulong.Parse(context.Request.Query["checkpoint_size"].ToString(), System.Globalization.CultureInfo.InvariantCulture);
        byte[]? head = await Log.HeadAsync(epoch, kept, Lag ?? Log.Latest);
        if (head is null)
        {
            await FixtureAnswers.ProblemAsync(context, 503, "not-caught-up");
            return;
        }
        byte[] rest = path == "/v1/lookup" ? Log.Lookups(epoch, queries) : Log.Versions(epoch, queries, PageSize);
        await BytesAsync(context, path, context.Request.Headers.Accept.ToString(), [.. head, .. rest]);
    }

    private async Task AnswerUserAsync(HttpContext context, string path, ulong epoch)
    {
        bool isLookup = path == "/v1/users/lookup";
        if ((!isLookup || LookupsAreClosed) && !IsAuthorized(context))
        {
            await FixtureAnswers.ProblemAsync(context, 401, "unauthorized");
            return;
        }
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        byte[] query = body.ToArray();
        if (isLookup && UserQueryList.Decode(query).Count > MostQueries)
        {
            await FixtureAnswers.ProblemAsync(context, 422, "answer-too-large");
            return;
        }
        byte[]? head = await Log.HeadAsync(
            epoch, ulong.Parse(context.Request.Query["checkpoint_size"].ToString(), System.Globalization.CultureInfo.InvariantCulture),
            Lag ?? Log.Latest);
        byte[] rest = [];
        bool isAhead = head is null;
        bool isUnknown = false;
        if (!isAhead && isLookup)
        {
            rest = Log.Users(epoch, query, out UsersSummary summary);
            if (DeniesWhatIsKnown && summary.AheadOf == KnownOfUser.Key)
            {
                rest = Log.Users(epoch, UserQueryList.Encode([.. UserQueryList.Decode(query).Select(one => one with { Keys = [] })]),
                    out summary);
            }
            if (DeniesWhatIsKnown && summary.AheadOf != KnownOfUser.None)
            {
                rest = Log.Users(
                    epoch,
                    UserQueryList.Encode(
                        [.. UserQueryList.Decode(query).Select(one => new UserQuery(one.Username) { Device = one.Device })]), out summary);
            }
            isAhead = summary.AheadOf != KnownOfUser.None;
        }
        else if (!isAhead)
        {
            UserQueries.Enqueue(UserMonitorQuery.Decode(query));
            query = DeniesWhatIsKnown ? new UserMonitorQuery(UserMonitorQuery.Decode(query).User).Encode() : query;
            rest = Log.UserMonitor(epoch, query, UserPage, out UserMonitorSummary summary);
            isUnknown = summary.Unanswered == OwnUserUnanswered.NoUser;
            isAhead = !isUnknown && summary.Unanswered != OwnUserUnanswered.None;
        }
        if (isAhead || isUnknown)
        {
            await FixtureAnswers.ProblemAsync(context, isAhead ? 503 : 404, isAhead ? "not-caught-up" : "not-found");
            return;
        }
        await BytesAsync(context, path, context.Request.Headers.Accept.ToString(), [.. head!, .. rest]);
    }

    private async Task AcceptAsync(HttpContext context)
    {
        if (!IsAuthorized(context))
        {
            await FixtureAnswers.ProblemAsync(context, 401, "unauthorized");
            return;
        }
        using JsonDocument document = await JsonDocument.ParseAsync(context.Request.Body);
        JsonElement root = document.RootElement;
        Guid id = root.GetProperty("request_id").GetGuid();
        LastUpdate = (Octets(root, "key_b64"), Octets(root, "value_b64"),
            root.TryGetProperty("receipt", out JsonElement receipt) && receipt.GetBoolean());
        if (root.TryGetProperty("expected", out JsonElement expected)
            && expected.GetProperty("version").GetUInt64() != VersionOf(Octets(root, "key_b64")))
        {
            _status[id] =
                $$"""{"request_id":"{{id}}","status":"refused","reason":"expected-version","item":0,"current":{"period":0,"version":{{VersionOf(Octets(root, "key_b64"))}} } }""";
        }
        else if (_status.TryAdd(id, $$"""{"request_id":"{{id}}","status":"pending"}"""))
        {
            _accepted[id] = (Octets(root, "key_b64"), Octets(root, "value_b64"));
            if (PublishAtOnce)
            {
                PublishPending();
            }
        }
        context.Response.StatusCode = 202;
        await BytesAsync(context, "/v1/updates", MediaTypes.Json,
            System.Text.Encoding.UTF8.GetBytes($$"""{"request_id":"{{id}}","status":"pending","status_url":"/v1/updates/{{id}}"}"""));
    }

    private async Task AcceptUserAsync(HttpContext context, string path)
    {
        if (!IsAuthorized(context))
        {
            await FixtureAnswers.ProblemAsync(context, 401, "unauthorized");
            return;
        }
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        LastUserRequest = body.ToArray();
        using var document = JsonDocument.Parse(LastUserRequest);
        Guid id = document.RootElement.GetProperty("request_id").GetGuid();
        _userRequests[id] = true;
        context.Response.StatusCode = 202;
        if (path == "/v1/erasures")
        {
            await BytesAsync(context, path, MediaTypes.Json,
                System.Text.Encoding.UTF8.GetBytes($$"""{"request_id":"{{id}}","status":"pending","status_url":"/v1/erasures/{{id}}"}"""));
            return;
        }
        await BytesAsync(context, "/v1/users", MediaTypes.Json,
            System.Text.Encoding.UTF8.GetBytes(
                $$"""{"request_id":"{{id}}","status":"pending","status_url":"/v1/updates/{{id}}","user_b64":"{{document.RootElement.GetProperty("user_b64").GetString()}}"}"""));
    }

    private async Task OtherAsync(HttpContext context, string path, ulong epoch)
    {
        if (path.StartsWith("/log/tile/", StringComparison.Ordinal) && TilePath.TryParse(path["/log/".Length..], out TilePath tile)
            && (Tile?.Invoke(tile) ?? Log.Board(epoch + 1).Tile(tile)) is { } octets)
        {
            await BytesAsync(context, path, "application/octet-stream", octets);
        }
        else if (path.StartsWith("/v1/updates/", StringComparison.Ordinal)
            && _status.TryGetValue(Guid.Parse(path["/v1/updates/".Length..]), out string? status))
        {
            await BytesAsync(context, path, MediaTypes.Json, System.Text.Encoding.UTF8.GetBytes(status));
        }
        else if (path.StartsWith("/v1/updates/", StringComparison.Ordinal)
            && _userRequests.ContainsKey(Guid.Parse(path["/v1/updates/".Length..])))
        {
            await BytesAsync(context, path, MediaTypes.Json, System.Text.Encoding.UTF8.GetBytes(UserStatus));
        }
        else if (path.StartsWith("/v1/erasures/", StringComparison.Ordinal)
            && _userRequests.ContainsKey(Guid.Parse(path["/v1/erasures/".Length..])))
        {
            await BytesAsync(context, path, MediaTypes.Json, System.Text.Encoding.UTF8.GetBytes(ErasureStatus));
        }
        else if (path.StartsWith("/v1/epochs/", StringComparison.Ordinal) && path.EndsWith("/audit-proof", StringComparison.Ordinal))
        {
            ulong[] range = [.. path.Split('/')[3].Split('-')
                .Select(text => ulong.Parse(text, System.Globalization.CultureInfo.InvariantCulture))];
            await BytesAsync(context, path, MediaTypes.AuditProof, Log.AuditProof(range.Length == 1 ? range[0] - 1 : range[0], range[^1]));
        }
        else
        {
            await FixtureAnswers.ProblemAsync(context, 404, "not-found");
        }
    }

    private async Task BytesAsync(HttpContext context, string path, string type, byte[] octets)
    {
        context.Response.ContentType = type;
        await context.Response.Body.WriteAsync(Mutate(path, octets));
    }

    private static bool IsAuthorized(HttpContext context) =>
        context.Request.Headers.Authorization.ToString() is $"Bearer {ApiKey}" or $"Bearer {Token}";

    private static byte[] Octets(JsonElement element, string name) =>
        Base64UrlText.TryDecode(element.GetProperty(name).GetString()!, out byte[]? octets) ? octets : throw new InvalidDataException(name);
}
