using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.QueryService.Answers;

/// <summary>JsonAnswer writes the JSON form of an answer, which is longer than the binary one, in memory that is counted.</summary>
internal static class JsonAnswer
{
    // Base64url takes four octets for three, and members have names.
    private const int ExpectedGrowth = 2;

    /// <summary>Write gives the JSON of octets; the caller disposes it. Throws <see cref="ServiceDefaults.ProblemException"/> (overloaded).</summary>
    public static PooledWriter Write(ReadOnlyMemory<byte> octets, AnswerLease lease, Action<Utf8JsonWriter, ReadOnlyMemory<byte>> write)
    {
        var output = new PooledWriter(lease, ExpectedGrowth * octets.Length);
        try
        {
            using var json = new Utf8JsonWriter(output, new JsonWriterOptions { Encoder = AnswerJson.Encoder });
            write(json, octets);
            json.Flush();
            return output;
        }
        catch
        {
            output.Dispose();
            throw;
        }
    }
}
