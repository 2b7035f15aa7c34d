namespace Optiks.Storage;

/// <summary>The state and result of a request.</summary>
/// <param name="State">Whether the request is pending, published or refused.</param>
/// <param name="Kind">
/// The kind of the request. It is known for every published request and for every refused erasure. It is null if the request is pending,
/// because the outcomes of its items tell the kind. It is also null if an update was refused for a rule that applies to keys and to users
/// (<see cref="Refusal.Kind"/>).
/// </param>
/// <param name="Epoch">The epoch that decided the request; 0 while it is pending.</param>
/// <param name="Items">The items that have a leaf, in order; empty if the request is not published.</param>
/// <param name="Refusal">The reason why the request was refused; null if it was not refused.</param>
public sealed record RequestStatus(
    RequestState State, RequestKind? Kind, ulong Epoch, IReadOnlyList<PublishedItem> Items, Refusal? Refusal)
{
    /// <summary>The status of a request that no epoch has decided yet.</summary>
    public static RequestStatus Pending { get; } = new(RequestState.Pending, null, 0, [], null);
}
