using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.UpdateService.Endpoints;

/// <summary>StatusRights say what of a status its caller may be told (docs/spec/rest.md section 3).</summary>
internal sealed class StatusRights
{
    private readonly CallerRights _caller;
    private readonly bool _isOwnUsers;

    /// <summary>StatusRights of a caller who asks for a status.</summary>
    public StatusRights(CallerRights caller, RequestStatus status)
    {
        _caller = caller;
        ReadOnlyMemory<byte>? user = status.Items.Where(item => item.Structure is StructureId.Devices or StructureId.Decommissioned).Select(item => (ReadOnlyMemory<byte>?)item.Key).FirstOrDefault();
        _isOwnUsers = user is { IsEmpty: false } known && caller.IsOwnUser(known.Span);
        // Of a request that left the device list as it was, the user is not stored: its id is known to who sent it, and its keys are told to who owns them.
        bool isUnknownUsers = user is null && status.IsAboutUser && caller.HasUser;
        FirstOfOthers = isUnknownUsers ? null : status.Items.Where(item => !MayName(item)).Select(item => (int?)item.Item).FirstOrDefault();
    }

    /// <summary>FirstOfOthers is the number of the first item for which the caller is told nothing of the request; null: there is none.</summary>
    public int? FirstOfOthers { get; }

    /// <summary>MayName says whether the caller may be told an item's key.</summary>
    public bool MayName(PublishedItem item) => _isOwnUsers || !_caller.IsToken || (item.Structure == StructureId.Keys && _caller.Owns(item.Key.Span));
}
