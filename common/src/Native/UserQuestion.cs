namespace Optiks.Native;

/// <summary>
/// Describes one queried user, with the verifier's stored state of the user (docs/spec/users.md section 2). By default the verifier has no
/// stored state.
/// </summary>
/// <param name="Username">The username, 1..255 bytes.</param>
public sealed record UserQuestion(ReadOnlyMemory<byte> Username)
{
    /// <summary>The one device that the query names.</summary>
    /// <value>The default is empty, which asks for all devices.</value>
    public ReadOnlyMemory<byte> Device { get; init; }

    /// <summary>The largest epoch in the stored state that this question carries. An answer about an earlier epoch is stale.</summary>
    public ulong LeastEpoch { get; init; }

    /// <summary>The user id to which the username is known to lead.</summary>
    /// <value>The default is empty, which means that the user id is not known.</value>
    public ReadOnlyMemory<byte> UserId { get; init; }

    /// <summary>The generation in which the username leads to <see cref="UserId"/> (docs/spec/recycled-names.md).</summary>
    /// <value>The default is 0, which means that no user is known, or that the log does not reassign usernames.</value>
    public uint Generation { get; init; }

    /// <summary>Whether the user is known to have left.</summary>
    public bool HasLeft { get; init; }

    /// <summary>The known state of the device list. The list's own least epoch is at most the <see cref="LeastEpoch"/> of this
    /// question.</summary>
    public KnownKey ListVersion { get; init; }

    /// <summary>The DeviceList of the known version; empty if no version is known.</summary>
    public ReadOnlyMemory<byte> List { get; init; }

    /// <summary>The known keys, by device id in strictly increasing byte order.</summary>
    public IReadOnlyList<KnownDevice> Keys { get; init; } = [];
}
