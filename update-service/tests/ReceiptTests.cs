using System.Text;
using Optiks.Receipts;
using Optiks.Secrets;
using Optiks.Tests.Shared;
using Optiks.Tlog;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>Tests which promises a service makes in receipts, and when it makes no promise (docs/spec/receipts.md sections 4 and
/// 5).</summary>
public sealed class ReceiptTests
{
    private const ulong Margin = 16;

    [Fact]
    public async Task A_service_without_a_receipt_key_refuses_to_be_asked()
    {
        await using Service service = await Service.StartAsync();
        (await service.PostAsync("""{"key":"alice","value":"v","receipt":true}""")).IsProblem("malformed-request", 400, "$.receipt");
        (await service.PostAsync("""[{"key":"alice","value":"v"},{"receipt":true,"items":[{"key":"bob","value":"v"}]}]""")).IsProblem(
            "malformed-request", 400, "$[1].receipt");
        Assert.Empty(service.Database.Pending());
    }

    [Fact]
    public async Task A_receipt_promises_what_the_log_has_not_published_yet()
    {
        var setup = new ReceiptSetup();
        await using Service service = await Service.StartAsync(setup.Settings, prepare: setup.Prepare);
        Guid id = Ids.New();
        string update = $$"""{"request_id":"{{id}}","key":"alice","value":"v","receipt":true}""";
        Answer answer = await service.PostAsync(update);
        Assert.Equal((202, null), (answer.Status, ReceiptSetup.Read(answer.Json)));

        await service.Log.StartAsync();
        Receipt receipt = ReceiptSetup.Read((await service.PostAsync(update)).Json)!;
        Assert.Equal((0UL, Margin + 1, id), (receipt.After, receipt.By, receipt.RequestId));
        Assert.Equal([Receipt.ItemHash(id, 0, "alice"u8, "v"u8)], receipt.Items);
        // The test sends the same request again, but without asking for a receipt.
        Assert.Null(ReceiptSetup.Read((await service.PostAsync($$"""{"request_id":"{{id}}","key":"alice","value":"v"}""")).Json));

        // An update that is committed but not published is still pending, because its epoch is later than the last published one.
        ulong epoch = await service.Log.CommitAsync();
        receipt = ReceiptSetup.Read((await service.PostAsync(update)).Json)!;
        Assert.Equal((0UL, Margin), (receipt.After, receipt.By));
        await service.Log.FinishAsync(epoch);
        // Once the update is published, each further receipt names the epoch that published it.
        _ = await service.Log.PublishAsync();
        receipt = ReceiptSetup.Read((await service.PostAsync(update)).Json)!;
        Assert.Equal((epoch - 1, epoch), (receipt.After, receipt.By));
    }

    [Fact]
    public async Task Of_an_epoch_that_waits_for_witnesses_a_receipt_names_that_epoch()
    {
        var setup = new ReceiptSetup();
        await using Service service = await Service.StartAsync(setup.Settings, prepare: setup.Prepare);
        await service.Log.StartAsync();
        string board = Path.Combine(service.Data.Board, "log");
        DataFolder.CreateFolder(board);
        BoardFiles.WriteCheckpoint(service.Data, board, size: 1);
        Guid id = Ids.New();
        Assert.NotNull(await AskAsync(service, "alice", id));
        ulong epoch = await service.Log.PublishAsync();
        Assert.Equal("pending", (await service.GetAsync($"/v1/updates/{id}")).Text("status"));
        Receipt receipt = (await AskAsync(service, "alice", id))!;
        Assert.Equal((epoch - 1, epoch), (receipt.After, receipt.By));
    }

    [Fact]
    public async Task Each_element_of_a_list_has_its_own_and_all_that_waits_counts()
    {
        var setup = new ReceiptSetup();
        await using Service service = await Service.StartAsync(setup.Settings, prepare: setup.Prepare);
        await service.Log.StartAsync();
        _ = await service.PostAsync("""[{"key":"a","value":"1"},{"key":"b","value":"1"},{"key":"c","value":"1"}]""");
        Answer answer = await service.PostAsync(
            """[{"key":"x","value":"é\n","receipt":true},{"key":"y","value":"1"},{"receipt":true,"items":[{"key":"z","value":"1"},{"key_b64":"AAE","value_b64":""}]}]""");
        Assert.Equal(202, answer.Status);
        Receipt?[] receipts = [.. answer.Json.EnumerateArray().Select(ReceiptSetup.Read)];
        Assert.Null(receipts[1]);
        Assert.Equal([Receipt.ItemHash(receipts[0]!.RequestId, 0, "x"u8, Encoding.UTF8.GetBytes("é\n"))], receipts[0]!.Items);
        Guid atomic = receipts[2]!.RequestId;
        Assert.Equal([Receipt.ItemHash(atomic, 0, "z"u8, "1"u8), Receipt.ItemHash(atomic, 1, [0, 1], [])], receipts[2]!.Items);
        Assert.All((Receipt[])[receipts[0]!, receipts[2]!], receipt => Assert.Equal((0UL, Margin + 7), (receipt.After, receipt.By)));
    }

    [Theory]
    [InlineData("""{"key":"a","value":"v","receipt":true,"expected":{"period":0,"version":0}}""", "$.receipt")]
    [InlineData("""{"receipt":true,"items":[{"key":"a","value":"v"},{"key":"b","value":"v","expected":{"period":0,"version":0}}]}""",
        "$.receipt")]
    [InlineData("""{"key":"a","value":"v","receipt":false}""", "$.receipt")]
    [InlineData("""{"key":"a","value":"v","receipt":true,"receipt":true}""", "$.receipt")]
    [InlineData("""{"items":[{"key":"a","value":"v","receipt":true}]}""", "$.items[0].receipt")]
    public async Task What_nobody_can_promise_is_refused(string body, string field)
    {
        var setup = new ReceiptSetup();
        await using Service service = await Service.StartAsync(setup.Settings, prepare: setup.Prepare);
        (await service.PostAsync(body)).IsProblem("malformed-request", 400, field);
        Assert.Empty(service.Database.Pending());
    }

    [Fact]
    public async Task While_too_much_waits_or_nobody_vouches_updates_are_accepted_and_nothing_is_promised()
    {
        var setup = new ReceiptSetup
        {
            Settings = { ["Optiks:UpdateService:Receipts:MaxPending"] = "2" },
            Vouches = (TimeSpan.FromHours(-2), TimeSpan.FromHours(-1)),
        };
        await using Service service = await Service.StartAsync(setup.Settings, prepare: setup.Prepare);
        await service.Log.StartAsync();
        Guid id = Ids.New();
        Assert.Null(await AskAsync(service, "a", id));
        setup.Vouch(TimeSpan.FromHours(-1), TimeSpan.FromHours(1));
        await Eventually.IsAsync(async () => await AskAsync(service, "a", id) is not null);
        _ = await service.Log.PublishAsync();
        Assert.NotNull(await AskAsync(service, "b"));
        Assert.NotNull(await AskAsync(service, "c"));
        Assert.Null(await AskAsync(service, "d"));
        // If the note in the file is replaced by an invalid note, the service continues to use the earlier note.
        File.WriteAllText(Path.Combine(service.Data.Root, "receipt-keys.txt"), "no note");
        _ = await service.Log.PublishAsync();
        await Task.Delay(TimeSpan.FromSeconds(1.2), TestContext.Current.CancellationToken);
        Assert.NotNull(await AskAsync(service, "e"));
    }

    [Fact]
    public async Task A_service_does_not_start_with_half_of_it_or_with_what_does_not_fit()
    {
        var other = new ReceiptSetup();
        await Assert.ThrowsAsync<Microsoft.Extensions.Options.OptionsValidationException>(() =>
            Service.StartAsync(other.Settings, prepare: data =>
        {
            other.Prepare(data);
            other.Settings["Optiks:UpdateService:Receipts:KeysFile"] = "";
        }));
        SecretsException refused = await Assert.ThrowsAsync<SecretsException>(() => Service.StartAsync(other.Settings, prepare: data =>
        {
            other.Prepare(data);
            other.Vouch(TimeSpan.Zero, TimeSpan.FromHours(1),
                new VerifierKey("another", SignatureType.Ed25519, Native.Ed25519.PublicKey(new byte[32])));
        }));
        Assert.Contains("does not vouch for this service's key", refused.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<Protocol.TrustAnchorException>(() => Service.StartAsync(other.Settings, prepare: data =>
        {
            other.Prepare(data);
            File.Delete(data.TrustAnchor);
        }));
        await Assert.ThrowsAsync<SecretsException>(() => Service.StartAsync(other.Settings, prepare: data =>
        {
            other.Prepare(data);
            File.SetUnixFileMode(Path.Combine(data.Root, "receipt.key"), AtomicFile.PublicMode);
        }));
    }

    private static async Task<Receipt?> AskAsync(Service service, string key, Guid? id = null)
    {
        Answer answer = await service.PostAsync($$"""{"request_id":"{{id ?? Ids.New()}}","key":"{{key}}","value":"v","receipt":true}""");
        Assert.Equal(202, answer.Status);
        return ReceiptSetup.Read(answer.Json);
    }
}
