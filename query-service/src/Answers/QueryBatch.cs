using System.Buffers;
using Optiks.Native;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Holds the keys of one request and the query about each key, in lists of numbers and bytes as the native library needs them. Not
/// thread-safe.
/// </summary>
internal sealed class QueryBatch : IDisposable
{
    /// <summary>The largest number of queries that one request may have.</summary>
    public const int MaxCount = DirectoryView.MaxKeys;

    private readonly ulong[] _periods = ArrayPool<ulong>.Shared.Rent(MaxCount);
    private readonly ulong[] _versions = ArrayPool<ulong>.Shared.Rent(MaxCount);
    private readonly ulong[] _latest = ArrayPool<ulong>.Shared.Rent(MaxCount);

    /// <summary>Whether the request was in the binary form. A refusal of the request names the field that is wrong, and this name depends
    /// on the form.</summary>
    public bool IsBinary { get; set; }

    /// <summary>Whether the request was a list of queries and not a single query. A refusal of the request names the field that is wrong,
    /// and in a list this name contains the index of the query.</summary>
    public bool IsList { get; set; }

    /// <summary>The keys that the request asks about.</summary>
    public ByteStrings Keys { get; } = new();

    /// <summary>For each key, the period of the version that the client knows.</summary>
    public ReadOnlySpan<ulong> Periods => _periods.AsSpan(0, Keys.Count);

    /// <summary>For each key, a version. In a lookup it is the version that the client knows; in a history or monitor request it is the
    /// first version that the answer returns.</summary>
    public ReadOnlySpan<ulong> Versions => _versions.AsSpan(0, Keys.Count);

    /// <summary>For each key, its latest version. The list is valid once the answer is written.</summary>
    public Span<ulong> Latest => _latest.AsSpan(0, Keys.Count);

    /// <summary>
    /// Returns the refusal (not-caught-up) if the client knows, in this period, a later version of a key than the version in
    /// <see cref="Latest"/>; otherwise null.
    /// </summary>
    public ProblemException? FindAhead(QueryKind kind, ulong period)
    {
        for (int i = 0; i < Keys.Count; i++)
        {
            ulong seen = kind == QueryKind.Lookup ? Versions[i] : Versions[i] - 1;
            if (seen > Latest[i] && (kind != QueryKind.Lookup || Periods[i] == period))
            {
                string member = IsBinary ? "version" : kind == QueryKind.Lookup ? "known" : "from";
                return ClientPosition.NotCaughtUp(
                    "The client has seen a later version of the key than this replica has.", $"{GetField(i)}.{member}");
            }
        }
        return null;
    }

    /// <summary>Returns the path of a query within the request's body, such as <c>$[0]</c>. A refusal of the request names the wrong field
    /// by this path.</summary>
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
