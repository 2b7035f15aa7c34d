using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>ParsedUpdates is a body of <c>POST /v1/updates</c> that obeys every rule that needs no database.</summary>
/// <param name="IsList">Whether the body is a list; its answer is one too.</param>
/// <param name="Requests">The elements in order; exactly one unless the body is a list.</param>
internal sealed record ParsedUpdates(bool IsList, IReadOnlyList<ParsedRequest> Requests);

/// <summary>ParsedRequest is one element of a body.</summary>
/// <param name="Index">Its index in the list; null unless the body is a list.</param>
/// <param name="RequestId">The caller's id; null when it gave none.</param>
/// <param name="IsAtomic">Whether it was written with <c>items</c>.</param>
/// <param name="Items">1 to <see cref="Limits.ItemsPerRequest"/> updates, no key twice.</param>
/// <param name="KeyMembers">Whether each item's key was given as octets (<c>key_b64</c>), to name the right member in a problem.</param>
internal sealed record ParsedRequest(int? Index, Guid? RequestId, bool IsAtomic, IReadOnlyList<AcceptItem> Items, IReadOnlyList<bool> KeyMembers)
{
    /// <summary>RequestIdPath is the JSON path of the id.</summary>
    public string RequestIdPath => $"{Path}.request_id";

    private string Path => Index is { } index ? $"$[{index}]" : "$";

    /// <summary>KeyPath is the JSON path of an item's key.</summary>
    public string KeyPath(int item) => $"{Path}{(IsAtomic ? $".items[{item}]" : "")}.{(KeyMembers[item] ? "key_b64" : "key")}";
}
