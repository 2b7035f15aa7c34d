using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.UpdateService.Endpoints;

/// <summary>Decides how much of a status its caller may see (docs/spec/rest.md section 3).</summary>
internal sealed class StatusRights
{
    private readonly CallerRights _caller;
    private readonly bool _isOwnUsers;

    /// <summary>Takes the caller that asks for a status, and the status.</summary>
    public StatusRights(CallerRights caller, RequestStatus status)
    {
        _caller = caller;
        ReadOnlyMemory<byte>? user = status.Items.Where(item => item.Structure is StructureId.Devices or StructureId.Decommissioned).Select(item => (ReadOnlyMemory<byte>?)item.Key).FirstOrDefault();
        _isOwnUsers = user is { IsEmpty: false } known && caller.IsOwnUser(known.Span);
        // If a request left the device list as it was, the database does not store the request's user. The caller then sees the request,
        // because only its sender knows its id. It sees only its own keys in it.
        bool isUnknownUsers = user is null && status.IsAboutUser && caller.HasUser;
        FirstOfOthers = isUnknownUsers ? null : status.Items.Where(item => !MayName(item)).Select(item => (int?)item.Item).FirstOrDefault();
    }

    /// <summary>
    /// The number of the first item because of which the caller sees nothing of the request; null if there is no such item.
    /// </summary>
    public int? FirstOfOthers { get; }

    /// <summary>Returns whether the caller may see an item's key.</summary>
    public bool MayName(PublishedItem item) => _isOwnUsers || !_caller.IsToken || (item.Structure == StructureId.Keys && _caller.Owns(item.Key.Span));
}
