using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>ParsedErasure is one erasure of a body.</summary>
internal sealed class ParsedErasure : ParsedRequest
{
    private readonly AcceptItem[] _items;
    private readonly string _member;

    /// <summary>ParsedErasure of a body.</summary>
    /// <param name="index">Its index in the list; null unless the body is a list.</param>
    /// <param name="requestId">The caller's id; null when it gave none.</param>
    /// <param name="item">What is asked for.</param>
    /// <param name="member">Name of the member that gave the key or the user.</param>
    public ParsedErasure(int? index, Guid? requestId, AcceptItem item, string member)
        : base(index, requestId)
    {
        _items = [item];
        _member = member;
    }

    public override IReadOnlyList<AcceptItem> ItemsOf(Guid requestId) => _items;

    public override string KeyPath(int item) => $"{Path}.{_member}";
}
