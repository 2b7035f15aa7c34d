namespace Optiks.Storage;

/// <summary>The reason why a request was refused.</summary>
/// <param name="Reason">The rule by which the request was refused.</param>
/// <param name="Item">The first item that the reason applies to.</param>
/// <param name="Current">The latest version of that item's key when the request was refused.</param>
public sealed record Refusal(RefusalReason Reason, int Item, ExpectedVersion Current)
{
    /// <summary>
    /// The kind of requests that the rule applies to. Null for <see cref="RefusalReason.ExpectedVersion"/>, which applies to keys and to
    /// users, and for a number that this build does not know.
    /// </summary>
    public RequestKind? Kind => Reason switch
    {
        RefusalReason.UserLeft or RefusalReason.UserExists or RefusalReason.UserUnknown or RefusalReason.UsernameTaken
            or RefusalReason.DeviceTaken or RefusalReason.DeviceUnknown or RefusalReason.DeviceLimit => RequestKind.User,
        RefusalReason.LatestVersion or RefusalReason.UserNotLeft or RefusalReason.ErasureLimit or RefusalReason.OtherPeriod
            or RefusalReason.NothingLeft or RefusalReason.ErasedWithUser => RequestKind.Erasure,
        _ => null,
    };
}
