namespace Optiks.Protocol;

/// <summary>Lists all users that a username led to (docs/spec/recycled-names.md section 2).</summary>
/// <param name="Record">The number of the record to which the proofs in <paramref name="Names"/> refer. The number 0 is the head's record,
/// and i is the record of the answer's i-th part.</param>
/// <param name="Names">The versions of the username, one for each user; their values are the user ids, in the order of the
/// generations.</param>
/// <param name="Left">The proofs that every user except the last has left.</param>
public sealed record Generations(byte Record, Versions Names, IReadOnlyList<UserEntry> Left)
{
    private const uint MaxLeftLength = (1u << 24) - 1;

    /// <summary>The users to whom the username led before, beginning with the first. These data are proven only if the answer was
    /// verified.</summary>
    public IReadOnlyList<EarlierUser> Earlier =>
        [.. Names.Members.Zip(Left, (name, left) => new EarlierUser(name.Value, name.Epoch, left.Member!.Epoch))];

    internal static Generations Decode(ref TlsReader reader) => new(
        reader.UInt8("generations.record"), Versions.Decode(ref reader),
        reader.Vector(0, MaxLeftLength, "generations.left", UserEntry.Decode));
}
