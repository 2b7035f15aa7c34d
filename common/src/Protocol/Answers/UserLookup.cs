namespace Optiks.Protocol;

/// <summary>UserLookup is the answer about one user (docs/spec/users.md section 1).</summary>
/// <param name="Kind">0: no such user, 1: the user has left, 2: a current user.</param>
/// <param name="Name">Entry of the username; null: left out, as the user id is known.</param>
/// <param name="Decommissioned">Null: no such user.</param>
/// <param name="Devices">The device list; null unless current.</param>
/// <param name="Keys">Of the devices in the order of the list, or of the one that was asked.</param>
public sealed record UserLookup(byte Kind, UserEntry? Name, UserEntry? Decommissioned, VersionedEntry? Devices, IReadOnlyList<VersionedEntry> Keys)
{
    private const byte NoUser = 0;
    private const byte Current = 2;

    internal static UserLookup Decode(ref TlsReader reader)
    {
        byte kind = reader.UInt8("user.kind");
        if (kind > Current)
        {
            throw new EncodingException(Reason.MalformedEnum, "user.kind");
        }
        UserEntry? name = reader.UInt8("user.name") switch
        {
            0 => null,
            1 => UserEntry.Decode(ref reader),
            _ => throw new EncodingException(Reason.MalformedEnum, "user.name"),
        };
        UserEntry? decommissioned = kind == NoUser ? null : UserEntry.Decode(ref reader);
        return kind == Current
            ? new UserLookup(kind, name, decommissioned, VersionedEntry.Decode(ref reader), reader.Vector(0, uint.MaxValue, "user.keys", VersionedEntry.Decode))
            : new UserLookup(kind, name, decommissioned, null, []);
    }
}
