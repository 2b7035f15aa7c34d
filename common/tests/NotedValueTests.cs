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
            seen[opened] = seen.GetValueOrDefault(opened) + 1;
        }
        Assert.True(seen[true] >= 4);
        Assert.True(seen[false] >= 8);
    }

    [Fact]
    public void Each_note_has_an_opening_of_its_own()
    {
        byte[] one = NotedValue.Encode("credential"u8, NotedValue.NewOpening(), "added new laptop"u8);
        byte[] other = NotedValue.Encode("credential"u8, NotedValue.NewOpening(), "added new laptop"u8);
        Assert.NotEqual(one, other);
        Assert.Throws<ArgumentException>(() => NotedValue.Encode("credential"u8, new byte[15], "added new laptop"u8));
    }
}
