namespace Optiks.Native;

/// <summary>
/// Describes an owner's question about its own user, with the verifier's stored state of the user (docs/spec/user-monitor.md section 2).
/// The default keeps nothing.
/// </summary>
/// <param name="UserId">The user id, 1..255 bytes.</param>
public sealed record OwnUserQuestion(ReadOnlyMemory<byte> UserId)
{
    /// <summary>The names that the answer must show to lead to the user.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> Names { get; init; } = [];

    /// <summary>The largest epoch among everything that this question carries: an answer about an earlier epoch is stale.</summary>
    public ulong LeastEpoch { get; init; }

    /// <summary>Whether the user is known to have left.</summary>
    public bool HasLeft { get; init; }

    /// <summary>The known state of the device list; its least epoch is part of <see cref="LeastEpoch"/>.</summary>
    public KnownKey ListVersion { get; init; }

    /// <summary>The kept list; empty if nothing is kept.</summary>
    public ReadOnlyMemory<byte> List { get; init; }

    /// <summary>The ids that the query names, in strictly increasing byte order, with the known state of each.</summary>
    public IReadOnlyList<KnownDevice> Keys { get; init; } = [];
}
