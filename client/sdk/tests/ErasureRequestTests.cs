using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Tests what a request to erase values sends, and how the client handles the receipt.</summary>
public sealed class ErasureRequestTests
{
    private static readonly byte[] s_alice = "alice"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Old_values_of_a_key_are_erased_and_the_receipt_says_until_when_they_may_be_served()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);

        ErasureResult pending = await client.EraseAsync(s_alice, 1, 1, cancellationToken: Cancellation);
        string sent = Encoding.UTF8.GetString(fixture.Server.LastUserRequest);
        ErasureResult still = await client.WaitAsync(pending, TimeSpan.Zero, Cancellation);
        fixture.Server.ErasureStatus = """{"status":"erased","epoch":2,"erased":[{"structure":"keys","period":0,"version":1,"epoch":1}]}""";
        ErasureResult done = await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation);

        Assert.Equal($$"""{"request_id":"{{pending.RequestId}}","key_b64":"YWxpY2U","period":0,"from":1,"to":1}""", sent);
        Assert.Equal((ErasureStatus.Pending, ErasureStatus.Pending, ErasureStatus.Erased), (pending.Status, still.Status, done.Status));
        Assert.Equal((2UL, new ErasedVersion(StructureId.Keys, new KeyVersionNumber(0, 1), 1)), (done.Epoch, Assert.Single(done.Erased)));
        // The time until which a replica may serve a copy is computed from the time of a verified record.
        Assert.Equal(EpochRecord.Decode(fixture.Log.Record(2)).TimeMs + FixtureLog.Configuration.MaxBehindMs,
            (ulong)done.ServedUntil!.Value.ToUnixTimeMilliseconds());
        fixture.Server.Refuse = path => path == "/v1/lookup" ? (410, "erased") : null;
        ErasureResult unbounded = await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation);
        Assert.Equal((ErasureStatus.Erased, null), (unbounded.Status, unbounded.ServedUntil));
    }

    [Fact]
    public async Task A_receipt_is_not_believed_together_with_an_answer_that_is_refused()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ErasureResult pending = await client.EraseAsync(s_alice, 1, 1, cancellationToken: Cancellation);
        fixture.Server.ErasureStatus = """{"status":"erased","epoch":2,"erased":[{"structure":"keys","period":0,"version":1,"epoch":1}]}""";
        fixture.Server.Mutate = (path, answer) => path == "/v1/lookup" ? [.. answer[..^1], (byte)(answer[^1] ^ 1)] : answer;

        ErasureResult refused = await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation);
        fixture.Server.Mutate = (_, answer) => answer;
        ErasureResult control = await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation);

        Assert.Equal((false, null), (refused.Lookup!.IsValid, refused.ServedUntil));
        Assert.Throws<InvalidOperationException>(() => refused.Lookup.Head);
        Assert.Equal((null, true), (control.Lookup, control.ServedUntil is not null));
    }

    [Fact]
    public async Task Nothing_is_sent_once_there_is_evidence_of_a_fork()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        byte[] user = "id of alice"u8.ToArray();
        fixture.PublishItems(FixtureItem.Name("alice", user), FixtureItem.List(user, "phone"), FixtureItem.Device("phone", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.LookupUserAsync("alice", Cancellation)).IsValid);
        Assert.Equal(UpdateStatus.Pending,
            (await client.UpdateAsync("phone"u8.ToArray(), s_alice, cancellationToken: Cancellation)).Status);
        store.TryUpdate(state => state with { Fork = new ForkState("evidence/x") }, []);
        fixture.Server.Requests.Clear();

        UpdateResult update = await client.UpdateAsync(s_alice, s_alice, cancellationToken: Cancellation);
        UpdateResult promised = await client.UpdateWithReceiptAsync(s_alice, s_alice, cancellationToken: Cancellation);
        UserUpdateResult changed =
            await client.ChangeUserAsync(s_alice, [UserChange.SetDevice("phone"u8.ToArray(), s_alice)], cancellationToken: Cancellation);
        UserUpdateResult created = await client.CreateUserAsync(["bob"u8.ToArray()], [], cancellationToken: Cancellation);
        ErasureResult erased = await client.EraseAsync(s_alice, 1, 1, cancellationToken: Cancellation);
        ErasureResult user2 = await client.EraseUserAsync(s_alice, (1, 1), cancellationToken: Cancellation);

        Assert.All((VerifiedAnswer?[])[update.Lookup, promised.Lookup, changed.Lookups[0], created.Lookups[0], erased.Lookup, user2.Lookup],
            answer => Assert.Equal((Verdict.Fork, "evidence/x"), (answer!.Verdict, answer.EvidencePath)));
        Assert.All((UpdateStatus[])[update.Status, promised.Status, changed.Status, created.Status],
            status => Assert.Equal(UpdateStatus.Refused, status));
        Assert.Equal((ErasureStatus.Refused, ErasureStatus.Refused), (erased.Status, user2.Status));
        Assert.Empty(fixture.Server.Requests);
    }

    [Theory]
    [InlineData("keys", 0, 1, true)]
    [InlineData("keys", 0, 2, true)]
    [InlineData("keys", 0, 3, false)]
    [InlineData("keys", 0, 0, false)]
    [InlineData("devices", 0, 1, false)]
    public async Task A_receipt_for_what_nobody_asked_for_is_none(string structure, int period, int version, bool taken)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
        ErasureResult pending = await client.EraseAsync(s_alice, 1, 2, cancellationToken: Cancellation);
        fixture.Server.ErasureStatus =
            $$"""{"status":"erased","epoch":1,"erased":[{"structure":"{{structure}}","period":{{period}},"version":{{version}},"epoch":1}]}""";
        if (taken)
        {
            Assert.Equal(ErasureStatus.Erased, (await client.WaitAsync(pending, TimeSpan.Zero, Cancellation)).Status);
        }
        else
        {
            Assert.Equal(ServerFailure.Unusable,
                (await Assert.ThrowsAsync<OptiksServerException>(() => client.WaitAsync(pending, TimeSpan.Zero, Cancellation))).Failure);
        }
    }

    [Fact]
    public async Task A_user_s_lists_are_erased_by_the_user_that_the_name_leads_to()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        byte[] user = "id of alice"u8.ToArray();
        fixture.PublishItems(FixtureItem.Name("alice", user), FixtureItem.List(user, "phone"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);

        ErasureResult nobody = await client.EraseUserAsync("bob"u8.ToArray(), cancellationToken: Cancellation);
        ErasureResult lists = await client.EraseUserAsync(s_alice, (1, 3), cancellationToken: Cancellation);
        string ofLists = Encoding.UTF8.GetString(fixture.Server.LastUserRequest);
        ErasureResult all = await client.EraseUserAsync(s_alice, cancellationToken: Cancellation);
        fixture.Server.ErasureStatus = """{"status":"refused","reason":"user-not-left"}""";
        ErasureResult refused = await client.WaitAsync(all, TimeSpan.FromSeconds(5), Cancellation);

        Assert.Equal((ErasureStatus.Refused, "user-unknown", true), (nobody.Status, nobody.RefusedBecause, nobody.Lookup!.IsValid));
        Assert.Equal(
            $$"""{"request_id":"{{lists.RequestId}}","user_b64":"{{Base64UrlText.Encode(user)}}","period":0,"from":1,"to":3}""", ofLists);
        Assert.Equal($$"""{"request_id":"{{all.RequestId}}","user_b64":"{{Base64UrlText.Encode(user)}}"}""",
            Encoding.UTF8.GetString(fixture.Server.LastUserRequest));
        Assert.Equal((ErasureStatus.Refused, "user-not-left"), (refused.Status, refused.RefusedBecause));
    }

    [Fact]
    public async Task Versions_are_of_the_period_in_which_they_were_verified()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"), ("bob", "one"));
        fixture.Publish(("alice", "two"), ("bob", "two"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        _ = await client.MonitorAsync(s_alice, Cancellation);
        fixture.Switch();
        // This lookup shows the client the next period, but no version of the key "alice" in that period.
        _ = await client.LookupAsync("bob", Cancellation);

        ErasureResult own = await client.EraseAsync(s_alice, 1, 1, cancellationToken: Cancellation);
        string sentOwn = Sent(fixture);
        ErasureResult other = await client.EraseAsync("bob"u8.ToArray(), 1, 1, cancellationToken: Cancellation);
        string sentOther = Sent(fixture);
        ErasureResult told = await client.EraseAsync("bob"u8.ToArray(), 1, 1, period: 7, cancellationToken: Cancellation);
        string sentTold = Sent(fixture);
        _ = await client.MonitorAsync(s_alice, Cancellation);
        ErasureResult after = await client.EraseAsync(s_alice, 1, 1, cancellationToken: Cancellation);

        Assert.Equal((0UL, 1UL, 7UL, 1UL), (own.Period, other.Period, told.Period, after.Period));
        Assert.Contains("\"period\":0,", sentOwn, StringComparison.Ordinal);
        Assert.Contains("\"period\":1,", sentOther, StringComparison.Ordinal);
        Assert.Contains("\"period\":7,", sentTold, StringComparison.Ordinal);
        Assert.Contains("\"period\":1,", Sent(fixture), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0UL, 1UL)]
    [InlineData(2UL, 1UL)]
    [InlineData(1UL, 1025UL)]
    [InlineData(1UL, ulong.MaxValue)]
    public async Task What_no_log_erases_is_not_sent(ulong from, ulong to)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        await Assert.ThrowsAsync<ArgumentException>(
            () => fixture.Client(store).EraseAsync(s_alice, from, to, cancellationToken: Cancellation));
        await Assert.ThrowsAsync<ArgumentException>(
            () => fixture.Client(store).EraseUserAsync(s_alice, (from, to), cancellationToken: Cancellation));
        Assert.Empty(fixture.Server.Requests);
    }

    [Theory]
    [InlineData("")]
    [InlineData("{}")]
    [InlineData("""{"status":"erased","epoch":1}""")]
    [InlineData("""{"status":"erased","epoch":-1,"erased":[]}""")]
    [InlineData("""{"status":"erased","epoch":1,"erased":[{"structure":"nothing","period":0,"version":1,"epoch":1}]}""")]
    [InlineData("""{"status":"refused","reason":"\u001b[31m"}""")]
    [InlineData("""{"status":"published","epoch":1}""")]
    [InlineData("""{"status":"refused","status":"erased","epoch":1,"erased":[]}""")]
    [InlineData("[1]")]
    public async Task A_receipt_that_is_none_is_no_receipt(string answer)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ErasureResult pending = await client.EraseAsync(s_alice, 1, 1, cancellationToken: Cancellation);
        fixture.Server.ErasureStatus = answer;
        OptiksServerException e =
            await Assert.ThrowsAsync<OptiksServerException>(() => client.WaitAsync(pending, TimeSpan.Zero, Cancellation));
        Assert.Equal(ServerFailure.Unusable, e.Failure);
    }

    private static string Sent(Fixture fixture) => Encoding.UTF8.GetString(fixture.Server.LastUserRequest);
}
