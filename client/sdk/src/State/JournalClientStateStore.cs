using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Keeps the state in a folder, as records in the file <c>state.journal</c> (docs/spec/client-state.md). Each change is one commit, which
/// is on disk before the client reports a result. The folder <c>evidence/</c> has the evidence. The store holds the folder's lock until it
/// is disposed.
/// </summary>
public sealed class JournalClientStateStore : IClientStateStore, IDisposable
{
    private readonly StateFolder _folder;
    private readonly TrustAnchor _anchor;
    private readonly StateJournal _journal;
    private readonly ValueIndex _values = new();
    private readonly Lock _gate = new();
    private volatile ClientState _current;

    private JournalClientStateStore(StateFolder folder, TrustAnchor anchor, StateJournal journal)
    {
        _folder = folder;
        _anchor = anchor;
        _journal = journal;
        _current = Load();
    }

    /// <inheritdoc/>
    public ClientState Current => _current;

    /// <summary>
    /// Opens or creates the state of one log. Throws <see cref="ClientStateException"/> when the folder belongs to another log, is damaged,
    /// or is used by another process for longer than the parameter <paramref name="wait"/> allows.
    /// </summary>
    public static async Task<JournalClientStateStore> OpenAsync(
        string path, TrustAnchor anchor, TimeSpan wait, TimeProvider? time = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        StateFolder folder = await StateFolder.OpenAsync(path, wait, time ?? TimeProvider.System, cancellationToken).ConfigureAwait(false);
        JournalFile? file = null;
        try
        {
            file = new JournalFile(Path.Combine(folder.Path, "state.journal"));
            return new JournalClientStateStore(folder, anchor, StateJournal.Open(file, anchor.LogId.Span));
        }
        catch
        {
            file?.Dispose();
            folder.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public bool TryUpdate(Func<ClientState, ClientState?> change, IReadOnlyCollection<ReadOnlyMemory<byte>> values)
    {
        ArgumentNullException.ThrowIfNull(change);
        ArgumentNullException.ThrowIfNull(values);
        lock (_gate)
        {
            ClientState before = _current;
            if (change(before) is not { } after)
            {
                return false;
            }
            if (ReferenceEquals(after, before))
            {
                return true;
            }
            // The next start would refuse a state with a fault, and the state before it would be lost.
            if (StateCheck.Fault(_anchor, ChangedState.Reduce(before, after)) is { } fault)
            {
                throw new ClientStateException(
                    $"The new client state has a fault ({fault}), so {_folder.Path} keeps the one before it. Report this to the authors of Optiks.");
            }
            var given = new Dictionary<string, byte[]>(StringComparer.Ordinal);
            foreach (ReadOnlyMemory<byte> value in values)
            {
                given[ValueHash.Of(value.Span)] = value.ToArray();
            }
            RecordChanges changes = StateRecords.Compare(before, after, hash => given.GetValueOrDefault(hash) ?? Read(hash), _values.Has);
            if (changes.Puts.Count + changes.Deletes.Count > 0)
            {
                _journal.Commit(changes.Puts, changes.Deletes);
                Follow(changes);
            }
            _current = after;
            return true;
        }
    }

    /// <inheritdoc/>
    public byte[]? FindValue(string sha256)
    {
        lock (_gate)
        {
            return Read(sha256);
        }
    }

    /// <inheritdoc/>
    public string WriteEvidence(string name, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files) => _folder.WriteEvidence(name, files);

    /// <inheritdoc/>
    public void Dispose()
    {
        _journal.Dispose();
        _folder.Dispose();
    }

    // A value with another hash than the chain names counts as lost, so the client asks for it again.
    private byte[]? Read(string sha256)
    {
        byte[]? value = _values.Find(sha256) is { } key ? RecordBody.DecodeOctets(_journal.Read(key), "value") : null;
        return value is not null && string.Equals(ValueHash.Of(value), sha256, StringComparison.Ordinal) ? value : null;
    }

    private ClientState Load()
    {
        try
        {
            ClientState state = StateLoader.Load(Base64UrlText.Encode(_anchor.LogId.Span), _journal);
            if (StateCheck.Fault(_anchor, state) is { } fault)
            {
                throw _journal.CreateDamaged(fault);
            }
            HashSet<RecordKey> stored = [.. _journal.Keys];
            foreach ((RecordKey key, string hash) in ValueIndex.CollectNames(state).Where(name => stored.Contains(name.Key)))
            {
                _values.Put(key, hash);
            }
            return state;
        }
        catch (EncodingException e)
        {
            throw _journal.CreateDamaged(e.Message);
        }
    }

    private void Follow(RecordChanges changes)
    {
        foreach (RecordKey key in changes.Deletes)
        {
            _values.Delete(key);
        }
        foreach (RecordPut put in changes.Puts.Where(put => put.Key.Kind is RecordKind.Value or RecordKind.Leaf))
        {
            _values.Put(put.Key, ValueHash.Of(RecordBody.DecodeOctets(put.Body, "value")));
        }
    }
}
