using System.Diagnostics;
using System.Text;
using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Cli.Tests;

/// <summary>
/// Tests how the command line judges evidence of a broken append that somebody else collected. The folders are made from honest and false
/// vectors.
/// </summary>
public sealed class EvidenceTests
{
    [Fact]
    public async Task Two_statements_prove_what_the_reference_says_and_nothing_else()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JsonDocument document = Vectors.Read("leaves/statements.json");
        string[] anchors = [.. document.RootElement.GetProperty("anchors").EnumerateArray()
            .Select(anchor => anchor.GetProperty("trust_anchor").GetString()!)];
        int proven = 0;
        foreach (JsonElement vector in document.RootElement.GetProperty("vectors").EnumerateArray())
        {
            string reason = vector.GetProperty("reason").GetString()!;
            string folder = Write(fixture, anchors[vector.GetProperty("anchor").GetInt32()], Vectors.Hex(vector, "first"),
                Vectors.Hex(vector, "second"));
            // Judge each folder with a trust anchor that the user gives.
            CommandRun run = await CommandRun.RunAsync(
                fixture, "evidence", "verify", folder, "--json", "--trust", Path.Combine(folder, "trust.json"));
            bool isProof = reason == "leaf_contradicts";
            Assert.Equal(
                (isProof ? 0 : 1, isProof ? "valid" : "invalid", isProof ? "valid" : reason, "broken-append"),
                (run.Code, run.Json.GetProperty("verdict").GetString(), run.Json.GetProperty("reason").GetString(),
                    run.Json.GetProperty("kind").GetString()));
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
        JsonElement vector = document.RootElement.GetProperty("vectors").EnumerateArray()
            .First(row => row.GetProperty("kind").GetString() == kind);
        string anchor = document.RootElement.GetProperty("anchors")[vector.GetProperty("anchor").GetInt32()].GetProperty("trust_anchor")
            .GetString()!;
        byte[][] statements = [Vectors.Hex(vector, "first"), Vectors.Hex(vector, "second")];
        EvidenceVerdict whole = EvidenceJudge.Judge(
            Write(fixture, anchor, statements[0], statements[1]), TrustAnchor.Parse(Encoding.UTF8.GetBytes(anchor)));
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

    public static TheoryData<string> Kinds => ["leaf", "record", "proof", "fork", "promise"];

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Files_of_any_length_are_judged_or_refused_in_words(string kind)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(3, _ => []);
        string folder = fixture.Folder.In("evidence");
        byte[] record = fixture.Log.Record(1);
        byte[] note = FixtureLog.Checkpoint(fixture.Log.Board(4));
        byte[] receipt = Promises.Of(Guid.CreateVersion7(), "k"u8.ToArray(), "v"u8.ToArray(), 1, 2).Note.ToArray();
        byte[] signed = [.. "\u2014 test.example/log/receipts AAAAAAA=\n"u8];
        (string Name, byte[] Octets)[] files = kind switch
        {
            "leaf" => [("kept-leaf.bin", record), ("received-leaf.bin", record)],
            "proof" => [("audit.bin", record), ("from-record.bin", record), ("period-record.bin", fixture.Log.Record(0))],
            "fork" => [("kept-checkpoint.txt", FixtureLog.Checkpoint(3, new byte[32])), ("received-checkpoint.txt", note),
                ("received-prefix.txt", "3\n"u8.ToArray())],
            "promise" => [("receipt.txt", receipt),
                ("receipt-keys.txt", Promises.Of(Guid.CreateVersion7(), "k"u8.ToArray(), [], 1, 2).Keys.ToArray()),
                ("key.bin", "k"u8.ToArray()), ("value.bin", "v"u8.ToArray()), ("after.bin", (await fixture.Log.HeadAsync(1, 0))!),
                ("history-1.bin", record)],
            _ => [.. Enumerable.Range(0, 3).SelectMany(i => Entry(fixture.Log.Board(4), (ulong)i, fixture.Log.Record((ulong)i), note))],
        };
        Directory.CreateDirectory(folder);
        File.WriteAllBytes(Path.Combine(folder, "trust.json"), FixtureLog.Anchor.ToJson());
        foreach ((string name, byte[] octets) in files)
        {
            File.WriteAllBytes(Path.Combine(folder, name), octets);
        }
        foreach ((string name, byte[] octets) in files)
        {
            byte[][] others = [[], [.. octets.AsSpan(..^1)], [.. octets, 0], [.. octets.AsSpan(..(octets.Length / 2))],
                new byte[octets.Length], [.. octets, .. signed], new byte[EpochRecord.Length], new byte[1000]];
            foreach (byte[] other in others)
            {
                File.WriteAllBytes(Path.Combine(folder, name), other);
                CommandRun run = await CommandRun.RunAsync(fixture, "evidence", "verify", folder);
                Assert.True(run.Code is 1 or 2, $"{name} of {other.Length} octets: {run.Code}, {run.Error}");
                File.WriteAllBytes(Path.Combine(folder, name), octets);
            }
            File.Delete(Path.Combine(folder, name));
            using (Process made = Process.Start("mkfifo", [Path.Combine(folder, name)]))
            {
                await made.WaitForExitAsync(TestContext.Current.CancellationToken);
            }
            CommandRun pipe = await CommandRun.RunAsync(fixture, "evidence", "verify", folder);
            Assert.Equal(2, pipe.Code);
            Assert.Contains("is not a regular file", pipe.Error, StringComparison.Ordinal);
            File.Delete(Path.Combine(folder, name));
            File.WriteAllBytes(Path.Combine(folder, name), octets);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task An_entry_that_is_too_short_for_a_record_is_refused_in_words_although_the_log_signed_it(int shortened)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(2, _ => []);
        byte[][] entries = [.. Enumerable.Range(0, 3).Select(i => fixture.Log.Record((ulong)i))];
        entries[shortened] = entries[shortened][..^1];
        var board = new MemoryBoard(entries);
        string folder = fixture.Folder.In("evidence");
        Directory.CreateDirectory(folder);
        File.WriteAllBytes(Path.Combine(folder, "trust.json"), FixtureLog.Anchor.ToJson());
        foreach ((string name, byte[] octets) in Enumerable.Range(0, 3)
            .SelectMany(i => Entry(board, (ulong)i, entries[i], FixtureLog.Checkpoint(board))))
        {
            File.WriteAllBytes(Path.Combine(folder, name), octets);
        }

        CommandRun run = await CommandRun.RunAsync(fixture, "evidence", "verify", folder);

        Assert.Equal(2, run.Code);
        Assert.Contains("The record before entry 2, or that of the first epoch of its period, is missing.", run.Error,
            StringComparison.Ordinal);
    }

    // Returns the files of a board entry, with a proof that the log signed it.
    private static IEnumerable<(string Name, byte[] Octets)> Entry(MemoryBoard board, ulong index, byte[] entry, byte[] note)
    {
        Assert.True(SignedNote.TryParse(note, out SignedNote? signed, out _));
        IReadOnlyList<TreeHash> hashes = InclusionProof.MakeAsync(board, index, board.Size, CancellationToken.None).AsTask().GetAwaiter()
            .GetResult();
        return [($"record-{index}.bin", entry), ($"record-{index}.tlog-proof", new TlogProof(index, hashes, signed).Encode())];
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
