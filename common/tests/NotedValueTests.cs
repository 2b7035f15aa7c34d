using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Common.Tests;

public sealed class NotedValueTests
{
    [Fact]
    public void Notes_of_the_reference_are_read_or_not()
    {
        using var file = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", "users", "notes.json")));
        var seen = new Dictionary<bool, int>();
        int read = 0;
        foreach (JsonElement vector in file.RootElement.GetProperty("vectors").EnumerateArray())
        {
            byte[] value = AnswerVectorFiles.Hex(vector.GetProperty("value"));
            byte[] opening = AnswerVectorFiles.Hex(vector.GetProperty("opening"));
            byte[] note = AnswerVectorFiles.Hex(vector.GetProperty("note"));
            bool opened = NotedValue.TryDecode(value, out NotedValue noted) && noted.IsNote(opening, note);
            string? kind = vector.GetProperty("kind").GetString();
            Assert.Equal((kind, vector.GetProperty("opened").GetBoolean()), (kind, opened));
            if (opened)
            {
                Assert.Equal(value, NotedValue.Encode(noted.Payload.Span, opening, note));
            }
            bool isRead = OwnerNote.TryDecode(note, out OwnerNote words) && opened;
            JsonElement sequence = vector.GetProperty("sequence");
            Assert.Equal((kind, sequence.ValueKind != JsonValueKind.Null), (kind, isRead));
            if (isRead)
            {
                Assert.Equal((kind, sequence.GetUInt64()), (kind, words.Sequence));
                Assert.Equal(AnswerVectorFiles.Hex(vector.GetProperty("text")), words.Text.ToArray());
                Assert.Equal(note, words.Encode());
                read++;
            }
            seen[opened] = seen.GetValueOrDefault(opened) + 1;
        }
        Assert.True(read >= 8);
        Assert.True(seen[true] - read >= 7);
        Assert.True(seen[false] >= 9);
    }

    [Fact]
    public void Each_note_has_an_opening_of_its_own()
    {
        byte[] one = NotedValue.Encode("credential"u8, NotedValue.NewOpening(), "added new laptop"u8);
        byte[] other = NotedValue.Encode("credential"u8, NotedValue.NewOpening(), "added new laptop"u8);
        Assert.NotEqual(one, other);
        Assert.Throws<ArgumentException>(() => NotedValue.Encode("credential"u8, new byte[15], "added new laptop"u8));
    }

    [Fact]
    public void A_note_has_a_number_and_a_bounded_text()
    {
        var longest = new OwnerNote(ulong.MaxValue, new byte[OwnerNote.MaxTextLength]);
        Assert.True(OwnerNote.TryDecode(longest.Encode(), out OwnerNote read));
        Assert.Equal((longest.Sequence, longest.Text.Length), (read.Sequence, read.Text.Length));
        Assert.Throws<ArgumentOutOfRangeException>(() => new OwnerNote(0, new byte[1]).Encode());
        Assert.Throws<ArgumentOutOfRangeException>(() => new OwnerNote(1, new byte[OwnerNote.MaxTextLength + 1]).Encode());
    }

    [Theory]
    [InlineData("alice's public key")]
    [InlineData("a text that is as long as that of a value with a note ought to be")]
    [InlineData("")]
    public void A_text_is_no_noted_value(string text) =>
        Assert.False(NotedValue.TryDecode(System.Text.Encoding.UTF8.GetBytes(text), out _));
}
