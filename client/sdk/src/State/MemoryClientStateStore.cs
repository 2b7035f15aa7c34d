using System.Collections.Concurrent;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Keeps the state in memory until the process ends, for tests and for programs that store the state elsewhere. The store still writes
/// evidence to files.
/// </summary>
public sealed class MemoryClientStateStore : IClientStateStore
{
    private readonly ConcurrentDictionary<string, byte[]> _values = new(StringComparer.Ordinal);
    private readonly Lock _gate = new();
    private readonly string _evidence;
    private volatile ClientState _current;

    /// <summary>Creates an empty store of a log, with a folder for evidence.</summary>
    public MemoryClientStateStore(TrustAnchor anchor, string evidenceFolder)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        _evidence = evidenceFolder;
        _current = new ClientState { LogId = Base64UrlText.Encode(anchor.LogId.Span) };
    }

    /// <inheritdoc/>
    public ClientState Current => _current;

    /// <inheritdoc/>
    public bool TryUpdate(Func<ClientState, ClientState?> change, IReadOnlyCollection<ReadOnlyMemory<byte>> values)
    {
        ArgumentNullException.ThrowIfNull(change);
        ArgumentNullException.ThrowIfNull(values);
        lock (_gate)
        {
            if (change(_current) is not { } after)
            {
                return false;
            }
            HashSet<string> named = values.Count == 0 ? [] : new(after.ValueNames(), StringComparer.Ordinal);
            foreach (ReadOnlyMemory<byte> value in values)
            {
                string hash = ValueHash.Of(value.Span);
                if (named.Contains(hash))
                {
                    _values[hash] = value.ToArray();
                }
            }
            _current = after;
            return true;
        }
    }

    /// <inheritdoc/>
    public byte[]? FindValue(string sha256) => _values.GetValueOrDefault(sha256);

    /// <inheritdoc/>
    public string WriteEvidence(string name, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files) =>
        EvidenceFolder.Write(_evidence, name, files);
}
