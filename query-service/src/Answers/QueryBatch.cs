using System.Buffers;
using Optiks.Native;

namespace Optiks.QueryService.Answers;

/// <summary>The keys of one request with what is asked about each, flat as the native library takes them. One thread at a time.</summary>
internal sealed class QueryBatch : IDisposable
{
    /// <summary>MaxCount of queries of a request.</summary>
    public const int MaxCount = DirectoryView.MaxKeys;

    private readonly ulong[] _periods = ArrayPool<ulong>.Shared.Rent(MaxCount);
    private readonly ulong[] _versions = ArrayPool<ulong>.Shared.Rent(MaxCount);
    private readonly ulong[] _latest = ArrayPool<ulong>.Shared.Rent(MaxCount);

    /// <summary>Says that the request was; for the field of a problem.</summary>
    public bool IsBinary { get; set; }

    /// <summary>Says that the request was a list and not one query; likewise.</summary>
    public bool IsList { get; set; }

    /// <summary>Keys asked about.</summary>
    public ByteStrings Keys { get; } = new();

    /// <summary>Periods of the versions that are known.</summary>
    public ReadOnlySpan<ulong> Periods => _periods.AsSpan(0, Keys.Count);

    /// <summary>Versions that are known (lookup), or to begin with (history, monitor).</summary>
    public ReadOnlySpan<ulong> Versions => _versions.AsSpan(0, Keys.Count);

    /// <summary>Latest versions of the keys, once they are answered.</summary>
    public Span<ulong> Latest => _latest.AsSpan(0, Keys.Count);

    /// <summary>Throws <see cref="ServiceDefaults.ProblemException"/> (not-caught-up) for a client that has seen a later version of a key than <see cref="Latest"/>, in this period.</summary>
    public void ThrowIfAhead(QueryKind kind, ulong period)
    {
        for (int i = 0; i < Keys.Count; i++)
        {
            ulong seen = kind == QueryKind.Lookup ? Versions[i] : Versions[i] - 1;
            if (seen > Latest[i] && (kind != QueryKind.Lookup || Periods[i] == period))
            {
                string member = IsBinary ? "version" : kind == QueryKind.Lookup ? "known" : "from";
                throw ClientPosition.NotCaughtUp("The client has seen a later version of the key than there is here.", $"{FieldOf(i)}.{member}");
            }
        }
    }

    /// <summary>FieldOf a query in the request, for a problem.</summary>
    public string FieldOf(int index) => IsList || IsBinary ? $"$[{index}]" : "$";

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
