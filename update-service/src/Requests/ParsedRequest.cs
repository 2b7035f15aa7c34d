using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>ParsedRequest is one element of a body.</summary>
internal abstract class ParsedRequest
{
    private readonly int? _index;

    /// <summary>ParsedRequest of a body.</summary>
    /// <param name="index">Its index in the list; null unless the body is a list.</param>
    /// <param name="requestId">The caller's id; null when it gave none.</param>
    protected ParsedRequest(int? index, Guid? requestId)
    {
        _index = index;
        RequestId = requestId;
    }

    /// <summary>RequestId that the caller gave; null when it gave none.</summary>
    public Guid? RequestId { get; }

    /// <summary>WantsReceipt says whether the caller asked for a receipt.</summary>
    public bool WantsReceipt { get; init; }

    /// <summary>ReceiptPath is the JSON path of the member that asks for one.</summary>
    public string ReceiptPath => $"{Path}.receipt";

    /// <summary>RequestIdPath is the JSON path of the id.</summary>
    public string RequestIdPath => $"{Path}.request_id";

    /// <summary>Path is the JSON path of the element.</summary>
    protected string Path => _index is { } index ? $"$[{index}]" : "$";

    /// <summary>ItemsOf the request under its id, the caller's or the one that was made: 1 to <see cref="Limits.ItemsPerRequest"/>, no key of a structure twice.</summary>
    public abstract IReadOnlyList<AcceptItem> ItemsOf(Guid requestId);

    /// <summary>KeyPath is the JSON path of an item's key.</summary>
    public abstract string KeyPath(int item);
}
