using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Holds the query in a request about the caller's own user, in the binary form that the native library needs. Also holds the names of the
/// members that the request has, because a refusal of the request names the member that is wrong.
/// </summary>
/// <param name="Octets">An encoded <see cref="UserMonitorQuery"/>.</param>
/// <param name="OwnOnly">Whether the caller may see only its own user's data.</param>
/// <param name="UserMember">The name of the request's member with the user id.</param>
/// <param name="NamesMember">The name of the request's member with the usernames.</param>
internal sealed record OwnUserQuery(byte[] Octets, bool OwnOnly, string UserMember, string NamesMember)
{
    /// <summary>Creates the problem for a query that the directory cannot answer.</summary>
    public ProblemException Unanswered(UserMonitorSummary summary) => summary.Unanswered switch
    {
        OwnUserUnanswered.NoUser => new ProblemException(new Problem(ProblemTypes.NotFound, "There is no such user.", $"$.{UserMember}")),
        OwnUserUnanswered.Name =>
            ClientPosition.NotCaughtUp(
                "A username that the client calls its own does not lead to its user on this replica.", $"$.{NamesMember}[{summary.Index}]"),
        OwnUserUnanswered.DeviceList =>
            ClientPosition.NotCaughtUp("The client has seen a later version of the device list than this replica has.", "$.from"),
        OwnUserUnanswered.DeviceKey =>
            ClientPosition.NotCaughtUp("The client has seen a later version of a device's key than this replica has.", "$.keys"),
        _ => new ProblemException(CallerRights.NotOwn("$.keys")),
    };
}
