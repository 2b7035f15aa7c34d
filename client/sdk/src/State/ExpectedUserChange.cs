using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>ExpectedUserChange is a request about a user made here that the log has not shown yet.</summary>
/// <param name="RequestId">Id of the request.</param>
/// <param name="Added">Ids of the devices that come onto the list, in base64url.</param>
/// <param name="Removed">Ids of those that leave it, in base64url.</param>
/// <param name="Leaves">The user leaves.</param>
/// <param name="IsOvertaken">A later request made here was seen first: should this one come now, it would undo that.</param>
public sealed record ExpectedUserChange(Guid RequestId, ImmutableArray<string> Added, ImmutableArray<string> Removed, bool Leaves, bool IsOvertaken = false) : IExpected<ExpectedUserChange>
{
    ExpectedUserChange IExpected<ExpectedUserChange>.Overtaken() => IsOvertaken ? this : this with { IsOvertaken = true };

    /// <summary>IsSame tells whether two are of one request and expect the same.</summary>
    internal bool IsSame(ExpectedUserChange other) =>
        RequestId == other.RequestId && Leaves == other.Leaves && Added.SequenceEqual(other.Added) && Removed.SequenceEqual(other.Removed);

    /// <summary>Makes tells whether the request makes the second of two lists of the first.</summary>
    internal bool Makes(IReadOnlySet<string> before, IReadOnlySet<string> after)
    {
        var made = new HashSet<string>(before, StringComparer.Ordinal);
        made.ExceptWith(Removed);
        made.UnionWith(Added);
        return !Leaves && made.SetEquals(after);
    }
}
