using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Encodes and decodes the record of a chain (docs/spec/client-state.md section 3). The octets of an owned list are another record.
/// </summary>
internal static class ChainRecord
{
    private const byte ValueKind = 1;
    private const byte ListKind = 2;
    private const int HashLength = 32;

    // The reasons of alarms in the order of their numbers; the first one is an alarm about a version that the owner did not set.
    private static readonly Reason?[] s_reasons = [null, Reason.HandoverUnset, Reason.HandoverMissing, Reason.HandoverValue];

    public static byte[] Encode(Chain chain) => RecordBody.Encode(writer =>
    {
        writer.Optional(chain.Seen, WriteSeen);
        writer.Optional(chain.Own, WriteOwn);
    });

    public static Chain Decode(ReadOnlyMemory<byte> body) => RecordBody.Decode(body, "chain", (ref TlsReader reader) =>
        new Chain { Seen = reader.ReadOptional("seen", ReadSeen), Own = reader.ReadOptional("own", ReadOwn) });

    private static void WriteSeen(TlsWriter writer, Seen seen)
    {
        writer.UInt64(seen.LeastEpoch);
        WriteCursor(writer, seen.At);
        writer.UInt64(seen.PublishedEpoch);
        writer.Bool(seen.NotCopied);
    }

    private static Seen ReadSeen(ref TlsReader reader) => new()
    {
        LeastEpoch = reader.UInt64("least"),
        At = ReadCursor(ref reader),
        PublishedEpoch = reader.UInt64("published"),
        NotCopied = reader.ReadBool("not_copied"),
    };

    private static void WriteCursor(TlsWriter writer, Cursor cursor)
    {
        writer.UInt64(cursor.Period);
        writer.UInt64(cursor.Version);
        writer.UInt64(cursor.Time);
        writer.Optional(cursor.AbsentEpoch);
        writer.Optional(cursor.ProvenEpoch);
        writer.Hash(cursor.ValueSha256);
    }

    private static Cursor ReadCursor(ref TlsReader reader) => new()
    {
        Period = reader.UInt64("period"),
        Version = reader.UInt64("version"),
        Time = reader.UInt64("time"),
        AbsentEpoch = reader.ReadOptional("absent"),
        ProvenEpoch = reader.ReadOptional("proven"),
        ValueSha256 = reader.ReadHash("value"),
    };

    private static void WriteOwn(TlsWriter writer, Own own)
    {
        writer.Bool(own.IsListedOnly);
        writer.Optional(own.At, WriteCursor);
        writer.List(own.Expected, WriteExpected);
        writer.List(own.Alarms, WriteAlarm);
        writer.List(own.NoGuarantee, WriteMissed);
    }

    private static Own ReadOwn(ref TlsReader reader) => new()
    {
        IsListedOnly = reader.ReadBool("listed_only"),
        At = reader.ReadOptional("at", ReadCursor),
        Expected = reader.ReadList<Expected>("expected", ReadExpected),
        Alarms = reader.ReadList<Alarm>("alarms", ReadAlarm),
        NoGuarantee = reader.ReadList<Missed>("no_guarantee", ReadMissed),
    };

    private static void WriteExpected(TlsWriter writer, Expected expected)
    {
        writer.Guid(expected.RequestId);
        writer.Bool(expected.IsOvertaken);
        if (expected.ValueSha256 is { } hash)
        {
            writer.UInt8(ValueKind);
            writer.Octets(RecordBody.FromHex(hash));
            return;
        }
        writer.UInt8(ListKind);
        writer.Ids(expected.Added);
        writer.Ids(expected.Removed);
    }

    private static Expected ReadExpected(ref TlsReader reader)
    {
        Guid request = reader.ReadGuid("request");
        bool isOvertaken = reader.ReadBool("overtaken");
        return reader.UInt8("kind") switch
        {
            ValueKind => new Expected(request, Convert.ToHexStringLower(reader.Take(HashLength, "sha256").Span))
            {
                IsOvertaken = isOvertaken,
            },
            ListKind => new Expected(request)
            {
                IsOvertaken = isOvertaken,
                Added = reader.ReadIds("added"),
                Removed = reader.ReadIds("removed"),
            },
            _ => throw new EncodingException(Reason.MalformedEnum, "kind"),
        };
    }

    private static void WriteAlarm(TlsWriter writer, Alarm alarm)
    {
        int why = Array.IndexOf(s_reasons, alarm.Handover);
        writer.UInt8(why >= 0 ? (byte)why : throw new FormatException("An alarm about a hand-over has another reason."));
        writer.UInt64(alarm.Period);
        writer.UInt64(alarm.Version);
        writer.UInt64(alarm.Epoch);
        writer.Hash(alarm.ValueSha256);
    }

    private static Alarm ReadAlarm(ref TlsReader reader)
    {
        byte why = reader.UInt8("why");
        return why < s_reasons.Length
            ? new Alarm(reader.UInt64("period"), reader.UInt64("version"), reader.UInt64("epoch"), reader.ReadHash("value"), s_reasons[why])
            : throw new EncodingException(Reason.MalformedEnum, "why");
    }

    private static void WriteMissed(TlsWriter writer, Missed missed)
    {
        writer.UInt64(missed.Period);
        writer.UInt64(missed.FromEpoch);
        writer.UInt64(missed.ToEpoch);
        writer.Bool(missed.IsAccepted);
    }

    private static Missed ReadMissed(ref TlsReader reader) =>
        new(reader.UInt64("period"), reader.UInt64("from_epoch"), reader.UInt64("to_epoch"), reader.ReadBool("accepted"));
}
