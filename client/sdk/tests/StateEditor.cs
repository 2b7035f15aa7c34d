using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Reads and edits the stored state of a client past its checks. The hashes of an edited journal are right, so that a test reaches the
/// checks after those of the journal.
/// </summary>
internal static class StateEditor
{
    /// <summary>Changes a stored state that no store has open.</summary>
    public static void Edit(string folder, Func<ClientState, ClientState> change)
    {
        using var journal = StateJournal.Open(new JournalFile(Name(folder)), FixtureLog.Anchor.LogId.Span);
        ClientState before = StateLoader.Load(Base64UrlText.Encode(FixtureLog.Anchor.LogId.Span), journal);
        HashSet<RecordKey> stored = [.. journal.Keys];
        RecordChanges changes = StateRecords.Compare(before, change(before), _ => null, stored.Contains);
        journal.Commit(changes.Puts, changes.Deletes);
    }

    /// <summary>Writes or drops one record of a stored state that no store has open.</summary>
    public static void Put(string folder, RecordKey key, byte[]? body)
    {
        using var journal = StateJournal.Open(new JournalFile(Name(folder)), FixtureLog.Anchor.LogId.Span);
        journal.Commit(body is null ? [] : [new RecordPut(key, body)], body is null ? [key] : []);
    }

    /// <summary>Returns the records of a stored state, which a store may have open.</summary>
    public static Dictionary<RecordKey, byte[]> Read(string folder)
    {
        using var journal = StateJournal.Open(new MemoryJournalFile(File.ReadAllBytes(Name(folder))), FixtureLog.Anchor.LogId.Span);
        return journal.Keys.ToDictionary(key => key, key => journal.Read(key)!);
    }

    /// <summary>Returns the records of a state as text, without values and statements, to compare two states.</summary>
    public static string Show(ClientState state) => string.Join(
        '\n', StateRecords.Compare(new ClientState { LogId = state.LogId }, state, _ => null, _ => false).Puts
            .Select(put => $"{Convert.ToHexString(put.Key.Octets.Span)} {Convert.ToHexString(put.Body.Span)}"));

    private static string Name(string folder) => Path.Combine(folder, "state.journal");
}
