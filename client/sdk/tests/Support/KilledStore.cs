namespace Optiks.Client.Tests;

/// <summary>
/// Simulates a process that dies just before or just after it has written its state, at the first write or at a given later write.
/// </summary>
internal sealed class KilledStore(IClientStateStore inner, bool afterWrite, int writes = 1) : IClientStateStore
{
    private int _left = writes;

    public ClientState Current => inner.Current;

    public bool TryUpdate(Func<ClientState, ClientState?> change, IReadOnlyCollection<ReadOnlyMemory<byte>> values)
    {
        if (--_left > 0)
        {
            return inner.TryUpdate(change, values);
        }
        if (afterWrite)
        {
            Assert.True(inner.TryUpdate(change, values));
        }
        throw new KilledException();
    }

    public byte[]? FindValue(string sha256) => inner.FindValue(sha256);

    public string WriteEvidence(string name, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files) => inner.WriteEvidence(name, files);
}
