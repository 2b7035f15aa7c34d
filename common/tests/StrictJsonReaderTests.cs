using System.Text;
using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.Common.Tests;

/// <summary>Tests the reader in a small parser like those of the services, with bodies that the parser must accept or refuse.</summary>
public sealed class StrictJsonReaderTests
{
    private static readonly JsonMembers s_members = new("text", "octets", "number", "id", "list", "inner");

    [Theory]
    [InlineData("""{}""", "{}")]
    [InlineData(""" { "text" : "a" } """, "{text=61}")]
    [InlineData("""{"text": "\u00e4\ud83d\ude00"}""", "{text=C3A4F09F9880}")]
    [InlineData("""{"te\u0078t": "a"}""", "{text=61}")]
    [InlineData("""{"octets": "_-8"}""", "{octets=FFEF}")]
    [InlineData("""{"number": 9007199254740991}""", "{number=9007199254740991}")]
    [InlineData("""{"number": 0}""", "{number=0}")]
    [InlineData("""{"id": "01890a5d-ac96-774b-bcce-b302099a8057"}""", "{id=01890a5d-ac96-774b-bcce-b302099a8057}")]
    [InlineData("""[{"text": "a"}, {"list": [1, 2]}]""", "[{text=61}{list=[1 2]}]")]
    [InlineData("""{"inner": {"text": "x"}, "text": "y"}""", "{inner={text=78}text=79}")]
    public void Takes(string body, string parsed) => Assert.Equal(parsed, Parse(Encoding.UTF8.GetBytes(body)));

    [Theory]
    [InlineData("+1890a5d-ac96-774b-bcce-b302099a8057")]
    [InlineData("01890a5d-+c96-774b-bcce-b302099a8057")]
    [InlineData("01890a5d-0xac-774b-bcce-b302099a8057")]
    [InlineData(" 1890a5d-ac96-774b-bcce-b302099a8057")]
    [InlineData(" 01890a5d-ac96-774b-bcce-b302099a8057")]
    [InlineData("01890a5d-ac96-774b-bcce-b302099a805 ")]
    [InlineData("\u00a001890a5d-ac96-774b-bcce-b302099a8057")]
    [InlineData("{01890a5d-ac96-774b-bcce-b302099a8057}")]
    [InlineData("01890a5dac96774bbcceb302099a8057")]
    [InlineData("01890a5d-ac96-774b-bcce-b302099a80５7")]
    public void A_uuid_has_digits_and_hyphens_alone(string text)
    {
        Assert.False(UuidText.TryParse(text, out _));
        ProblemException e = Assert.Throws<ProblemException>(() => Parse(Encoding.UTF8.GetBytes($$"""{"id": "{{text}}"}""")));
        Assert.Equal("$.id", e.Problem.Field);
        Assert.True(UuidText.TryParse("01890A5d-ac96-774b-bcce-b302099a8057", out Guid id));
        Assert.Equal("01890a5d-ac96-774b-bcce-b302099a8057", id.ToString("D"));
    }

    [Theory]
    [InlineData("", "$")]
    [InlineData("   ", "$")]
    [InlineData("{", "$")]
    [InlineData("nonsense", "$")]
    [InlineData("null", "$")]
    [InlineData("\"text\"", "$")]
    [InlineData("[[]]", "$[0]")]
    [InlineData("{} {}", "$")]
    [InlineData("{},", "$")]
    [InlineData("""{"text": "a",}""", "$.text")]
    [InlineData("""{/* c */"text": "a"}""", "$")]
    [InlineData("""{'text': "a"}""", "$")]
    [InlineData("""{"text": "a", "text": "a"}""", "$.text")]
    [InlineData("""{"text": "a", "te\u0078t": "a"}""", "$.text")]
    [InlineData("""{"inner": {"text": "a"}, "inner": {}}""", "$.inner")]
    [InlineData("""{"unknown": 1}""", "$.unknown")]
    [InlineData("""{"Text": "a"}""", "$.Text")]
    [InlineData("""{"a b\n": 1}""", "$")]
    [InlineData("""{"": 1}""", "$")]
    [InlineData("""[{}, {"inner": {"nope": 1}}]""", "$[1].inner.nope")]
    [InlineData("""{"text": 1}""", "$.text")]
    [InlineData("""{"text": null}""", "$.text")]
    [InlineData("""{"text": ["a"]}""", "$.text")]
    [InlineData("""{"text": "\ud800"}""", "$.text")]
    [InlineData("""{"\ud800": "a"}""", "$")]
    [InlineData("""{"text": "\x"}""", "$.text")]
    [InlineData("{\"text\": \"a\nb\"}", "$.text")]
    [InlineData("""{"octets": "AA=="}""", "$.octets")]
    [InlineData("""{"octets": "A+8"}""", "$.octets")]
    [InlineData("""{"octets": "AB"}""", "$.octets")]
    [InlineData("""{"octets": 1}""", "$.octets")]
    [InlineData("""{"number": 9007199254740992}""", "$.number")]
    [InlineData("""{"number": 99999999999999999999}""", "$.number")]
    [InlineData("""{"number": -1}""", "$.number")]
    [InlineData("""{"number": -0}""", "$.number")]
    [InlineData("""{"number": 1.0}""", "$.number")]
    [InlineData("""{"number": 1e3}""", "$.number")]
    [InlineData("""{"number": 01}""", "$.number")]
    [InlineData("""{"number": "1"}""", "$.number")]
    [InlineData("""{"number": true}""", "$.number")]
    [InlineData("""{"number": NaN}""", "$.number")]
    [InlineData("""{"id": "01890a5dac96774bbcceb302099a8057"}""", "$.id")]
    [InlineData("""{"id": "{01890a5d-ac96-774b-bcce-b302099a8057}"}""", "$.id")]
    [InlineData("""{"id": "01890a5d-ac96-774b-bcce-b302099a805g"}""", "$.id")]
    [InlineData("""{"list": [1, "2"]}""", "$.list[1]")]
    [InlineData("""{"list": {}}""", "$.list")]
    [InlineData("""{"inner": []}""", "$.inner")]
    public void Refuses_and_names_the_field(string body, string field)
    {
        Problem problem = Assert.Throws<ProblemException>(() => Parse(Encoding.UTF8.GetBytes(body))).Problem;
        Assert.Equal(ProblemTypes.MalformedRequest, problem.Type);
        Assert.Equal(field, problem.Field);
    }

    [Fact]
    public void Refuses_what_is_not_utf8_and_byte_order_marks()
    {
        Assert.Throws<ProblemException>(() => Parse([(byte)'"', 0xFF, (byte)'"']));
        Assert.Throws<ProblemException>(() => Parse([0xEF, 0xBB, 0xBF, (byte)'{', (byte)'}']));
    }

    [Fact]
    public void Takes_16_levels_and_refuses_17()
    {
        static byte[] Nested(int depth) => Encoding.UTF8.GetBytes(
            string.Concat(Enumerable.Repeat("{\"inner\":", depth - 1)) + "{}" + new string('}', depth - 1));
        Assert.StartsWith("{inner={inner=", Parse(Nested(StrictJsonReader.MaxDepth)), StringComparison.Ordinal);
        Problem problem = Assert.Throws<ProblemException>(() => Parse(Nested(StrictJsonReader.MaxDepth + 1))).Problem;
        Assert.Equal(ProblemTypes.MalformedRequest, problem.Type);
    }

    [Fact]
    public void A_body_of_any_octets_is_taken_or_refused()
    {
        // The seed is fixed, so each run tests the same bodies and a failure repeats.
        var random = new Random(1);
        byte[] alphabet = "{}[]\":,\\u 0129eE-+.truefalsnxd\n/*"u8.ToArray();
        for (int i = 0; i < 20_000; i++)
        {
            byte[] body = new byte[random.Next(24)];
            for (int j = 0; j < body.Length; j++)
            {
                body[j] = random.Next(20) == 0 ? (byte)random.Next(256) : alphabet[random.Next(alphabet.Length)];
            }
            try
            {
                Parse(body);
            }
            catch (ProblemException e)
            {
                Assert.StartsWith("$", e.Problem.Field, StringComparison.Ordinal);
            }
        }
    }

    private static string Parse(byte[] body)
    {
        var reader = new StrictJsonReader(body);
        var parsed = new StringBuilder();
        if (reader.IsArray)
        {
            reader.StartArray();
            parsed.Append('[');
            while (reader.TryNextElement())
            {
                ParseObject(ref reader, parsed);
            }
            parsed.Append(']');
        }
        else
        {
            ParseObject(ref reader, parsed);
        }
        reader.End();
        return parsed.ToString();
    }

    private static void ParseObject(ref StrictJsonReader reader, StringBuilder parsed)
    {
        reader.StartObject(s_members);
        parsed.Append('{');
        while (reader.TryNextMember(out int member))
        {
            switch (member)
            {
                case 0:
                    parsed.Append("text=").Append(Convert.ToHexString(reader.ReadText()));
                    break;
                case 1:
                    parsed.Append("octets=").Append(Convert.ToHexString(reader.ReadOctets()));
                    break;
                case 2:
                    parsed.Append("number=").Append(reader.ReadInteger());
                    break;
                case 3:
                    parsed.Append("id=").Append(reader.ReadUuid());
                    break;
                case 4:
                    var numbers = new List<ulong>();
                    reader.StartArray();
                    while (reader.TryNextElement())
                    {
                        numbers.Add(reader.ReadInteger());
                    }
                    parsed.Append("list=[").AppendJoin(' ', numbers).Append(']');
                    break;
                default:
                    parsed.Append("inner=");
                    ParseObject(ref reader, parsed);
                    break;
            }
        }
        parsed.Append('}');
    }
}
