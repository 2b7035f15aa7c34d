using System.Text;
using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Tests;

/// <summary>Evidence of a broken append, as somebody gets it who was not there: folders made of the vectors, honest and not.</summary>
public sealed class EvidenceTests
{
    [Fact]
    public async Task Two_statements_prove_what_the_reference_says_and_nothing_else()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JsonDocument document = Vectors.Read("leaves/statements.json");
        string[] anchors = [.. document.RootElement.GetProperty("anchors").EnumerateArray().Select(anchor => anchor.GetProperty("trust_anchor").GetString()!)];
        int proven = 0;
        foreach (JsonElement vector in document.RootElement.GetProperty("vectors").EnumerateArray())
        {
            string reason = vector.GetProperty("reason").GetString()!;
            string folder = Write(fixture, anchors[vector.GetProperty("anchor").GetInt32()], Vectors.Hex(vector, "first"), Vectors.Hex(vector, "second"));
            // Each is judged with the trust anchor of somebody else who has it.
            CommandRun run = await CommandRun.RunAsync(fixture, "evidence", "verify", folder, "--json", "--trust", Path.Combine(folder, "trust.json"));
            bool isProof = reason == "leaf_contradicts";
            Assert.Equal(
                (isProof ? 0 : 1, isProof ? "valid" : "invalid", isProof ? "valid" : reason, "broken-append"),
                (run.Code, run.Json.GetProperty("verdict").GetString(), run.Json.GetProperty("reason").GetString(), run.Json.GetProperty("kind").GetString()));
            if (isProof)
            {
                Assert.Matches("rewrote|dropped|dated it back", run.Json.GetProperty("proves").GetString()!);
                proven++;
            }
        }
        Assert.True(proven >= 20, $"{proven}");
    }

    [Theory]
    [InlineData("another_value", "rewrote")]
    [InlineData("all_versions_dropped", "dropped")]
    [InlineData("inserted_and_dated_back", "dated it back")]
    public async Task Whatever_octet_is_another_one_it_proves_nothing(string kind, string what)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JsonDocument document = Vectors.Read("leaves/statements.json");
        JsonElement vector = document.RootElement.GetProperty("vectors").EnumerateArray().First(row => row.GetProperty("kind").GetString() == kind);
        string anchor = document.RootElement.GetProperty("anchors")[vector.GetProperty("anchor").GetInt32()].GetProperty("trust_anchor").GetString()!;
        byte[][] statements = [Vectors.Hex(vector, "first"), Vectors.Hex(vector, "second")];
        EvidenceVerdict whole = EvidenceJudge.Judge(Write(fixture, anchor, statements[0], statements[1]), TrustAnchor.Parse(Encoding.UTF8.GetBytes(anchor)));
        Assert.True(whole.IsProof);
        Assert.Contains(what, whole.Sentence, StringComparison.Ordinal);
        foreach (byte[] statement in statements)
        {
            for (int i = 0; i < statement.Length; i += 5)
            {
                statement[i] ^= 1;
                Assert.False(EvidenceJudge.Judge(Write(fixture, anchor, statements[0], statements[1]), null).IsProof, $"{i}");
                statement[i] ^= 1;
            }
        }
    }

    private static string Write(Fixture fixture, string anchor, byte[] first, byte[] second)
    {
        string folder = fixture.Folder.In("evidence");
        Directory.CreateDirectory(folder);
        File.WriteAllText(Path.Combine(folder, "trust.json"), anchor);
        File.WriteAllBytes(Path.Combine(folder, "kept-leaf.bin"), first);
        File.WriteAllBytes(Path.Combine(folder, "received-leaf.bin"), second);
        return folder;
    }
}
