using System.Text.Json;

namespace Optiks.Common.Tests;

/// <summary>Collects the output of a JSON renderer.</summary>
internal static class Rendering
{
    public static ReadOnlyMemory<byte> Of(Action<Utf8JsonWriter> write)
    {
        var stream = new MemoryStream();
        using (var writer = new Utf8JsonWriter(stream))
        {
            write(writer);
        }
        return stream.ToArray();
    }
}
