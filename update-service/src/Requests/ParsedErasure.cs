using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>Holds one element of a parsed body that asks for an erasure.</summary>
internal sealed class ParsedErasure : ParsedRequest
{
    private readonly AcceptItem[] _items;
    private readonly string _member;

    /// <summary>Creates an element from its parts.</summary>
    /// <param name="index">The erasure's index in the list; null unless the body is a list.</param>
    /// <param name="requestId">The request id that the caller gave; null if the caller gave no id.</param>
    /// <param name="item">The item that names the values to erase.</param>
    /// <param name="member">The name of the body's member with the key or the user.</param>
    public ParsedErasure(int? index, Guid? requestId, AcceptItem item, string member)
        : base(index, requestId)
    {
        _items = [item];
        _member = member;
    }

    public override IReadOnlyList<AcceptItem> ToItems(Guid requestId) => _items;

    public override string KeyPath(int item) => $"{Path}.{_member}";
}
