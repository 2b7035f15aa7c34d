using System.Collections.Immutable;
using System.Security.Cryptography;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Tests the encoding of each record of a client's state (docs/spec/client-state.md section 3) with random contents.</summary>
public sealed class RecordTests
{
    // The random numbers need no secure source, because they are not secret, and a seed makes failures repeatable.
    private readonly Random _random = new(45);

    [Fact]
    public void Chains_are_read_back() => Check(NewChain, ChainRecord.Encode, ChainRecord.Decode);

    [Fact]
    public void Persons_are_read_back() => Check(NewPerson, PersonRecord.Encode, PersonRecord.Decode);

    [Fact]
    public void Names_are_read_back() => Check(NewName, PersonRecord.EncodeName, PersonRecord.DecodeName);

    [Fact]
    public void Heads_and_ends_are_read_back()
    {
        Check(
            () => new HeadState { Size = Number(), Root = Octets(32), Checkpoint = Some(1, 300), Record = Some(1, 390) },
            LogRecord.EncodeHead, LogRecord.DecodeHead);
        Check(() => Some(1, 390), LogRecord.EncodeEnd, LogRecord.DecodeEnd);
    }

    [Fact]
    public void Cosigners_and_beliefs_are_read_back()
    {
        Check(
            () => Enumerable.Range(0, _random.Next(4)).ToImmutableDictionary(
                i => $"witness{i}.example.org+{Number():x}",
                _ => new CosignerState { Size = Number(), Root = Octets(32), Checkpoint = Some(1, 300) }),
            LogRecord.EncodeCosigners, LogRecord.DecodeCosigners);
        Check(
            () => Many(() => new Belief(Number(), Base64UrlText.Encode(Octets(32)), (long)Number(), Number(), Maybe(Id), Number(),
                Maybe(Hash))),
            beliefs => LogRecord.EncodeUnaudited(beliefs), LogRecord.DecodeUnaudited);
    }

    [Fact]
    public void Forks_are_read_back() => Check(
        () => new ForkState($"/data/evidence/é{Number()}", _random.Next(2) == 0 ? null : Reason.LeafContradicts),
        LogRecord.EncodeFork, LogRecord.DecodeFork);

    [Fact]
    public void Leaves_and_notes_are_read_back()
    {
        Check(
            () => Many(() => new KeptLeaf(Number(), Number(), Flag(), Number(), Hash())).Add(new KeptLeaf(0, 1, true, 2, Hash())),
            leaves => OwnerRecord.EncodeLeaves(leaves), OwnerRecord.DecodeLeaves);
        Check(() => new KeptNote(NewGuid(), Octets(16), Some(1, 100), Hash()), OwnerRecord.EncodeNote, OwnerRecord.DecodeNote);
    }

    [Fact]
    public void Keys_are_read_back()
    {
        for (int i = 0; i < 200; i++)
        {
            string id = Id();
            var structure = new StructureKey((StructureId)_random.Next(1, 5), id);
            var leaf = new KeptLeaf(Number(), Number(), Flag(), 0, Hash());
            Assert.Equal(structure, RecordKeys.ReadStructure(RecordKeys.ForStructure(RecordKind.Chain, structure)));
            Assert.Equal(
                (structure, leaf.Period, leaf.Version, leaf.IsPresent), RecordKeys.ReadLeaf(RecordKeys.ForLeaf(structure, leaf)));
            Assert.Equal((id, leaf.Version), RecordKeys.ReadNote(RecordKeys.ForNote(id, leaf.Version)));
            Assert.Equal(id, RecordKeys.ReadId(RecordKeys.ForId(RecordKind.Name, id)));
            Assert.Equal(leaf.Period, RecordKeys.ReadEnd(RecordKeys.ForEnd(leaf.Period)));
        }
        RecordKey longest = RecordKeys.ForLeaf(
            new StructureKey(StructureId.Keys, Base64UrlText.Encode(new byte[255])), new KeptLeaf(1, 2, true, 3, Hash()));
        Assert.InRange(longest.Octets.Length, 255, RecordKey.MaxLength);
        foreach (byte[] wrong in new byte[][] { [7], [7, 3], [7, 0, 1], [7, 5, 1], [7, 3, .. new byte[256]] })
        {
            Assert.Throws<EncodingException>(() => RecordKeys.ReadStructure(new RecordKey(wrong)));
        }
        Assert.Throws<EncodingException>(() => RecordKeys.ReadLeaf(new RecordKey([12, 3, 1, .. new byte[16], 2])));
        Assert.Throws<EncodingException>(() => RecordKeys.ReadNote(new RecordKey([13, .. new byte[8]])));
        Assert.Throws<EncodingException>(() => RecordKeys.ReadEnd(new RecordKey([3, .. new byte[9]])));
        Assert.Throws<EncodingException>(() => RecordKeys.RequireSingle(new RecordKey([2, 0])));
    }

    [Fact]
    public void A_body_has_the_octets_of_the_page()
    {
        var chain = new Chain
        {
            Seen = new Seen
            {
                LeastEpoch = 5,
                At = new Cursor { Period = 0, Version = 2, Time = 4, AbsentEpoch = 5, ValueSha256 = new string('a', 64) },
                PublishedEpoch = 4,
            },
            Own = new Own { Alarms = [new Alarm(0, 1, 3, null, Reason.HandoverMissing)] },
        };
        const string Seen = "0000000000000005" + "0000000000000000" + "0000000000000002" + "0000000000000004"
            + "01" + "0000000000000005" + "00" + "20aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
            + "0000000000000004" + "00";
        const string Own = "00" + "00" + "000000" + "00001a" + "02" + "0000000000000000" + "0000000000000001" + "0000000000000003" + "00"
            + "000000";
        Assert.Equal($"0101{Seen}01{Own}", Convert.ToHexStringLower(ChainRecord.Encode(chain)));
    }

    [Fact]
    public void What_no_record_can_say_is_not_encoded()
    {
        Chain With(Own own) => new() { Own = own };
        Assert.Throws<FormatException>(() => ChainRecord.Encode(With(new Own { Alarms = [new Alarm(0, 1, 1, "aa")] })));
        Assert.Throws<FormatException>(() => ChainRecord.Encode(With(new Own { Alarms = [new Alarm(0, 1, 1, null, Reason.Stale)] })));
        Assert.Throws<FormatException>(() => ChainRecord.Encode(With(new Own { Expected = [new Expected(Guid.Empty, "aa")] })));
        Assert.Throws<FormatException>(() => ChainRecord.Encode(With(new Own { Expected = [new Expected(Guid.Empty) { Added = ["="] }] })));
        Assert.Throws<FormatException>(() => LogRecord.EncodeFork(new ForkState("x", Reason.Stale)));
    }

    // Encodes random contents, reads them back, and reads octets with each possible fault of one octet: either they are refused, or they
    // are the one encoding of other contents.
    private void Check<T>(Func<T> create, Func<T, byte[]> encode, TlsDecoder<T> decode)
    {
        for (int i = 0; i < 200; i++)
        {
            T value = create();
            byte[] octets = encode(value);
            T read = decode(octets);
            Assert.Equal(JsonSerializer.Serialize(value), JsonSerializer.Serialize(read));
            Assert.Equal(octets, encode(read));
            if (i >= 20)
            {
                continue;
            }
            for (int at = 0; at < octets.Length; at++)
            {
                Assert.Throws<EncodingException>(() => decode(octets.AsMemory(0, at)));
                byte[] other = [.. octets];
                other[at] ^= (byte)(1 << _random.Next(8));
                try
                {
                    Assert.Equal(other, encode(decode(other)));
                }
                catch (EncodingException)
                {
                    // A decoder may refuse damaged octets with this exception alone.
                }
            }
            Assert.Throws<EncodingException>(() => decode((byte[])[.. octets, 0]));
        }
    }

    private delegate T TlsDecoder<T>(ReadOnlyMemory<byte> octets);

    private Chain NewChain() => new()
    {
        Seen = Maybe(() => new Seen { LeastEpoch = Number(), At = NewCursor(), PublishedEpoch = Number(), NotCopied = Flag() }),
        Own = Maybe(() => new Own
        {
            IsListedOnly = Flag(),
            At = Maybe(NewCursor),
            Expected = Many(() => Flag()
                ? new Expected(NewGuid(), Hash()) { IsOvertaken = Flag() }
                : new Expected(NewGuid()) { Added = Many(Id), Removed = Many(Id), IsOvertaken = Flag() }),
            Alarms = Many(() => new Alarm(Number(), Number(), Number(), Maybe(Hash), _random.Next(4) switch
            {
                0 => Reason.HandoverUnset,
                1 => Reason.HandoverMissing,
                2 => Reason.HandoverValue,
                _ => null,
            })),
            NoGuarantee = Many(() => new Missed(Number(), Number(), Number(), Flag())),
        }),
    };

    private Cursor NewCursor() => new()
    {
        Period = Number(),
        Version = Number(),
        Time = Number(),
        AbsentEpoch = Flag() ? Number() : null,
        ProvenEpoch = Flag() ? Number() : null,
        ValueSha256 = Maybe(Hash),
    };

    private Person NewPerson() => new()
    {
        LeftEpoch = Flag() ? Number() : null,
        Own = Maybe(() => new OwnPerson
        {
            GoesOnFrom = Flag() ? Number() : null,
            HasLeft = Flag(),
            Names = Many(Id),
            Followed = Many(Id),
            Leaving = Many(NewGuid),
            Alarms = Many(() => Flag() ? new PersonAlarm(Number()) : new PersonAlarm(Number(), Id(), Id())),
        }),
    };

    private NameState NewName() => Flag()
        ? new NameState { LeastEpoch = Number() }
        : new NameState
        {
            LeastEpoch = Number(),
            User = Id(),
            Generation = Flag() ? (uint)_random.NextInt64(uint.MaxValue) : null,
            ProvenEpoch = Flag() ? Number() : null,
        };

    private bool Flag() => _random.Next(2) == 0;

    private ulong Number() => _random.Next(4) switch
    {
        0 => 0,
        1 => ulong.MaxValue,
        _ => (ulong)_random.NextInt64(),
    };

    private string Id() => Base64UrlText.Encode(Some(1, 30));

    private string Hash() => Convert.ToHexStringLower(Octets(SHA256.HashSizeInBytes));

    private Guid NewGuid() => new(Octets(16));

    private byte[] Some(int least, int most) => Octets(_random.Next(least, most + 1));

    private byte[] Octets(int length)
    {
        byte[] octets = new byte[length];
        _random.NextBytes(octets);
        return octets;
    }

    private T? Maybe<T>(Func<T> create)
        where T : class => Flag() ? create() : null;

    private ImmutableArray<T> Many<T>(Func<T> create) => [.. Enumerable.Range(0, _random.Next(4)).Select(_ => create())];
}
