namespace Optiks.Native;

/// <summary>
/// OwnUserQuestion is an owner's question about its own user, and what the verifier keeps of the user (docs/spec/user-monitor.md section 2). The default keeps nothing.
/// </summary>
/// <param name="UserId">User id, 1..255 octets.</param>
public sealed record OwnUserQuestion(ReadOnlyMemory<byte> UserId)
{
    /// <summary>Names that are to be shown to lead to the user.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> Names { get; init; } = [];

    /// <summary>LeastEpoch is the largest of the epochs that are kept with all that is brought here: an answer about an earlier one is stale.</summary>
    public ulong LeastEpoch { get; init; }

    /// <summary>HasLeft: the user is known to have left.</summary>
    public bool HasLeft { get; init; }

    /// <summary>ListVersion is what is known of the device list; its least epoch is part of <see cref="LeastEpoch"/>.</summary>
    public KnownKey ListVersion { get; init; }

    /// <summary>List is the kept list; empty when there is none.</summary>
    public ReadOnlyMemory<byte> List { get; init; }

    /// <summary>Keys are the ids that the query names, in strictly increasing order, octet by octet, with what is known of each.</summary>
    public IReadOnlyList<KnownDevice> Keys { get; init; } = [];
}
