using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Tests how an owner stores its notes (docs/spec/user-monitor.md section 8, docs/spec/state.md section 3).</summary>
public sealed class NoteTests
{
    private static readonly byte[] Alice = "alice"u8.ToArray();
    private static readonly byte[] Payload = "credential"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Notes_are_numbered_by_key_and_found_by_the_version_in_the_next_run_too()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            OptiksClient client = fixture.Client(store);
            await NoteAsync(client, Alice, "added new laptop");
            await NoteAsync(client, "bob"u8.ToArray(), "bob's");
        }
        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        OptiksClient again = fixture.Client(reopened);
        await NoteAsync(again, Alice, "");
        fixture.Publish(("alice", "of another"));
        fixture.Clock.UtcNow = fixture.Log.Now;

        HistoryResult history = await again.HistoryAsync(Alice, Cancellation);

        Assert.Equal([(1UL, "added new laptop"), (2UL, ""), null], history.Versions.Select(version => Read(again.NoteOf(Alice, version))));
        Assert.Equal([1UL, 1UL, 2UL],
            reopened.Current.Notes.OrderBy(key => key.Value.Length).SelectMany(key => key.Value).Select(Sequence));
        Assert.Null(again.NoteOf("bob"u8.ToArray(), history.Versions[0]));
        Assert.Null(again.NoteOf(Alice, history.Versions[0] with { Value = null }));
        MonitorResult monitored = await again.MonitorAsync(Alice, Cancellation);
        Assert.Equal([3UL], monitored.Alarms.Select(alarm => alarm.Version));
    }

    [Fact]
    public async Task The_number_goes_on_in_the_next_period()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        await NoteAsync(client, Alice, "one");
        fixture.Clock.UtcNow = fixture.Log.Now;
        Assert.True((await client.MonitorAsync(Alice, Cancellation)).IsValid);
        fixture.Switch();
        fixture.Clock.UtcNow = fixture.Log.Now;
        Assert.Empty((await client.MonitorAsync(Alice, Cancellation)).Alarms);
        await NoteAsync(client, Alice, "two");
        fixture.Clock.UtcNow = fixture.Log.Now;

        HistoryResult history = await client.HistoryAsync(Alice, Cancellation);

        Assert.Equal(
            [(1UL, 1UL, true, (1UL, "one")), (1UL, 2UL, false, (2UL, "two"))],
            history.Versions.Select(version =>
                (version.Period, version.Version, version.IsCopy, Read(client.NoteOf(Alice, version))!.Value)));
    }

    [Fact]
    public async Task A_note_is_on_disk_before_the_request_is_sent_and_stays_when_it_is_refused()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        fixture.Server.Refuse = path =>
            path == "/v1/updates" && StateEditor.Read(fixture.Folder.In("client")).ContainsKey(RecordKeys.ForNote("YWxpY2U", 1))
                ? (403, "forbidden")
                : default((int, string)?);

        await Assert.ThrowsAsync<OptiksServerException>(() => NoteAsync(client, Alice, "refused"));
        fixture.Server.Refuse = _ => null;
        await NoteAsync(client, Alice, "accepted");

        Assert.Equal([1UL, 2UL], store.Current.Notes["YWxpY2U"].Select(Sequence));
        Assert.Single(store.Current.OwnKeys["YWxpY2U"].Expected);
    }

    [Fact]
    public async Task A_request_that_is_sent_again_has_the_value_that_it_had()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Guid id = client.NewRequestId();

        byte[] first = client.KeepNote(Alice, Payload, "note"u8.ToArray(), id);

        Assert.Equal(first, client.KeepNote(Alice, Payload, "note"u8.ToArray(), id));
        Assert.Throws<InvalidOperationException>(() => client.KeepNote(Alice, Payload, "another"u8.ToArray(), id));
        Assert.Throws<InvalidOperationException>(() => client.KeepNote(Alice, "another"u8.ToArray(), "note"u8.ToArray(), id));
        Assert.NotEqual(first, client.KeepNote(Alice, Payload, "note"u8.ToArray(), client.NewRequestId()));
        Assert.Equal([1UL, 2UL], store.Current.Notes["YWxpY2U"].Select(Sequence));
    }

    [Fact]
    public async Task Notes_made_side_by_side_have_numbers_of_their_own()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);

        await Task.WhenAll(
            Enumerable.Range(0, 20).Select(
                i => Task.Run(() => client.KeepNote(Alice, Payload, Encoding.UTF8.GetBytes($"{i}"), client.NewRequestId()), Cancellation)));

        Assert.Equal(Enumerable.Range(1, 20).Select(i => (ulong)i), store.Current.Notes["YWxpY2U"].Select(Sequence));
    }

    [Fact]
    public async Task What_no_log_takes_is_not_kept()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        byte[] largest = new byte[FixtureLog.Anchor.Configuration.MaxValueLength - NotedValue.Overhead];
        Assert.Throws<ArgumentException>(() => client.KeepNote(Alice, new byte[largest.Length + 1], default, client.NewRequestId()));
        Assert.Throws<ArgumentOutOfRangeException>(
            () => client.KeepNote(Alice, Payload, new byte[OwnerNote.MaxTextLength + 1], client.NewRequestId()));
        Assert.Throws<ArgumentException>(() => client.KeepNote(Alice, Payload, default, Guid.Empty));
        Assert.Empty(store.Current.Notes);
        Assert.Equal((int)FixtureLog.Anchor.Configuration.MaxValueLength,
            client.KeepNote(Alice, largest, default, client.NewRequestId()).Length);
    }

    [Theory]
    [InlineData("number 0", "AAAAAAAAAAAAAW4=")]
    [InlineData("the number of another key", "AAAAAAAAAAIAAA==")]
    [InlineData("more octets", "AAAAAAAAAAEAAAA=")]
    [InlineData("no octets", "")]
    public async Task Damaged_notes_are_refused_when_the_state_is_read(string fault, string note)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            OptiksClient client = fixture.Client(store);
            client.KeepNote(Alice, Payload, "one"u8.ToArray(), client.NewRequestId());
            client.KeepNote(Alice, Payload, "two"u8.ToArray(), client.NewRequestId());
        }
        RecordKey key = RecordKeys.ForNote("YWxpY2U", 1);
        KeptNote kept = OwnerRecord.DecodeNote(StateEditor.Read(fixture.Folder.In("client"))[key]);
        StateEditor.Put(
            fixture.Folder.In("client"), key, OwnerRecord.EncodeNote(kept with { Note = Convert.FromBase64String(note) }));
        ClientStateException refused = await Assert.ThrowsAsync<ClientStateException>(() => fixture.OpenStoreAsync());
        Assert.True(refused.Message.Contains("damaged", StringComparison.Ordinal), $"{fault}: {refused.Message}");
    }

    private static async Task NoteAsync(OptiksClient client, byte[] key, string text)
    {
        Guid id = client.NewRequestId();
        await client.UpdateAsync(
            key, client.KeepNote(key, Payload, Encoding.UTF8.GetBytes(text), id), requestId: id, cancellationToken: Cancellation);
    }

    private static (ulong Sequence, string Text)? Read(OwnerNote? note) =>
        note is { } found ? (found.Sequence, Encoding.UTF8.GetString(found.Text.Span)) : null;

    private static ulong Sequence(KeptNote kept) => OwnerNote.TryDecode(kept.Note, out OwnerNote note) ? note.Sequence : 0;
}
