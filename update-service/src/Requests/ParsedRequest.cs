using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>Holds one element of a parsed body, which is one request.</summary>
internal abstract class ParsedRequest
{
    private readonly int? _index;

    /// <summary>Creates an element from the parts that all kinds of elements have.</summary>
    /// <param name="index">The element's index in the list; null unless the body is a list.</param>
    /// <param name="requestId">The request id that the caller gave; null if the caller gave no id.</param>
    protected ParsedRequest(int? index, Guid? requestId)
    {
        _index = index;
        RequestId = requestId;
    }

    /// <summary>The request id that the caller gave; null if the caller gave no id.</summary>
    public Guid? RequestId { get; }

    /// <summary>Whether the caller asked for a receipt.</summary>
    public bool WantsReceipt { get; init; }

    /// <summary>The JSON path of the member that asks for a receipt.</summary>
    public string ReceiptPath => $"{Path}.receipt";

    /// <summary>The JSON path of the request id.</summary>
    public string RequestIdPath => $"{Path}.request_id";

    /// <summary>The element's own JSON path.</summary>
    protected string Path => _index is { } index ? $"$[{index}]" : "$";

    /// <summary>
    /// Returns the request's items. The request's id, which the caller gave or the service made, is a parameter because the id of a new
    /// user may be derived from it. A request has 1 to <see cref="Limits.ItemsPerRequest"/> items, of which no two have the same structure
    /// and key.
    /// </summary>
    public abstract IReadOnlyList<AcceptItem> ToItems(Guid requestId);

    /// <summary>Returns the JSON path at which the body has an item's key.</summary>
    public abstract string KeyPath(int item);
}
