using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Encodes and decodes the record of a user, and the record of a username (docs/spec/client-state.md section 3).</summary>
internal static class PersonRecord
{
    private const byte LeftKind = 1;
    private const byte ElsewhereKind = 2;

    public static byte[] Encode(Person person) => RecordBody.Encode(writer =>
    {
        writer.Optional(person.LeftEpoch);
        writer.Optional(person.Own, WriteOwn);
    });

    public static Person Decode(ReadOnlyMemory<byte> body) => RecordBody.Decode(body, "person", (ref TlsReader reader) =>
        new Person { LeftEpoch = reader.ReadOptional("left"), Own = reader.ReadOptional("own", ReadOwn) });

    public static byte[] EncodeName(NameState name) => RecordBody.Encode(writer =>
    {
        writer.UInt64(name.LeastEpoch);
        writer.Optional(name.User, (user, id) =>
        {
            user.Id(id);
            user.Bool(name.Generation is not null);
            if (name.Generation is { } generation)
            {
                user.UInt32(generation);
            }
            user.Optional(name.ProvenEpoch);
        });
    });

    public static NameState DecodeName(ReadOnlyMemory<byte> body) => RecordBody.Decode(body, "name", (ref TlsReader reader) =>
    {
        ulong least = reader.UInt64("least");
        return !reader.ReadBool("user")
            ? new NameState { LeastEpoch = least }
            : new NameState
            {
                LeastEpoch = least,
                User = reader.ReadId("user"),
                Generation = reader.ReadBool("generation") ? reader.UInt32("generation") : null,
                ProvenEpoch = reader.ReadOptional("proven"),
            };
    });

    private static void WriteOwn(TlsWriter writer, OwnPerson own)
    {
        writer.Optional(own.GoesOnFrom);
        writer.Bool(own.HasLeft);
        writer.Ids(own.Names);
        writer.Ids(own.Followed);
        writer.List(own.Leaving, (list, request) => list.Guid(request));
        writer.List(own.Alarms, WriteAlarm);
    }

    private static OwnPerson ReadOwn(ref TlsReader reader) => new()
    {
        GoesOnFrom = reader.ReadOptional("goes_on_from"),
        HasLeft = reader.ReadBool("has_left"),
        Names = reader.ReadIds("names"),
        Followed = reader.ReadIds("followed"),
        Leaving = reader.ReadList("leaving", (ref TlsReader list) => list.ReadGuid("leaving")),
        Alarms = reader.ReadList<PersonAlarm>("alarms", ReadAlarm),
    };

    private static void WriteAlarm(TlsWriter writer, PersonAlarm alarm)
    {
        writer.UInt8(alarm.Name is null ? LeftKind : ElsewhereKind);
        writer.UInt64(alarm.Epoch);
        if (alarm.Name is { } name)
        {
            writer.Id(name);
            writer.Id(alarm.User ?? throw new FormatException("An alarm about a name has no user."));
        }
    }

    private static PersonAlarm ReadAlarm(ref TlsReader reader)
    {
        byte kind = reader.UInt8("kind");
        ulong epoch = reader.UInt64("epoch");
        return kind switch
        {
            LeftKind => new PersonAlarm(epoch),
            ElsewhereKind => new PersonAlarm(epoch, reader.ReadId("name"), reader.ReadId("user")),
            _ => throw new EncodingException(Reason.MalformedEnum, "kind"),
        };
    }
}
