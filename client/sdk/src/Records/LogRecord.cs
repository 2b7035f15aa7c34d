using System.Collections.Immutable;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Encodes and decodes the records about the log itself: the head, the ends of periods, the cosigners, what is not audited yet, and the
/// fork (docs/spec/client-state.md section 3).
/// </summary>
internal static class LogRecord
{
    private const int HashLength = 32;
    private const uint MaxShort = 0xFFFF;
    private const byte ForkBreach = 0;
    private const byte LeafBreach = 1;

    public static byte[] EncodeHead(HeadState head) => RecordBody.Encode(writer =>
    {
        writer.UInt64(head.Size);
        writer.Octets(RequireHash(head.Root));
        writer.Vector(RecordBody.MaxList, head.Checkpoint);
        writer.Vector(MaxShort, head.Record);
    });

    public static HeadState DecodeHead(ReadOnlyMemory<byte> body) => RecordBody.Decode(body, "head", (ref TlsReader reader) =>
        new HeadState
        {
            Size = reader.UInt64("size"),
            Root = reader.Take(HashLength, "root").ToArray(),
            Checkpoint = reader.Vector(1, RecordBody.MaxList, "checkpoint").ToArray(),
            Record = reader.Vector(1, MaxShort, "record").ToArray(),
        });

    public static byte[] EncodeEnd(byte[] record) => RecordBody.Encode(writer => writer.Vector(MaxShort, record));

    public static byte[] DecodeEnd(ReadOnlyMemory<byte> body) =>
        RecordBody.Decode(body, "end", (ref TlsReader reader) => reader.Vector(1, MaxShort, "record").ToArray());

    public static byte[] EncodeCosigners(IReadOnlyDictionary<string, CosignerState> cosigners) => RecordBody.Encode(
        writer => writer.List(cosigners.OrderBy(one => one.Key, StringComparer.Ordinal), (list, one) =>
        {
            list.Vector(MaxShort, Encoding.UTF8.GetBytes(one.Key));
            list.UInt64(one.Value.Size);
            list.Octets(RequireHash(one.Value.Root));
            list.Vector(RecordBody.MaxList, one.Value.Checkpoint);
        }));

    public static ImmutableDictionary<string, CosignerState> DecodeCosigners(ReadOnlyMemory<byte> body)
    {
        ImmutableArray<KeyValuePair<string, CosignerState>> all = RecordBody.Decode(body, "cosigners", (ref TlsReader reader) =>
            reader.ReadList("cosigners", (ref TlsReader list) => KeyValuePair.Create(
                ReadText(ref list, "vkey"),
                new CosignerState
                {
                    Size = list.UInt64("size"),
                    Root = list.Take(HashLength, "root").ToArray(),
                    Checkpoint = list.Vector(1, RecordBody.MaxList, "checkpoint").ToArray(),
                })));
        for (int i = 1; i < all.Length; i++)
        {
            if (string.CompareOrdinal(all[i - 1].Key, all[i].Key) >= 0)
            {
                throw new EncodingException("cosigners: the verifier keys are not in order");
            }
        }
        return all.ToImmutableDictionary();
    }

    public static byte[] EncodeUnaudited(IEnumerable<Belief> beliefs) => RecordBody.Encode(writer => writer.List(beliefs, (list, belief) =>
    {
        list.UInt64(belief.Epoch);
        list.Octets(RequireHash(RecordBody.FromText(belief.RecordHash)));
        // A clock before 1970 must not make the state unusable, so the time is written in two's complement.
        list.UInt64(unchecked((ulong)belief.BelievedAtMs));
        list.UInt64(belief.FromEpoch);
        list.Optional(belief.Key, (one, key) => one.Id(key));
        list.UInt64(belief.Version);
        list.Hash(belief.ValueSha256);
    }));

    public static ImmutableArray<Belief> DecodeUnaudited(ReadOnlyMemory<byte> body) =>
        RecordBody.Decode(body, "unaudited", (ref TlsReader reader) => reader.ReadList("beliefs", (ref TlsReader list) => new Belief(
            list.UInt64("epoch"), Base64UrlText.Encode(list.Take(HashLength, "record").Span),
            unchecked((long)list.UInt64("believed_ms")), list.UInt64("from_epoch"),
            list.ReadOptional("key", (ref TlsReader one) => one.ReadId("key")), list.UInt64("version"), list.ReadHash("value"))));

    public static byte[] EncodeFork(ForkState fork) => RecordBody.Encode(writer =>
    {
        writer.UInt8(fork.Breach switch
        {
            null => ForkBreach,
            Reason.LeafContradicts => LeafBreach,
            _ => throw new FormatException("A fork has another reason."),
        });
        writer.Vector(MaxShort, Encoding.UTF8.GetBytes(fork.EvidencePath));
    });

    public static ForkState DecodeFork(ReadOnlyMemory<byte> body) => RecordBody.Decode(body, "fork", (ref TlsReader reader) =>
    {
        Reason? breach = reader.UInt8("breach") switch
        {
            ForkBreach => null,
            LeafBreach => Reason.LeafContradicts,
            _ => throw new EncodingException(Reason.MalformedEnum, "breach"),
        };
        return new ForkState(ReadText(ref reader, "evidence"), breach);
    });

    private static string ReadText(ref TlsReader reader, string what)
    {
        ReadOnlySpan<byte> octets = reader.Vector(1, MaxShort, what).Span;
        string text = Encoding.UTF8.GetString(octets);
        // Octets that are not UTF-8 would become another text, so the record would not encode to the same octets again.
        return Encoding.UTF8.GetBytes(text).AsSpan().SequenceEqual(octets)
            ? text
            : throw new EncodingException(Reason.MalformedEnum, what);
    }

    private static byte[] RequireHash(byte[] hash) =>
        hash.Length == HashLength ? hash : throw new FormatException("A hash has another length.");
}
