using System.Net.Sockets;
using System.Text;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Accepting;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>
/// Tests bodies that arrive slowly or not at all. They take space in the queue only for the received bytes, and lose this space when
/// another request needs it.
/// </summary>
public sealed class SlowBodyTests
{
    private const int Capacity = 1 << 20;
    private const string Body = """{"key":"honest","value":"v"}""";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task What_is_only_declared_takes_nothing_from_the_queue()
    {
        await using Service service = await Service.StartAsync();
        await using var slow = new SlowPosts(service);
        for (int i = 0; i < 9; i++)
        {
            await slow.BeginAsync($"Content-Length: {8 << 20}", sent: 1);
        }
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.size") == 9);
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
    }

    [Theory]
    [InlineData("Content-Length: 1048570", "")]
    [InlineData("Transfer-Encoding: chunked", "fffb4\r\n")]
    public async Task A_body_counts_while_it_comes_and_gives_way_when_it_comes_too_slowly(string length, string prefix)
    {
        var time = new ManualTime();
        await using Service service = await Service.StartAsync(new() { ["Optiks:UpdateService:QueuedOctets"] = $"{Capacity}" }, time: time);
        await using var slow = new SlowPosts(service);
        Task<string> given = await slow.BeginAsync(length, sent: 1_048_500, prefix);
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.size") == 1_048_500);
        (await service.PostAsync(Body)).IsProblem("overloaded", 503, null);
        time.Advance(QueueSpace.Patience - TimeSpan.FromMilliseconds(1));
        (await service.PostAsync(Body)).IsProblem("overloaded", 503, null);

        time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
        Assert.StartsWith("HTTP/1.1 503 ", await given, StringComparison.Ordinal);
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.size") == 0);
        Assert.Equal(1, service.Database.Requests());
    }

    [Fact]
    public async Task A_connection_whose_body_gave_way_goes_on()
    {
        var time = new ManualTime();
        await using Service service = await Service.StartAsync(new() { ["Optiks:UpdateService:QueuedOctets"] = $"{Capacity}" }, time: time);
        await using var slow = new SlowPosts(service);
        Task<string> given = await slow.BeginAsync("Content-Length: 1048570", sent: 1_048_500);
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.size") == 1_048_500);
        time.Advance(QueueSpace.Patience);
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
        Assert.StartsWith("HTTP/1.1 503 ", await given, StringComparison.Ordinal);
        await slow.SendAsync(new byte[70]);
        Assert.StartsWith("HTTP/1.1 202 ", await slow.AgainAsync(Body), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_slow_body_is_taken_while_nobody_needs_its_room()
    {
        var time = new ManualTime();
        await using Service service = await Service.StartAsync(new() { ["Optiks:UpdateService:QueuedOctets"] = $"{Capacity}" }, time: time);
        await using var slow = new SlowPosts(service);
        byte[] body = Encoding.ASCII.GetBytes("""{"key":"slow","value":"v"}""".PadRight(Capacity / 4));
        Task<string> given = await slow.BeginAsync($"Content-Length: {body.Length}", body.AsMemory(0, body.Length - 1));
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.size") == body.Length - 1);
        time.Advance(10 * QueueSpace.Patience);
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
        await slow.SendAsync(body.AsMemory(body.Length - 1));
        Assert.StartsWith("HTTP/1.1 202 ", await given, StringComparison.Ordinal);
        Assert.Equal(2, service.Database.Requests());
    }

    [Fact]
    public async Task The_oldest_give_way_first_and_only_those_whose_body_still_comes()
    {
        var time = new ManualTime();
        var space = new QueueSpace(100, time);
        var first = new System.IO.Pipelines.Pipe();
        using QueueSpace.Share there = Grown(1, 20);
        using QueueSpace.Share one = Grown(2, 20);
        one.Arriving(first.Reader);
        time.Advance(TimeSpan.FromSeconds(1));
        using QueueSpace.Share two = Grown(3, 20);
        two.Arriving(new System.IO.Pipelines.Pipe().Reader);
        time.Advance(QueueSpace.Patience);

        using QueueSpace.Share asking = space.Open(4);
        Assert.True(asking.TryGrow(25));
        Assert.Equal(65, space.Used);
        Assert.False(one.TryGrow(21));
        Assert.True((await first.Reader.ReadAsync(Cancel)).IsCanceled);
        one.Arrived();
        Assert.False(one.TryGrow(1));
        Assert.True(two.TryGrow(20));
        two.Arrived();
        Assert.False(asking.TryGrow(31));
        there.Dispose();
        Assert.True(asking.TryGrow(40));
        one.Dispose();
        Assert.Equal(60, space.Used);
        two.Dispose();
        asking.Dispose();
        Assert.Equal(0, space.Used);

        QueueSpace.Share Grown(int caller, long octets)
        {
            QueueSpace.Share share = space.Open(caller);
            Assert.True(share.TryGrow(octets));
            return share;
        }
    }

    [Fact]
    public async Task Bodies_of_one_caller_that_stall_leave_room_for_those_of_others()
    {
        var time = new ManualTime();
        await using Service service = await Service.StartAsync(new() { ["Optiks:UpdateService:QueuedOctets"] = $"{Capacity}" }, time: time);
        await using var slow = new SlowPosts(service);
        // All requests together need more than the queue's space. Each of them has sent only a part of its body.
        const int sent = Capacity / 8;
        Task<string>[] given = new Task<string>[12];
        for (int i = 0; i < given.Length; i++)
        {
            int begun = i;
            given[i] = await slow.BeginAsync($"Content-Length: {sent + 10}", sent);
            // One caller's requests may take half of the space, so further requests are refused.
            await Eventually.IsAsync(
                () => begun < 4 ? service.Gauge("optiks.update.queue.size") == (begun + 1) * sent : given[begun].IsCompleted);
        }
        Assert.DoesNotContain(given[..4], answer => answer.IsCompleted);
        static string Large(int key) => $$"""{"key":"{{key}}","value":"{{new string('v', 50_000)}}"}""";
        for (int i = 0; i < 10; i++)
        {
            Assert.Equal(202, (await service.PostAsSecondAsync(Large(i))).Status);
        }
        (await service.PostAsync(Large(10))).IsProblem("overloaded", 503, null);
    }

    /// <summary>Sends requests whose bodies the test sends piece by piece.</summary>
    private sealed class SlowPosts(Service service) : IAsyncDisposable
    {
        private readonly List<TcpClient> _clients = [];

        public Task<Task<string>> BeginAsync(string header, int sent, string prefix = "") =>
            BeginAsync(header, (byte[])[.. Encoding.ASCII.GetBytes(prefix), .. Enumerable.Repeat((byte)' ', sent)]);

        // Sends a request's header and the beginning of its body. The returned inner task completes with the answer.
        public async Task<Task<string>> BeginAsync(string header, ReadOnlyMemory<byte> body)
        {
            var client = new TcpClient(service.Client.BaseAddress!.Host, service.Client.BaseAddress.Port);
            _clients.Add(client);
            await client.GetStream().WriteAsync(Head(header), Cancel);
            await client.GetStream().WriteAsync(body, Cancel);
            return AnswerAsync(client);
        }

        // Sends another request on the last connection.
        public async Task<string> AgainAsync(string body)
        {
            await SendAsync((byte[])[.. Head($"Content-Length: {body.Length}"), .. Encoding.ASCII.GetBytes(body)]);
            return await AnswerAsync(_clients[^1]);
        }

        public ValueTask SendAsync(ReadOnlyMemory<byte> more) => _clients[^1].GetStream().WriteAsync(more, Cancel);

        public ValueTask DisposeAsync()
        {
            _clients.ForEach(client => client.Dispose());
            return ValueTask.CompletedTask;
        }

        private byte[] Head(string header) => Encoding.ASCII.GetBytes(
            $"POST /v1/updates HTTP/1.1\r\nHost: test\r\nAuthorization: {service.Client.DefaultRequestHeaders.Authorization}\r\nContent-Type: application/json\r\n{header}\r\n\r\n");

        private static async Task<string> AnswerAsync(TcpClient client)
        {
            byte[] octets = new byte[4096];
            return Encoding.ASCII.GetString(octets, 0, await client.GetStream().ReadAsync(octets, Cancel));
        }
    }
}
