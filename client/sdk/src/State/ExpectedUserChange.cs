using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>A request about a user, made with this state, that the log has not shown yet.</summary>
/// <param name="RequestId">Id of the request.</param>
/// <param name="Added">Ids of the devices that the request adds to the list, in base64url.</param>
/// <param name="Removed">Ids of the devices that the request removes from the list, in base64url.</param>
/// <param name="Leaves">Whether the request makes the user leave.</param>
/// <param name="IsOvertaken">
/// Whether the log showed a later request by the owner first. If the log still publishes this request, this request undoes the later one.
/// </param>
public sealed record ExpectedUserChange(Guid RequestId, ImmutableArray<string> Added, ImmutableArray<string> Removed, bool Leaves,
    bool IsOvertaken = false) : IExpected<ExpectedUserChange>
{
    ExpectedUserChange IExpected<ExpectedUserChange>.Overtaken() => IsOvertaken ? this : this with { IsOvertaken = true };

    /// <summary>Tells whether two changes belong to one request and expect the same effect.</summary>
    internal bool IsSame(ExpectedUserChange other) =>
        RequestId == other.RequestId && Leaves == other.Leaves && Added.SequenceEqual(other.Added) && Removed.SequenceEqual(other.Removed);

    /// <summary>Tells whether the request turns the first given list of devices into the second one.</summary>
    internal bool Makes(IReadOnlySet<string> before, IReadOnlySet<string> after)
    {
        var made = new HashSet<string>(before, StringComparer.Ordinal);
        made.ExceptWith(Removed);
        made.UnionWith(Added);
        return !Leaves && made.SetEquals(after);
    }
}
