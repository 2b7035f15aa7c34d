using Optiks.Protocol;

namespace Optiks.Common.Tests;

public sealed class RecordTests
{
    private static readonly Configuration s_configuration = new() { Origin = "example.com/optiks" };

    [Fact]
    public void Configurations_and_records_of_the_vectors_encode_to_themselves()
    {
        foreach (AnswerVectors vectors in AnswerVectors.LoadAll())
        {
            foreach (byte[] configuration in vectors.Configurations)
            {
                Assert.Equal(configuration, Configuration.Decode(configuration).Encode());
            }
            foreach (AnswerVector vector in vectors.Vectors.Where(vector => vector.Reason == "valid"))
            {
                byte[] record = vector.Form == "audit" ? vector.Stored! : vector.Answer[..EpochRecord.Length];
                Assert.Equal(record, EpochRecord.Decode(record).Encode());
            }
        }
    }

    [Fact]
    public void A_record_has_one_length()
    {
        Assert.Equal(Reason.MalformedTruncated,
            Assert.Throws<EncodingException>(() => EpochRecord.Decode(new byte[EpochRecord.Length - 1])).Reason);
        Assert.Equal(Reason.MalformedTrailing,
            Assert.Throws<EncodingException>(() => EpochRecord.Decode(new byte[EpochRecord.Length + 1])).Reason);
        Assert.Equal(0UL, EpochRecord.Decode(new byte[EpochRecord.Length]).Epoch);
    }

    public static TheoryData<string, Configuration> OutOfBounds => new()
    {
        { "format", s_configuration with { Format = 3 } },
        { "username form", s_configuration with { Format = 2, UsernameForm = (UsernameForm)2 } },
        { "username form of format 1", s_configuration with { UsernameForm = UsernameForm.CaseMapped } },
        { "suite", s_configuration with { Suite = 0 } },
        { "empty origin", s_configuration with { Origin = "" } },
        { "origin with a space", s_configuration with { Origin = "a b" } },
        { "origin with a plus", s_configuration with { Origin = "a+b" } },
        { "origin with a control character", s_configuration with { Origin = "a\u007Fb" } },
        { "origin that ends in a slash", s_configuration with { Origin = "example.com/" } },
        { "origin too long", s_configuration with { Origin = new string('a', 256) } },
        { "period length", s_configuration with { PeriodLengthMs = 0 } },
        { "retained periods", s_configuration with { RetainedPeriods = 1 } },
        { "username reuse", s_configuration with { UsernameReuse = 2 } },
        { "key length", s_configuration with { MaxKeyLength = 0 } },
        { "value length 0", s_configuration with { MaxValueLength = 0 } },
        { "value length 2^24", s_configuration with { MaxValueLength = 1 << 24 } },
        { "devices", s_configuration with { MaxDevices = 0 } },
        { "heartbeat", s_configuration with { HeartbeatMs = 0 } },
    };

    [Theory]
    [MemberData(nameof(OutOfBounds), DisableDiscoveryEnumeration = true)]
    public void A_configuration_out_of_bounds_is_refused(string what, Configuration configuration)
    {
        Assert.NotEmpty(what);
        Assert.Equal(Reason.Configuration, Assert.Throws<EncodingException>(configuration.Encode).Reason);
    }

    [Fact]
    public void A_configuration_decodes_strictly()
    {
        byte[] octets = s_configuration.Encode();
        Assert.Equal(s_configuration, Configuration.Decode(octets));
        Assert.Equal(Reason.MalformedTrailing, Assert.Throws<EncodingException>(() => Configuration.Decode((byte[])[.. octets, 0])).Reason);
        Assert.Equal(Reason.MalformedTruncated, Assert.Throws<EncodingException>(() => Configuration.Decode(octets.AsMemory(..^1))).Reason);
        octets[4] = 0;
        Assert.Equal(Reason.MalformedLength, Assert.Throws<EncodingException>(() => Configuration.Decode(octets)).Reason);
        octets = s_configuration.Encode();
        octets[0] = 1;
        Assert.Equal(Reason.Configuration, Assert.Throws<EncodingException>(() => Configuration.Decode(octets)).Reason);
    }
}
