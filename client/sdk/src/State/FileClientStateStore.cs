using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Keeps the state in a folder. The store replaces the file <c>state.json</c> in one step and has it on disk before the client reports a
/// result. The folder <c>values/</c> has the remembered values, named by their SHA-256, and <c>evidence/</c> has the evidence. The store
/// holds the folder's lock until it is disposed.
/// </summary>
public sealed class FileClientStateStore : IClientStateStore, IDisposable
{
    private readonly StateFolder _folder;
    private readonly TrustAnchor _anchor;
    private readonly string _values;
    private readonly Lock _gate = new();
    private volatile ClientState _current;

    private FileClientStateStore(StateFolder folder, TrustAnchor anchor, ClientState current)
    {
        _folder = folder;
        _anchor = anchor;
        _values = Path.Combine(folder.Path, "values");
        _current = current;
    }

    /// <inheritdoc/>
    public ClientState Current => _current;

    /// <summary>
    /// Opens or creates the state of one log. Throws <see cref="ClientStateException"/> when the folder belongs to another log, is damaged,
    /// or is used by another process for longer than the parameter <paramref name="wait"/> allows.
    /// </summary>
    public static async Task<FileClientStateStore> OpenAsync(
        string path, TrustAnchor anchor, TimeSpan wait, TimeProvider? time = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        StateFolder folder = await StateFolder.OpenAsync(path, wait, time ?? TimeProvider.System, cancellationToken).ConfigureAwait(false);
        try
        {
            string logId = Base64UrlText.Encode(anchor.LogId.Span);
            ClientState state = folder.Load(StateJson.Default.ClientState) ?? new ClientState { LogId = logId };
            if (!string.Equals(state.LogId, logId, StringComparison.Ordinal))
            {
                throw new ClientStateException(
                    $"The client state in {folder.Path} belongs to another log ({DisplayText.Escape(state.LogId)}): use another folder, or the trust anchor of that log.");
            }
            folder.Require(StateCheck.Fault(anchor, state));
            return new FileClientStateStore(folder, anchor, state);
        }
        catch
        {
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
            ClientState? after = change(before);
            if (after is null)
            {
                return false;
            }
            if (ReferenceEquals(after, before))
            {
                return true;
            }
            // Write the values before the state, because the state must never name a value that was not written.
            string? fault = StateCheck.Fault(_anchor, after);
            HashSet<string> named = values.Count == 0 || fault is not null ? [] : new(after.ValueNames(), StringComparer.Ordinal);
            foreach (ReadOnlyMemory<byte> value in values)
            {
                SaveValue(value.Span, named);
            }
            _folder.Save(after, StateJson.Default.ClientState, fault);
            _current = after;
            DropValues(before, after);
            return true;
        }
    }

    /// <inheritdoc/>
    public byte[]? FindValue(string sha256)
    {
        try
        {
            byte[] value = File.ReadAllBytes(ValuePath(sha256));
            return string.Equals(ValueHash.Of(value), sha256, StringComparison.Ordinal) ? value : null;
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public string WriteEvidence(string name, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files) => _folder.WriteEvidence(name, files);

    /// <inheritdoc/>
    public void Dispose() => _folder.Dispose();

    private string ValuePath(string sha256) => Path.Combine(_values, sha256);

    private void SaveValue(ReadOnlySpan<byte> value, HashSet<string> named)
    {
        string hash = ValueHash.Of(value);
        string path = ValuePath(hash);
        if (!named.Contains(hash))
        {
            return;
        }
        DataFolder.CreateFolder(_values);
        if (!File.Exists(path))
        {
            AtomicFile.Write(path, value, AtomicFile.PrivateMode);
        }
    }

    private void DropValues(ClientState before, ClientState after)
    {
        if (ReferenceEquals(before.Chains, after.Chains) && ReferenceEquals(before.Leaves, after.Leaves))
        {
            return;
        }
        var dropped = new HashSet<string>(before.ValueNames(), StringComparer.Ordinal);
        dropped.ExceptWith(after.ValueNames());
        foreach (string sha256 in dropped)
        {
            File.Delete(ValuePath(sha256));
        }
    }
}
