namespace Optiks.Protocol;

/// <summary>Holds the answer about one user (docs/spec/users.md section 1, docs/spec/recycled-names.md section 2).</summary>
/// <param name="Kind">The number of the user's kind: 0 if the username leads to no user, 1 if the user has left, 2 if the user is
/// current.</param>
/// <param name="Name">The entry of the username; null if the answer omits the entry because the client knows the user id, or if there are
/// <see cref="Generations"/>.</param>
/// <param name="Decommissioned">The user's entry in the structure <c>decommissioned</c>; null if the username leads to no user.</param>
/// <param name="Devices">The device list; null unless the user is current.</param>
/// <param name="Keys">The latest versions of the devices' keys, in the order of the device list; only the queried device's key if the query
/// names a device.</param>
public sealed record UserLookup(
    byte Kind, UserEntry? Name, UserEntry? Decommissioned, VersionedEntry? Devices, IReadOnlyList<VersionedEntry> Keys)
{
    /// <summary>The number that is added to the encoded kind if the answer has <see cref="Generations"/>.</summary>
    public const byte ByGenerations = 4;

    private const byte NoUser = 0;
    private const byte Current = 2;

    /// <summary>The generations of the username in a log that reassigns usernames; null in other logs.</summary>
    public Generations? Generations { get; init; }

    internal static UserLookup Decode(ref TlsReader reader)
    {
        byte encoded = reader.UInt8("user.kind");
        byte kind = (byte)(encoded % ByGenerations);
        if (kind > Current || encoded >= 2 * ByGenerations)
        {
            throw new EncodingException(Reason.MalformedEnum, "user.kind");
        }
        Generations? generations = encoded >= ByGenerations ? Protocol.Generations.Decode(ref reader) : null;
        UserEntry? name = generations is not null ? null : reader.UInt8("user.name") switch
        {
            0 => null,
            1 => UserEntry.Decode(ref reader),
            _ => throw new EncodingException(Reason.MalformedEnum, "user.name"),
        };
        UserEntry? decommissioned = kind == NoUser ? null : UserEntry.Decode(ref reader);
        UserLookup user = kind == Current
            ? new UserLookup(kind, name, decommissioned, VersionedEntry.Decode(ref reader),
                reader.Vector(0, uint.MaxValue, "user.keys", VersionedEntry.Decode))
            : new UserLookup(kind, name, decommissioned, null, []);
        return user with { Generations = generations };
    }
}
