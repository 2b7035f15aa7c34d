namespace Optiks.Client.Tests;

/// <summary>A store that has lost some of its values, as a host's store may.</summary>
internal sealed class LosingStore : IClientStateStore
{
    private readonly IClientStateStore _store;

    public LosingStore(IClientStateStore store) => _store = store;

    /// <summary>The SHA-256 of each lost value.</summary>
    public HashSet<string> Lost { get; } = new(StringComparer.Ordinal);

    public ClientState Current => _store.Current;

    public bool TryUpdate(Func<ClientState, ClientState?> change, IReadOnlyCollection<ReadOnlyMemory<byte>> values) =>
        _store.TryUpdate(change, values);

    public byte[]? FindValue(string sha256) => Lost.Contains(sha256) ? null : _store.FindValue(sha256);

    public string WriteEvidence(string name, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files) => _store.WriteEvidence(name, files);
}
