using System.Globalization;
using System.Text;
using Optiks.Storage;
using Optiks.Storage.PostgreSql;
using Optiks.Storage.PostgreSql.Tests;
using Optiks.Storage.Sqlite;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>Tests honest callers whose updates are in a group with hostile ones: the honest callers get 202, and nothing is stored
/// twice.</summary>
[Collection(nameof(Cluster))]
public sealed class HostileGroupTests
{
    private const int Callers = 40;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task What_one_unit_makes_a_commit_throw_fails_no_other(bool isStored, bool isOfDatabase)
    {
        var engine = new WrappedEngine();
        var gate = new TaskCompletionSource();
        engine.BeforeAccept = () => gate.Task;
        void Examine(IReadOnlyList<AcceptUnit> units)
        {
            if (units.Any(IsHostile))
            {
                throw isOfDatabase ? new StorageCorruptException("a row that no table takes") : new OverflowException("no such number");
            }
        }

        engine.Given = isStored ? _ => { } : Examine;
        engine.Stored = isStored ? Examine : _ => { };
        await using Service service = await Service.StartAsync(engine: engine);
        Task<Answer> first = service.PostAsync(Update("first"));
        await Eventually.IsAsync(() => engine.Groups.Count == 1);
        Task<Answer>[] answers = [.. Enumerable.Range(0, Callers)
            .Select(i => service.PostAsync(Update(i % 13 == 7 ? $"hostile {i}" : $"key {i}")))];
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == Callers);
        gate.SetResult();
        Assert.Equal(202, (await first).Status);
        int hostile = 0;
        foreach ((Answer answer, int i) in (await Task.WhenAll(answers)).Select((answer, i) => (answer, i)))
        {
            if (i % 13 == 7)
            {
                hostile++;
                answer.IsProblem("internal", 500, null);
            }
            else
            {
                Assert.Equal(202, answer.Status);
            }
        }
        Assert.Equal(3, hostile);
        Assert.Equal(1 + Callers - (isStored ? 0 : hostile), service.Database.Requests());
        // Halving a group takes two commits per level for each faulty unit. It does not take one commit per caller.
        Assert.InRange(engine.Groups.Count, 2, 1 + 1 + (hostile * 2 * 6));
        Assert.Equal(200, (await service.GetAsync("/health/ready")).Status);
    }

    [Fact]
    public async Task Callers_whose_updates_may_be_stored_are_not_told_that_they_are_not()
    {
        var engine = new WrappedEngine();
        var gate = new TaskCompletionSource();
        engine.BeforeAccept = () => gate.Task;
        await using Service service = await Service.StartAsync(engine: engine);
        Task<Answer> first = service.PostAsync(Update("first"));
        await Eventually.IsAsync(() => engine.Groups.Count == 1);
        Task<Answer>[] answers = [.. Enumerable.Range(0, 4).Select(i => service.PostAsync(Update($"key {i}")))];
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == answers.Length);
        // The database stores the group, but the database's answer is lost. Then the database becomes unavailable.
        engine.Given = units =>
        {
            if (units.Count == answers.Length)
            {
                engine.Given = _ => throw new StorageUnavailableException("away");
            }
        };
        engine.Stored = units =>
        {
            if (units.Count == answers.Length)
            {
                throw new StorageCorruptException("lost");
            }
        };
        gate.SetResult();
        Assert.Equal(202, (await first).Status);
        foreach (Answer answer in await Task.WhenAll(answers))
        {
            answer.IsProblem("unavailable", 503, null);
            Assert.Contains("may or may not be stored", answer.Text("detail"), StringComparison.Ordinal);
        }
        Assert.Equal(1 + answers.Length, service.Database.Requests());
    }

    [Fact]
    public async Task A_store_that_fails_for_everyone_answers_everyone_in_time()
    {
        var engine = new WrappedEngine();
        var gate = new TaskCompletionSource();
        engine.BeforeAccept = async () =>
        {
            await gate.Task;
            await Task.Delay(200, Cancel);
            throw new StorageCorruptException("every row");
        };
        await using Service service = await Service.StartAsync(new() { ["Optiks:UpdateService:MaxWaitSeconds"] = "1" }, engine);
        Task<Answer> first = service.PostAsync(Update("first"));
        await Eventually.IsAsync(() => engine.Groups.Count == 1);
        Task<Answer>[] answers = [.. Enumerable.Range(0, Callers).Select(i => service.PostAsync(Update($"key {i}")))];
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == Callers);
        gate.SetResult();
        (await first).IsProblem("internal", 500, null);
        Assert.All(await Task.WhenAll(answers), answer => Assert.True(answer.Status is 500 or 503));
        // The service must not commit each unit by itself, so there must be fewer commits than units.
        Assert.InRange(engine.Groups.Count, 2, Callers);
        Assert.Equal(503, (await service.GetAsync("/health/ready")).Status);
    }

    [Theory]
    [InlineData("sqlite")]
    [InlineData("postgresql")]
    public async Task Honest_callers_are_never_failed_by_whatever_else_is_in_their_group(string provider)
    {
        const int rounds = 4;
        const int perRound = 60;
        bool isPostgreSql = provider == "postgresql";
        string connectionString = isPostgreSql ? await Cluster.Current.CreateMigratedDatabaseAsync() : "";
        try
        {
            var settings = new Dictionary<string, string?>();
            if (isPostgreSql)
            {
                settings = new() { ["Optiks:Storage:Provider"] = provider, ["Optiks:Storage:ConnectionString"] = connectionString };
            }
            var engine = new WrappedEngine(isPostgreSql ? new PostgreSqlStorageProvider() : new SqliteStorageProvider());
            await using Service service = await Service.StartAsync(settings, engine);
            int seed = Environment.TickCount;
            var hostile = new HostileRequests(seed);
            int refusedInGroup = 0;
            for (int round = 0; round < rounds; round++)
            {
                var gate = new TaskCompletionSource();
                engine.BeforeAccept = () => gate.Task;
                int commits = engine.Groups.Count;
                Task<Answer> first = service.PostAsync(Update($"first {round}"));
                await Eventually.IsAsync(() => engine.Groups.Count == commits + 1);
                var honest = new List<Task<Answer>>();
                var others = new List<Task<Answer>>();
                for (int i = 0; i < perRound; i++)
                {
                    honest.Add(service.PostAsync(Update($"honest {round} {i}")));
                    others.Add(service.PostAsync(hostile.Next()));
                }
                // The queue now has the honest requests and those hostile requests that the parser accepts.
                await Eventually.IsAsync(
                    () => service.Gauge("optiks.update.queue.callers") == perRound + others.Count(answer => !answer.IsCompleted));
                gate.SetResult();
                Assert.Equal(202, (await first).Status);
                Assert.All(await Task.WhenAll(honest),
                    answer => Assert.True(answer.Status == 202, $"An honest caller got {answer.Status}; seed {seed}."));
                foreach (Answer answer in await Task.WhenAll(others))
                {
                    Assert.True(answer.Status is 202 or 400 or 409 or 429,
                        $"A hostile request got {answer.Status} {answer.Json}; seed {seed}.");
                    refusedInGroup += answer.Status != 202
                        && answer.Text("type") is "urn:optiks:problem:too-many-pending" or "urn:optiks:problem:request-id-time" ? 1 : 0;
                }
            }
            Assert.True(refusedInGroup > 0, $"Nothing that the database decides was sent; seed {seed}.");
        }
        finally
        {
            if (isPostgreSql)
            {
                await Cluster.Current.DropDatabaseAsync(connectionString);
            }
        }
    }

    private static bool IsHostile(AcceptUnit unit) =>
        Encoding.UTF8.GetString(unit.Requests[0].Items[0].Key.Span).StartsWith("hostile", StringComparison.Ordinal);

    private static string Update(string key) => $$"""{"key":"{{key}}","value":"v"}""";

    /// <summary>Makes bodies that are at the limits of the format or exceed them. Not thread-safe.</summary>
    private sealed class HostileRequests(int seed)
    {
        private static readonly string[] s_numbers = ["0", "1", "9007199254740991", "9007199254740992", "18446744073709551615", "-1",
            "1e3", "1.0"];

        private static readonly long[] s_times = [0, 1, 253_402_300_799_999, 253_402_300_800_000, 281_474_976_710_655];

#pragma warning disable CA5394 // A test needs no secure random numbers.
        private readonly Random _random = new(seed);

        public byte[] Next()
        {
            string json = _random.Next(3) == 0
                ? $"[{string.Join(',', Enumerable.Range(0, _random.Next(1, 6)).Select(_ => Request()))}]"
                : Request();
            byte[] octets = Encoding.UTF8.GetBytes(json);
            if (_random.Next(4) == 0)
            {
                octets[_random.Next(octets.Length)] = (byte)_random.Next(256);
            }
            return octets;
        }

        private string Request()
        {
            string id = _random.Next(4) == 0 ? "" : $"\"request_id\":\"{Id()}\",";
            return _random.Next(3) == 0
                ? $"{{{id}\"items\":[{string.Join(',', Enumerable.Range(0, _random.Next(1, 4)).Select(_ => $"{{{Members()}}}"))}]}}"
                : $"{{{id}{Members()}}}";
        }

        private string Members()
        {
            // One third of the requests share one key, which soon reaches its limit of pending updates.
            string key = _random.Next(3) switch
            {
                0 => "\"key\":\"everyone's\"",
                1 => "\"key\":\"\\u0000\"",
                _ => $"\"key_b64\":\"{Base64Url(_random.Next(1, 258))}\"",
            };
            string expected = _random.Next(3) == 0 ? $",\"expected\":{{\"period\":{Number()},\"version\":{Number()}}}" : "";
            return $"{key},\"value_b64\":\"{Base64Url(_random.Next(0, 500))}\"{expected}";
        }

        private string Number() => s_numbers[_random.Next(s_numbers.Length)];

        private string Base64Url(int length)
        {
            byte[] octets = new byte[length];
            _random.NextBytes(octets);
            return System.Buffers.Text.Base64Url.EncodeToString(octets);
        }

        private string Id()
        {
            byte[] octets = new byte[16];
            _random.NextBytes(octets);
            long time = _random.Next(4) switch
            {
                0 => s_times[_random.Next(s_times.Length)],
                1 => _random.NextInt64(1L << 48),
                _ => TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds(),
            };
            string hexadecimal = string.Create(CultureInfo.InvariantCulture,
                $"{time:x12}7{Convert.ToHexStringLower(octets)[..3]}{"89ab"[_random.Next(4)]}{Convert.ToHexStringLower(octets)[4..19]}");
            return Guid.ParseExact(hexadecimal, "N").ToString("D");
        }
#pragma warning restore CA5394
    }
}
