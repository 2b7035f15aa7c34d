using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// The record that every commit writes: which log the state is of, how many commits made it, and the XOR of the hashes of all other records
/// (docs/spec/client-state.md section 3.1).
/// </summary>
internal sealed record StateMeta(ReadOnlyMemory<byte> LogId, ulong Revision, ReadOnlyMemory<byte> SetHash)
{
    private const byte Form = 1;
    private const int LogIdLength = 32;

    public byte[] Encode()
    {
        var writer = new TlsWriter();
        writer.UInt8(Form);
        writer.Octets(LogId);
        writer.UInt64(Revision);
        writer.Octets(SetHash);
        return writer.ToArray();
    }

    public static StateMeta Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        if (reader.UInt8("form") != Form)
        {
            throw new EncodingException(Reason.MalformedEnum, "form");
        }
        var meta = new StateMeta(reader.Take(LogIdLength, "log id"), reader.UInt64("revision"), reader.Take(RecordHash.Length, "set hash"));
        reader.End("meta");
        return meta;
    }
}
