namespace Optiks.Native;

/// <summary>
/// UserQuestion is one user who was asked about, and what the verifier keeps of the user (docs/spec/users.md section 2). The default keeps nothing.
/// </summary>
/// <param name="Username">Username, 1..255 octets.</param>
public sealed record UserQuestion(ReadOnlyMemory<byte> Username)
{
    /// <summary>Device is the one device that was asked.</summary>
    /// <value>Empty: all devices.</value>
    public ReadOnlyMemory<byte> Device { get; init; }

    /// <summary>LeastEpoch is the largest of the epochs that are kept with all that is brought here: an answer about an earlier one is stale.</summary>
    public ulong LeastEpoch { get; init; }

    /// <summary>UserId that the username is known to lead to.</summary>
    /// <value>Empty: not known.</value>
    public ReadOnlyMemory<byte> UserId { get; init; }

    /// <summary>Generation of the username, in which it leads to <see cref="UserId"/> (docs/spec/recycled-names.md).</summary>
    /// <value>0: no user is known, or usernames are not used again.</value>
    public uint Generation { get; init; }

    /// <summary>HasLeft: the user is known to have left.</summary>
    public bool HasLeft { get; init; }

    /// <summary>ListVersion is what is known of the device list; its least epoch is part of <see cref="LeastEpoch"/>.</summary>
    public KnownKey ListVersion { get; init; }

    /// <summary>List is the DeviceList of the known version; empty when no version is known.</summary>
    public ReadOnlyMemory<byte> List { get; init; }

    /// <summary>Keys that are known, by device id in strictly increasing order, octet by octet.</summary>
    public IReadOnlyList<KnownDevice> Keys { get; init; } = [];
}
