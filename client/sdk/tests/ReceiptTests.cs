using System.Text;
using Optiks.Protocol;
using Optiks.Receipts;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests how a client handles the log's promises, and which evidence it writes about broken promises (docs/spec/receipts.md).
/// </summary>
public sealed class ReceiptTests
{
    private static readonly byte[] s_alice = "alice"u8.ToArray();
    private static readonly byte[] s_value = "new"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_receipt_is_verified_kept_and_found_to_be_kept()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "old"));
        fixture.Server.PublishAtOnce = false;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Promises.Give(fixture.Server, after: 1, by: 4);

        UpdateResult plain = await client.UpdateAsync("bob"u8.ToArray(), s_value, cancellationToken: Cancellation);
        Assert.False(fixture.Server.LastUpdate.WantsReceipt);
        UpdateResult update = await client.UpdateWithReceiptAsync(s_alice, s_value, cancellationToken: Cancellation);
        Assert.True(fixture.Server.LastUpdate.WantsReceipt);

        Assert.Equal((null, null), (plain.Receipt, plain.ReceiptRefused));
        Assert.Equal((UpdateStatus.Pending, null), (update.Status, update.ReceiptRefused));
        Assert.True(UpdateReceipt.TryParse(update.Receipt!.ToJson(), out UpdateReceipt? receipt));
        Assert.Equal(Reason.Valid, receipt.Verify(FixtureLog.Anchor, out Receipt? promise));
        Assert.Equal((update.RequestId, 1UL, 4UL), (promise!.RequestId, promise.After, promise.By));
        ReceiptResult early = await client.CheckReceiptAsync(receipt, Cancellation);
        Assert.Equal((ReceiptStatus.NotDue, Reason.Valid), (early.Status, early.Reason));
        fixture.Server.PublishPending();
        fixture.Clock.UtcNow = fixture.Log.Now;
        ReceiptResult kept = await client.CheckReceiptAsync(receipt, Cancellation);
        Assert.Equal((ReceiptStatus.Kept, Reason.PromiseKept, true), (kept.Status, kept.Reason, kept.Version!.Epoch is > 1 and <= 4));
        Assert.False(Directory.Exists(fixture.Folder.In("client/evidence")));
    }

    [Fact]
    public async Task An_update_that_the_log_drops_is_evidence_for_anyone()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        for (int i = 0; i < 4; i++)
        {
            fixture.Publish(("alice", $"{i}"));
        }
        fixture.Server.PublishAtOnce = false;
        fixture.Server.PageSize = 2;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Promises.Give(fixture.Server, after: 4, by: 7);
        // The board's checkpoint has a stranger's signature line, which is not verified and must not become evidence.
        using var cosigners = new TestCosigners();
        Func<string, byte[], byte[]> promised = fixture.Server.Mutate;
        fixture.Server.Mutate = (path, answer) =>
            path == "/log/checkpoint" ? cosigners.Sign(answer, fixture.Clock.UtcNow, "stranger") : promised(path, answer);
        UpdateReceipt receipt = (await client.UpdateWithReceiptAsync(s_alice, s_value, cancellationToken: Cancellation)).Receipt!;
        for (int i = 0; i < 4; i++)
        {
            fixture.Publish(("alice", $"another {i}"));
        }

        ReceiptResult broken = await client.CheckReceiptAsync(receipt, Cancellation);

        Assert.Equal((ReceiptStatus.Broken, Reason.PromiseBroken), (broken.Status, broken.Reason));
        EvidenceVerdict verdict = EvidenceJudge.Judge(broken.EvidencePath!, FixtureLog.Anchor);
        Assert.Equal((EvidenceKind.Promise, true, Reason.PromiseBroken, 7UL),
            (verdict.Kind, verdict.IsProof, verdict.Breach, verdict.Epoch!.Value));
        Assert.Contains("from 5 to 7", verdict.Sentence, StringComparison.Ordinal);
        // The evidence has three answers with at most two versions each. They show all versions from the version before the promised epochs
        // to the version after these epochs.
        Assert.Equal(3, Directory.GetFiles(broken.EvidencePath!, "history-*.bin").Length);
        Assert.Equal(
            FixtureLog.Checkpoint(fixture.Log.Board(fixture.Log.Latest + 1)),
            AnswerHead.Decode(
                await File.ReadAllBytesAsync(
                    Path.Combine(broken.EvidencePath!, PromiseJudge.AfterName), Cancellation)).Checkpoint.ToArray());
        // The client continues to work, because a broken promise is not a fork.
        Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
        CheckThatEachFileCounts(broken.EvidencePath!);
    }

    [Fact]
    public async Task A_promise_is_followed_across_a_switch_of_the_period()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "old"));
        fixture.Server.PublishAtOnce = false;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Promises.Give(fixture.Server, after: 1, by: 5);
        UpdateReceipt dropped = (await client.UpdateWithReceiptAsync(s_alice, s_value, cancellationToken: Cancellation)).Receipt!;
        UpdateReceipt kept = Promises.Of(client.NewRequestId(), s_alice, "middle"u8.ToArray(), 1, 5);
        UpdateReceipt copied = Promises.Of(client.NewRequestId(), s_alice, "middle"u8.ToArray(), 2, 5);
        fixture.Publish(("alice", "middle"));
        fixture.Switch();
        fixture.Publish(("alice", "late"));
        fixture.Publish();

        Assert.Equal(ReceiptStatus.Kept, (await client.CheckReceiptAsync(kept, Cancellation)).Status);
        ReceiptResult broken = await client.CheckReceiptAsync(dropped, Cancellation);
        // The log only copied this value into the next period. A copy does not keep a promise to publish the value.
        ReceiptResult ofCopy = await client.CheckReceiptAsync(copied, Cancellation);

        Assert.Equal((ReceiptStatus.Broken, ReceiptStatus.Broken), (broken.Status, ofCopy.Status));
        Assert.Equal(2, Directory.GetFiles(broken.EvidencePath!, "history-*.bin").Length);
        Assert.True(EvidenceJudge.Judge(broken.EvidencePath!, FixtureLog.Anchor).IsProof);
        File.Move(Path.Combine(broken.EvidencePath!, "history-2.bin"), Path.Combine(broken.EvidencePath!, "history-1.bin"),
            overwrite: true);
        Assert.Equal(Reason.PromiseUncovered, EvidenceJudge.Judge(broken.EvidencePath!, FixtureLog.Anchor).Breach);
    }

    [Fact]
    public async Task What_was_erased_may_have_been_promised()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        UpdateReceipt receipt = Promises.Of(client.NewRequestId(), s_alice, s_value, 0, 3);
        fixture.Publish(("alice", "new"));
        fixture.Publish(("alice", "newer"));
        fixture.Log.Erase(StructureId.Keys, s_alice, 1);
        fixture.Publish();

        ReceiptResult result = await client.CheckReceiptAsync(receipt, Cancellation);

        Assert.Equal((ReceiptStatus.Unproven, Reason.PromiseErased, null), (result.Status, result.Reason, result.EvidencePath));
    }

    [Fact]
    public async Task Repeats_are_no_evidence()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Promises.Give(fixture.Server, after: 0, by: 2);
        Guid id = client.NewRequestId();
        UpdateReceipt first = (await client.UpdateWithReceiptAsync(s_alice, s_value, id, Cancellation)).Receipt!;
        // Send the same request again. Its receipt now says in which epoch the request was published. Then send the same value under
        // another request id.
        Promises.Give(fixture.Server, after: 0, by: 1);
        UpdateReceipt second = (await client.UpdateWithReceiptAsync(s_alice, s_value, id, Cancellation)).Receipt!;
        Promises.Give(fixture.Server, after: 1, by: 3);
        UpdateReceipt third = (await client.UpdateWithReceiptAsync(s_alice, s_value, null, Cancellation)).Receipt!;
        fixture.Publish();
        fixture.Publish();

        foreach (UpdateReceipt receipt in (UpdateReceipt[])[first, second, third])
        {
            Assert.Equal(ReceiptStatus.Kept, (await client.CheckReceiptAsync(receipt, Cancellation)).Status);
        }
    }

    [Theory]
    [InlineData("note", Reason.ReceiptMalformed)]
    [InlineData("keys", Reason.ReceiptVoucher)]
    [InlineData("signature", Reason.ReceiptSignature)]
    [InlineData("request", Reason.ReceiptRequest)]
    public async Task A_receipt_that_is_none_is_said_to_be_none_and_the_update_goes_on(string changed, Reason reason)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Promises.Give(fixture.Server, 0, 5, receipt => changed switch
        {
            "note" => receipt with { Note = "a promise\n"u8.ToArray() },
            "keys" => receipt with { Keys = receipt.Note },
            "signature" =>
                receipt with
                {
                    Note = Encoding.UTF8.GetBytes(
                    Encoding.UTF8.GetString(receipt.Note.Span).Replace("\nby 5\n", "\nby 6\n", StringComparison.Ordinal))
                },
            _ => Promises.Of(receipt.RequestId, s_alice, "another"u8.ToArray(), 0, 5),
        });

        UpdateResult update = await client.UpdateWithReceiptAsync(s_alice, s_value, cancellationToken: Cancellation);

        Assert.Equal((UpdateStatus.Pending, null, reason), (update.Status, update.Receipt, update.ReceiptRefused!.Value));
        fixture.Clock.UtcNow = fixture.Log.Now;
        Assert.Equal(Verdict.Valid, (await client.MonitorAsync(s_alice, Cancellation)).Verdict);
        Assert.Equal((ReceiptStatus.Refused, Reason.ReceiptRequest),
            await StatusAsync(client, Promises.Of(update.RequestId, s_alice, s_value, 0, 5) with { Value = "another"u8.ToArray() }));
    }

    [Theory]
    [InlineData("of now", true)]
    [InlineData("as far ahead as clocks may be", true)]
    [InlineData("ten days ahead", false)]
    [InlineData("ten days ago", false)]
    [InlineData("from an epoch that there is not", false)]
    [InlineData("from an epoch before what was known", false)]
    [InlineData("of its publication in an epoch before", true)]
    public async Task A_promise_is_about_now(string when, bool isTaken)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(3, _ => []);
        fixture.Clock.UtcNow = fixture.Log.Now;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        await client.LookupAsync(s_alice, Cancellation);
        ulong now = (ulong)fixture.Clock.UtcNow.ToUnixTimeMilliseconds();
        ulong days = (ulong)TimeSpan.FromDays(10).TotalMilliseconds;
        (ulong after, ulong by, ulong time) = when switch
        {
            "as far ahead as clocks may be" => (3UL, 6UL, now + FixtureLog.Configuration.MaxAheadMs),
            "ten days ahead" => (3UL, 6UL, now + days),
            "ten days ago" => (3UL, 6UL, now - days),
            "from an epoch that there is not" => (1UL << 52, (1UL << 52) + 3, now),
            "from an epoch before what was known" => (2UL, 6UL, now),
            "of its publication in an epoch before" => (1UL, 2UL, now),
            _ => (3UL, 6UL, now),
        };
        Promises.Give(fixture.Server, after, by, timeMs: time);

        UpdateResult update = await client.UpdateWithReceiptAsync(s_alice, s_value, cancellationToken: Cancellation);

        Assert.Equal((UpdateStatus.Pending, isTaken, isTaken ? (Reason?)null : Reason.ReceiptTime),
            (update.Status, update.Receipt is not null, update.ReceiptRefused));
    }

    [Fact]
    public async Task A_stolen_key_whose_time_is_over_convicts_no_log()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(5, i => [("alice", $"{i}")]);
        fixture.Clock.UtcNow = fixture.Log.Now;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        // As a control, check that a promise counts if its time is within the validity of the receipt key.
        UpdateReceipt current = Promises.Of(client.NewRequestId(), s_alice, s_value, 1, 4);
        ReceiptResult broken = await client.CheckReceiptAsync(current, Cancellation);
        Assert.Equal(ReceiptStatus.Broken, broken.Status);
        // The log authorised the receipt key in 1970, and the key expired long ago. So no time at which the key was valid fits a promise
        // about these epochs.
        ulong over = FixtureLog.StartMs - FixtureLog.Configuration.MaxAheadMs;
        foreach (ulong time in (ulong[])[0, 1, over - 1])
        {
            UpdateReceipt stolen = Promises.Of(client.NewRequestId(), s_alice, s_value, 1, 4, time, over);
            Assert.Equal(Reason.Valid, stolen.Verify(FixtureLog.Anchor, out _));
            Assert.Equal((ReceiptStatus.Unproven, Reason.ReceiptTime), await StatusAsync(client, stolen));
            File.WriteAllBytes(Path.Combine(broken.EvidencePath!, "receipt.txt"), stolen.Note.Span);
            File.WriteAllBytes(Path.Combine(broken.EvidencePath!, "receipt-keys.txt"), stolen.Keys.Span);
            EvidenceVerdict verdict = EvidenceJudge.Judge(broken.EvidencePath!, FixtureLog.Anchor);
            Assert.Equal((false, Reason.ReceiptTime), (verdict.IsProof, verdict.Breach));
        }
    }

    [Fact]
    public async Task Where_there_is_no_receipt_nothing_is_promised()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        UpdateResult update = await fixture.Client(store).UpdateWithReceiptAsync(s_alice, s_value, cancellationToken: Cancellation);
        Assert.Equal((UpdateStatus.Pending, null, null), (update.Status, update.Receipt, update.ReceiptRefused));
        foreach (string json in (string[])["", "[]", "{}", """{"request_id":"x"}""",
            """{"request_id":1,"key_b64":"","value_b64":"","receipt":"","receipt_keys":""}"""])
        {
            Assert.False(UpdateReceipt.TryParse(Encoding.UTF8.GetBytes(json), out _));
        }
    }

    private static async Task<(ReceiptStatus, Reason)> StatusAsync(OptiksClient client, UpdateReceipt receipt)
    {
        ReceiptResult result = await client.CheckReceiptAsync(receipt, Cancellation);
        return (result.Status, result.Reason);
    }

    private static void CheckThatEachFileCounts(string folder)
    {
        foreach (string path in Directory.GetFiles(folder).Where(path => Path.GetFileName(path) is not ("README.txt" or "trust.json")))
        {
            byte[] octets = File.ReadAllBytes(path);
            byte[] changed = [.. octets];
            changed[changed.Length / 2] ^= 1;
            File.WriteAllBytes(path, changed);
            Assert.False(EvidenceJudge.Judge(folder, FixtureLog.Anchor).IsProof, path);
            File.Delete(path);
            Assert.False(IsProof(folder), path);
            File.WriteAllBytes(path, octets);
        }
        Assert.True(EvidenceJudge.Judge(folder, FixtureLog.Anchor).IsProof);
    }

    private static bool IsProof(string folder)
    {
        try
        {
            return EvidenceJudge.Judge(folder, FixtureLog.Anchor).IsProof;
        }
        catch (InvalidDataException)
        {
            return false;
        }
    }
}
