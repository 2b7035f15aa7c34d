using Optiks.Native;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Holds the queries of one request about users, in the binary form that the native library needs, so that users and devices do not need
/// objects of their own.
/// </summary>
internal sealed class UserQueries : IDisposable
{
    private readonly PooledWriter _octets;

    /// <summary>Copies an encoded UserQueryList that has the given number of queries (<paramref name="count"/>).</summary>
    public UserQueries(ReadOnlySpan<byte> octets, int count, bool isBinary, bool isList, AnswerLease lease)
    {
        _octets = new PooledWriter(lease, octets.Length);
        _octets.Append(octets);
        Count = count;
        IsBinary = isBinary;
        IsList = isList;
    }

    public int Count { get; }

    public ReadOnlySpan<byte> Octets => _octets.Written.Span;

    // Whether the request was in the binary form. A refusal of the request names the field that is wrong, and this name depends on the
    // form.
    private bool IsBinary { get; }

    private bool IsList { get; }

    /// <summary>Creates the problem for a client that has seen a later version than this replica has.</summary>
    public ProblemException NotCaughtUp(UsersSummary summary)
    {
        (string detail, string member) = summary.AheadOf switch
        {
            KnownOfUser.UserId => ("The client knows a user id for a username that leads to no user on this replica.",
                IsBinary ? "knows_user" : "known.user"),
            KnownOfUser.DeviceList =>
                ("The client has seen a later version of the device list than this replica has.", IsBinary ? "devices" : "known.devices"),
            _ => ("The client has seen a later version of a device's key than this replica has.", IsBinary ? "keys" : "known.keys"),
        };
        return ClientPosition.NotCaughtUp(detail, IsBinary || IsList ? $"$[{summary.AheadUser}].{member}" : $"$.{member}");
    }

    public void Dispose() => _octets.Dispose();
}
