using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>Holds one request with one or several updates of keys.</summary>
internal sealed class ParsedUpdate : ParsedRequest
{
    private readonly bool _isAtomic;
    private readonly IReadOnlyList<AcceptItem> _items;
    private readonly IReadOnlyList<bool> _keyMembers;

    /// <summary>Creates an element from its parts.</summary>
    /// <param name="index">The request's index in the list; null unless the body is a list.</param>
    /// <param name="requestId">The request id that the caller gave; null if the caller gave no id.</param>
    /// <param name="isAtomic">Whether the request has the member <c>items</c>.</param>
    /// <param name="items">The request's updates.</param>
    /// <param name="keyMembers">For each item, whether the body has its key as <c>key_b64</c>; if so, a refusal of the item names this
    /// member.</param>
    public ParsedUpdate(int? index, Guid? requestId, bool isAtomic, IReadOnlyList<AcceptItem> items, IReadOnlyList<bool> keyMembers)
        : base(index, requestId)
    {
        _isAtomic = isAtomic;
        _items = items;
        _keyMembers = keyMembers;
    }

    public override IReadOnlyList<AcceptItem> ToItems(Guid requestId) => _items;

    public override string KeyPath(int item) => $"{Path}{(_isAtomic ? $".items[{item}]" : "")}.{(_keyMembers[item] ? "key_b64" : "key")}";
}
