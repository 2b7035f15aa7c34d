namespace Optiks.Protocol;

/// <summary>
/// Holds an answer to an owner about its own user (docs/spec/user-monitor.md section 1), decoded for display. Its contents are not
/// verified.
/// </summary>
/// <param name="Head">The head that ties the answer to a checkpoint.</param>
/// <param name="Names">The entries of the queried usernames, in the query's order.</param>
/// <param name="Decommissioned">The user's entry in the structure <c>decommissioned</c>; if the entry is present, the user has
/// left.</param>
/// <param name="Devices">The versions of the device list; null if the user has left.</param>
/// <param name="Keys">The versions of the key of each followed device id, in increasing order of the ids.</param>
public sealed record UserMonitorAnswer(
    AnswerHead Head, IReadOnlyList<UserEntry> Names, UserEntry Decommissioned, Versions? Devices, IReadOnlyList<Versions> Keys)
{
    private const uint MaxNamesLength = (1u << 24) - 1;

    /// <summary>Decodes bytes that are one answer. Throws <see cref="EncodingException"/> if the bytes are invalid.</summary>
    public static UserMonitorAnswer Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        var head = AnswerHead.Decode(ref reader);
        List<UserEntry> names = reader.Vector(0, MaxNamesLength, "names", UserEntry.Decode);
        var decommissioned = UserEntry.Decode(ref reader);
        UserMonitorAnswer answer = decommissioned.Member is null
            ? new(head, names, decommissioned, Versions.Decode(ref reader), reader.Vector(0, uint.MaxValue, "keys", Versions.Decode))
            : new(head, names, decommissioned, null, []);
        reader.End("user monitor answer");
        return answer;
    }
}
