namespace Optiks.Client;

/// <summary>
/// IClientStateStore keeps a client's state. What it loses, the client forgets: a server could then show it an older or another view.
/// Any thread; one process.
/// </summary>
public interface IClientStateStore
{
    /// <summary>Current state.</summary>
    ClientState Current { get; }

    /// <summary>
    /// TryUpdate replaces the state by what <paramref name="change"/> makes of the current one, one change at a time, and returns true once that
    /// and those of the values that it names are durable. When the change gives null, nothing is written and the result is false.
    /// </summary>
    bool TryUpdate(Func<ClientState, ClientState?> change, IReadOnlyCollection<ReadOnlyMemory<byte>> values);

    /// <summary>FindValue returns a value by the SHA-256 (hexadecimal) under which it was stored, checked; null when it is gone.</summary>
    byte[]? FindValue(string sha256);

    /// <summary>WriteEvidence makes files of evidence, such as a fork, durable and returns where they are.</summary>
    string WriteEvidence(string name, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files);
}
