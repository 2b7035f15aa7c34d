using System.Buffers;
using Optiks.Native;

namespace Optiks.QueryService.Answers;

/// <summary>QueryBatch is the keys of one request with what is asked about each, flat as the native library takes them. One thread at a time.</summary>
internal sealed class QueryBatch : IDisposable
{
    /// <summary>MaxCount of queries of a request.</summary>
    public const int MaxCount = Snapshot.MaxKeys;

    private readonly ulong[] _periods = ArrayPool<ulong>.Shared.Rent(MaxCount);
    private readonly ulong[] _versions = ArrayPool<ulong>.Shared.Rent(MaxCount);

    /// <summary>Keys asked about.</summary>
    public ByteStrings Keys { get; } = new();

    /// <summary>Periods of the versions that are known.</summary>
    public ReadOnlySpan<ulong> Periods => _periods.AsSpan(0, Keys.Count);

    /// <summary>Versions that are known (lookup), or to begin with (history, monitor).</summary>
    public ReadOnlySpan<ulong> Versions => _versions.AsSpan(0, Keys.Count);

    public void Add(ReadOnlySpan<byte> key, ulong period, ulong version)
    {
        _periods[Keys.Count] = period;
        _versions[Keys.Count] = version;
        Keys.Add(key);
    }

    public void Dispose()
    {
        Keys.Dispose();
        ArrayPool<ulong>.Shared.Return(_periods);
        ArrayPool<ulong>.Shared.Return(_versions);
    }
}
