namespace Optiks.Client;

/// <summary>
/// Stores a client's state. If the store loses a state, a server could show the client an older or a different view of the log.
/// Thread-safe, for use in one process.
/// </summary>
public interface IClientStateStore
{
    /// <summary>The current state.</summary>
    ClientState Current { get; }

    /// <summary>
    /// Passes the current state to the function <paramref name="change"/>, and replaces the state by the function's result. The store makes
    /// one such call at a time. Returns true once the new state is durable, together with each one of the <paramref name="values"/> to
    /// which the new state refers. If the function returns null, the store writes nothing and returns false.
    /// </summary>
    bool TryUpdate(Func<ClientState, ClientState?> change, IReadOnlyCollection<ReadOnlyMemory<byte>> values);

    /// <summary>Checks and returns the value that was stored under a SHA-256 (hexadecimal); null when the value no longer exists.</summary>
    byte[]? FindValue(string sha256);

    /// <summary>Writes files of evidence, such as the evidence of a fork, durably and returns their folder.</summary>
    string WriteEvidence(string name, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files);
}
