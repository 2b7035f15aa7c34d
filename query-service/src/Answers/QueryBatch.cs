using System.Buffers;
using Optiks.Native;

namespace Optiks.QueryService.Answers;

/// <summary>
/// The keys of one request with the query for each, as flat lists in the form that the native library takes. Not thread-safe.
/// </summary>
internal sealed class QueryBatch : IDisposable
{
    /// <summary>The largest number of queries in a request.</summary>
    public const int MaxCount = DirectoryView.MaxKeys;

    private readonly ulong[] _periods = ArrayPool<ulong>.Shared.Rent(MaxCount);
    private readonly ulong[] _versions = ArrayPool<ulong>.Shared.Rent(MaxCount);
    private readonly ulong[] _latest = ArrayPool<ulong>.Shared.Rent(MaxCount);

    /// <summary>Whether the request was in the binary form; needed for the field of a problem.</summary>
    public bool IsBinary { get; set; }

    /// <summary>Whether the request was a list rather than one query; needed for the field of a problem.</summary>
    public bool IsList { get; set; }

    /// <summary>The keys that the request asks about.</summary>
    public ByteStrings Keys { get; } = new();

    /// <summary>The periods of the known versions.</summary>
    public ReadOnlySpan<ulong> Periods => _periods.AsSpan(0, Keys.Count);

    /// <summary>The known versions (lookup), or the first versions to return (history, monitor).</summary>
    public ReadOnlySpan<ulong> Versions => _versions.AsSpan(0, Keys.Count);

    /// <summary>The latest versions of the keys; valid once the answer is written.</summary>
    public Span<ulong> Latest => _latest.AsSpan(0, Keys.Count);

    /// <summary>
    /// Throws <see cref="ServiceDefaults.ProblemException"/> (not-caught-up) when the client has seen, in this period, a later version of a
    /// key than the version in <see cref="Latest"/>.
    /// </summary>
    public void ThrowIfAhead(QueryKind kind, ulong period)
    {
        for (int i = 0; i < Keys.Count; i++)
        {
            ulong seen = kind == QueryKind.Lookup ? Versions[i] : Versions[i] - 1;
            if (seen > Latest[i] && (kind != QueryKind.Lookup || Periods[i] == period))
            {
                string member = IsBinary ? "version" : kind == QueryKind.Lookup ? "known" : "from";
                throw ClientPosition.NotCaughtUp("The client has seen a later version of the key than this replica has.", $"{GetField(i)}.{member}");
            }
        }
    }

    /// <summary>Returns the path of a query in the request, for the field of a problem.</summary>
    public string GetField(int index) => IsList || IsBinary ? $"$[{index}]" : "$";

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
        ArrayPool<ulong>.Shared.Return(_latest);
    }
}
