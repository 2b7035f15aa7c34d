using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>The question of one request about the caller's own user, in the binary form that the native library takes, and how it was written, for the field of a problem.</summary>
/// <param name="Octets">A <see cref="UserMonitorQuery"/>.</param>
/// <param name="OwnOnly">The caller may see no other user.</param>
/// <param name="UserMember">Where the user id stands.</param>
/// <param name="NamesMember">Where the names stand.</param>
internal sealed record OwnUserQuery(byte[] Octets, bool OwnOnly, string UserMember, string NamesMember)
{
    /// <summary>The problem of a question that is not answered.</summary>
    public ProblemException Unanswered(UserMonitorSummary summary) => summary.Unanswered switch
    {
        OwnUserUnanswered.NoUser => new ProblemException(new Problem(ProblemTypes.NotFound, "There is no such user.", $"$.{UserMember}")),
        OwnUserUnanswered.NameLeadsNowhere => ClientPosition.NotCaughtUp("A name that the client calls its own leads nowhere here.", $"$.{NamesMember}[{summary.Index}]"),
        OwnUserUnanswered.OtherUser => new ProblemException(CallerRights.NotOwnUser($"$.{NamesMember}[{summary.Index}]")),
        OwnUserUnanswered.DeviceList => ClientPosition.NotCaughtUp("The client has seen a later version of the device list than there is here.", "$.from"),
        OwnUserUnanswered.DeviceKey => ClientPosition.NotCaughtUp("The client has seen a later version of a device's key than there is here.", "$.keys"),
        _ => new ProblemException(CallerRights.NotOwn("$.keys")),
    };
}
