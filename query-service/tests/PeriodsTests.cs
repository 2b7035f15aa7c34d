using System.Net;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Tests;

/// <summary>Tests <c>GET /v1/periods</c>, which says where periods began and ended.</summary>
public sealed class PeriodsTests
{
    private readonly Replica _replica;

    public PeriodsTests(PublishedLog published)
    {
        ArgumentNullException.ThrowIfNull(published);
        _replica = published.Replica;
    }

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_bounds_of_the_first_period_verify()
    {
        using HttpResponseMessage response = await _replica.SendAsync(Replica.Get("/v1/periods?from=0", MediaTypes.Periods));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(TimeSpan.FromSeconds(1), response.Headers.CacheControl?.MaxAge);
        byte[] answer = await response.Content.ReadAsByteArrayAsync(Cancellation);
        PeriodsVerdict verdict = Verifier.Periods(_replica.Context(), 0, answer);
        Assert.Equal((Reason.Valid, 71UL), (verdict.Reason, verdict.Head!.Epoch));
        Assert.Equal([0UL], verdict.Bounds.Select(bound => EpochRecord.ReadEpoch(answer[bound])));
        JsonElement json = await _replica.JsonAsync(Replica.Get("/v1/periods?from=0&checkpoint_size=72"));
        Assert.Equal("", json.GetProperty("head").GetProperty("checkpoint").GetString());
        Assert.Equal(
            0, Assert.Single(json.GetProperty("bounds").EnumerateArray()).GetProperty("record_fields").GetProperty("epoch").GetInt32());
    }

    [Theory]
    [InlineData("", "malformed-request", "?from")]
    [InlineData("?from=", "malformed-request", "?from")]
    [InlineData("?from=00", "malformed-request", "?from")]
    [InlineData("?from=-1", "malformed-request", "?from")]
    [InlineData("?from=0&from=0", "malformed-request", "?from")]
    [InlineData("?from=18446744073709551616", "malformed-request", "?from")]
    [InlineData("?from=0&to=1", "malformed-request", "?to")]
    [InlineData("?from=1", "not-found", null)]
    [InlineData("?from=18446744073709551615", "not-found", null)]
    [InlineData("?from=0&checkpoint_size=73", "not-caught-up", "?checkpoint_size")]
    [InlineData("?from=0&min_epoch=72", "not-caught-up", "?min_epoch")]
    public async Task What_is_no_question_is_refused(string query, string problem, string? field)
    {
        using HttpResponseMessage response = await _replica.SendAsync(Replica.Get($"/v1/periods{query}", MediaTypes.Periods));
        using var said = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancellation));
        Assert.Equal($"urn:optiks:problem:{problem}", said.RootElement.GetProperty("type").GetString());
        Assert.Equal(field, said.RootElement.TryGetProperty("field", out JsonElement found) ? found.GetString() : null);
    }

    [Fact]
    public async Task Bounds_are_the_first_and_last_epochs_of_each_period()
    {
        // This log has the periods 0 (epochs 0 to 3), 1 (only epoch 4), 2 (epochs 5 and 6) and 3 (epochs 7 to 9).
        var log = new Records(0, 0, 0, 0, 1, 2, 2, 3, 3, 3);
        Assert.Equal("0 3 4 5 6 7", await log.BoundsAsync(9, 0));
        Assert.Equal("4 5 6 7", await log.BoundsAsync(9, 1));
        Assert.Equal("5 6 7", await log.BoundsAsync(9, 2));
        Assert.Equal("7", await log.BoundsAsync(9, 3));
        Assert.Equal("7", await log.BoundsAsync(7, 3));
        Assert.Equal("0 3 4", await log.BoundsAsync(4, 0));
        Assert.Equal("0", await log.BoundsAsync(3, 0));
        Assert.Equal("0", await log.BoundsAsync(0, 0));
        Assert.Same(ProblemTypes.NotFound, (await Assert.ThrowsAsync<ProblemException>(() => log.BoundsAsync(6, 3))).Problem.Type);
    }

    [Fact]
    public async Task Many_periods_are_had_page_by_page()
    {
        ulong[] periods = [.. Enumerable.Range(0, 200).Select(epoch => (ulong)epoch / 2)];
        var log = new Records(periods);
        // The page has 63 ended periods with two bounds each. Its last bound is the first epoch of the 64th period, which is the current
        // period or also an ended period.
        (ReadOnlyMemory<byte> last, _) = await log.Of(199).RenderAsync(36, Cancellation);
        Assert.Equal(Enumerable.Range(72, 127).Select(epoch => (ulong)epoch), Records.Epochs(last));
        foreach (ulong from in (ulong[])[0, 1, 17, 35])
        {
            (ReadOnlyMemory<byte> page, ReadOnlyMemory<byte> record) = await log.Of(199).RenderAsync(from, Cancellation);
            Assert.Equal(Enumerable.Range((int)from * 2, 127).Select(epoch => (ulong)epoch), Records.Epochs(page));
            Assert.Equal((from + 63, (from + 63) * 2), (EpochRecord.ReadPeriod(record.Span), EpochRecord.ReadEpoch(record.Span)));
        }
        var single = new Records([.. Enumerable.Range(0, 129).Select(epoch => (ulong)epoch)]);
        Assert.Equal(64, (await single.BoundsAsync(128, 1)).Split(' ').Length);
        Assert.Equal(64, (await single.BoundsAsync(128, 65)).Split(' ').Length);
    }

    [Fact]
    public async Task A_board_that_cannot_be_read_is_asked_again()
    {
        var log = new Records(0, 0, 1, 1) { IsDown = true };
        EpochBounds bounds = log.Of(3);
        await Assert.ThrowsAsync<BoardUnreadableException>(() => bounds.RenderAsync(0, Cancellation));
        log.IsDown = false;
        ReadOnlyMemory<byte> rendered = (await bounds.RenderAsync(0, Cancellation)).Octets;
        Assert.Equal([0UL, 1, 2], Records.Epochs(rendered));
        // The page is in memory now, so the answer does not need the board.
        log.IsDown = true;
        Assert.Equal(rendered, (await bounds.RenderAsync(0, Cancellation)).Octets);
    }

    /// <summary>Plays a board whose records have only epochs and periods.</summary>
    private sealed class Records : ITileReader
    {
        private readonly byte[][] _records;

        public Records(params ulong[] periods)
        {
            _records = [.. periods.Select((period, epoch) => new EpochRecord
            {
                LogId = new byte[32],
                Epoch = (ulong)epoch,
                Period = period,
                PeriodFirstEpoch = (ulong)Array.IndexOf(periods, period),
                TimeMs = (ulong)epoch,
                Structures = [.. Enumerable.Repeat(new StructureState(new byte[32], 0, new byte[32]), StructureState.StructureCount)],
                Previous = new byte[32],
            }.Encode())];
        }

        public bool IsDown { get; set; }

        public static ulong[] Epochs(ReadOnlyMemory<byte> bounds)
        {
            var epochs = new List<ulong>();
            while (!bounds.IsEmpty)
            {
                epochs.Add(EpochRecord.ReadEpoch(bounds.Span));
                bounds =
                    bounds[(EpochRecord.Length + 2 + ((bounds.Span[EpochRecord.Length] << 8) | bounds.Span[EpochRecord.Length + 1]))..];
            }
            return [.. epochs];
        }

        public EpochBounds Of(ulong epoch) => new(new Following.BoardLog(this, epoch + 1, Root(0, (int)epoch + 1)), _records[epoch]);

        public async Task<string> BoundsAsync(ulong epoch, ulong from) =>
            string.Join(' ', Epochs((await Of(epoch).RenderAsync(from, Cancellation)).Octets));

        public Task<byte[]?> ReadCheckpointAsync(CancellationToken cancellationToken) => Task.FromResult<byte[]?>(null);

        public Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken)
        {
            if (IsDown)
            {
                throw new IOException("down");
            }
            int first = (int)path.Index * TilePath.FullWidth;
            byte[] tile = [.. Enumerable.Range(first, path.Width)
                .SelectMany(i => path.IsEntries
                    ? EntryBundle.EncodeEntry(_records[i])
                    : Root(i << (8 * path.Level), 1 << (8 * path.Level)).ToArray())];
            return Task.FromResult<byte[]?>(tile);
        }

        // Computes a root as RFC 6962 section 2.1 defines it.
        private TreeHash Root(int first, int count)
        {
            if (count == 1)
            {
                return Rfc6962.LeafHash(_records[first]);
            }
            int left = 1;
            while (left * 2 < count)
            {
                left *= 2;
            }
            return Rfc6962.NodeHash(Root(first, left), Root(first + left, count - left));
        }
    }
}
