using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.UpdateService.Endpoints;

/// <summary>Decides how much of a status its caller may see (docs/spec/rest.md section 3).</summary>
internal sealed class StatusRights
{
    private readonly CallerRights _caller;
    private readonly bool _isOwnUsers;

    /// <summary>Creates the rights of the caller that asks for the given status.</summary>
    public StatusRights(CallerRights caller, RequestStatus status)
    {
        _caller = caller;
        ReadOnlyMemory<byte>? user = status.Items.Where(item => item.Structure is StructureId.Devices or StructureId.Decommissioned)
            .Select(item => (ReadOnlyMemory<byte>?)item.Key).FirstOrDefault();
        _isOwnUsers = user is { IsEmpty: false } known && caller.IsOwnUser(known.Span);
        // If a request did not change the device list, the database does not store the request's user. The caller may then see the request,
        // because only its sender knows its id. But the caller sees only its own keys in it.
        bool isUnknownUsers = user is null && status.Kind == RequestKind.User && caller.HasUser;
        FirstOfOthers = isUnknownUsers ? null : status.Items.Where(item => !MayName(item)).Select(item => (int?)item.Item).FirstOrDefault();
    }

    /// <summary>
    /// The number of the first item that the caller may not see; null if there is no such item. If it is not null, the service shows the
    /// caller nothing of the request.
    /// </summary>
    public int? FirstOfOthers { get; }

    /// <summary>Returns whether the caller may see an item's key.</summary>
    public bool MayName(PublishedItem item) =>
        _isOwnUsers || !_caller.IsToken || (item.Structure == StructureId.Keys && _caller.Owns(item.Key.Span));
}
