namespace Optiks.Client;

/// <summary>
/// Stores a client's state. If the store loses state, the client forgets it, and a server could show it an older or another view.
/// Thread-safe, for use in one process.
/// </summary>
public interface IClientStateStore
{
    /// <summary>The current state.</summary>
    ClientState Current { get; }

    /// <summary>
    /// Replaces the state by what <paramref name="change"/> makes of the current one, one change at a time. Returns true once the new
    /// state, and those of the <paramref name="values"/> that it names, are durable. When the change returns null, nothing is written and
    /// the result is false.
    /// </summary>
    bool TryUpdate(Func<ClientState, ClientState?> change, IReadOnlyCollection<ReadOnlyMemory<byte>> values);

    /// <summary>
    /// Returns a value by the SHA-256 (hexadecimal) under which it was stored, after checking the hash; null when it no longer exists.
    /// </summary>
    byte[]? FindValue(string sha256);

    /// <summary>Makes files of evidence, such as that of a fork, durable and returns their folder.</summary>
    string WriteEvidence(string name, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files);
}
