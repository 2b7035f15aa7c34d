using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>Holds one erasure of a body.</summary>
internal sealed class ParsedErasure : ParsedRequest
{
    private readonly AcceptItem[] _items;
    private readonly string _member;

    /// <summary>Takes the parts of the erasure.</summary>
    /// <param name="index">The erasure's index in the list; null unless the body is a list.</param>
    /// <param name="requestId">The request id that the caller gave; null if the caller gave no id.</param>
    /// <param name="item">The erasure as an item.</param>
    /// <param name="member">The name of the member that gave the key or the user.</param>
    public ParsedErasure(int? index, Guid? requestId, AcceptItem item, string member)
        : base(index, requestId)
    {
        _items = [item];
        _member = member;
    }

    public override IReadOnlyList<AcceptItem> ToItems(Guid requestId) => _items;

    public override string KeyPath(int item) => $"{Path}.{_member}";
}
