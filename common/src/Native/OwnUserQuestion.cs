namespace Optiks.Native;

/// <summary>
/// Describes an owner's question about its own user, with the verifier's stored state of the user (docs/spec/user-monitor.md section 2). By
/// default the verifier has no stored state.
/// </summary>
/// <param name="UserId">The user id, 1..255 bytes.</param>
public sealed record OwnUserQuestion(ReadOnlyMemory<byte> UserId)
{
    /// <summary>The usernames that the answer must prove to lead to the user.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> Names { get; init; } = [];

    /// <summary>The largest epoch in the stored state that this question carries. An answer about an earlier epoch is stale.</summary>
    public ulong LeastEpoch { get; init; }

    /// <summary>Whether the user is known to have left.</summary>
    public bool HasLeft { get; init; }

    /// <summary>The known state of the device list. The list's own least epoch is at most the <see cref="LeastEpoch"/> of this
    /// question.</summary>
    public KnownKey ListVersion { get; init; }

    /// <summary>The device list that the verifier has stored; empty if it has stored no list.</summary>
    public ReadOnlyMemory<byte> List { get; init; }

    /// <summary>
    /// The device ids that the query names, in strictly increasing byte order, with the known state of each device's key.
    /// </summary>
    public IReadOnlyList<KnownDevice> Keys { get; init; } = [];
}
