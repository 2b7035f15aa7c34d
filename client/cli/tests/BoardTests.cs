using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Cli.Tests;

/// <summary>
/// Tests the commands <c>board</c> and <c>evidence</c>: the verdict depends only on what the log signed, and not on where the files come
/// from.
/// </summary>
public sealed class BoardTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_checkpoint_is_shown_kept_and_compared_with_later_ones()
    {
        await using Fixture fixture = await StartAsync(300);
        string kept = fixture.Folder.In("kept.checkpoint");
        CommandRun shown = await RunAsync(fixture, "board checkpoint --json --out", kept);
        Assert.Equal((0, "valid", 300UL), (shown.Code, Text(shown.Json, "verdict"), shown.Json.GetProperty("epoch").GetUInt64()));
        Assert.Equal(File.ReadAllText(kept), Text(shown.Json, "checkpoint"));
        fixture.Publish(("alice", "two"));
        fixture.Log.PublishMany(300, _ => []);
        fixture.Clock.UtcNow = fixture.Log.Now;
        CommandRun same = await RunAsync(fixture, "board consistency --json", kept);
        Assert.Equal((0, 301UL, 602UL),
            (same.Code, same.Json.GetProperty("from_size").GetUInt64(), same.Json.GetProperty("checkpoint_size").GetUInt64()));
        CommandRun words = await RunAsync(fixture, "board consistency", kept);
        Assert.Equal("consistent: the tree of 602 entries begins with that of 301\n", words.Out);
        // The command accepts the two checkpoints in either order, and also a checkpoint from standard input.
        string later = fixture.Folder.In("later.checkpoint");
        Assert.Equal(0, (await RunAsync(fixture, "board checkpoint --out", later)).Code);
        Assert.Equal(0, (await RunAsync(fixture, "board consistency", later, kept)).Code);
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, null, File.ReadAllBytes(kept), "board", "consistency", "-")).Code);
    }

    [Theory]
    [InlineData("board verify")]
    [InlineData("board checkpoint")]
    [InlineData("audit")]
    public async Task A_signed_checkpoint_of_an_empty_tree_is_refused(string command)
    {
        await using Fixture fixture = await StartAsync(3);
        fixture.Server.Mutate = (path, answer) => path == "/log/checkpoint" ? FixtureLog.Checkpoint(0, new byte[32]) : answer;
        CommandRun run = await RunAsync(fixture, $"{command} --json");
        Assert.Equal((1, "checkpoint_malformed"), (run.Code, Text(run.Json, "reason")));
        fixture.Server.Mutate = (_, answer) => answer;
        Assert.Equal(0, (await RunAsync(fixture, $"{command} --json")).Code);
    }

    [Fact]
    public async Task A_fork_is_told_with_evidence_that_others_can_judge()
    {
        await using Fixture fixture = await StartAsync(3);
        using FixtureLog second = fixture.Log.Fork(2);
        second.Publish(("alice", "another"));
        second.Publish();
        string theirs = fixture.Folder.In("theirs.checkpoint");
        foreach (ulong size in (ulong[])[3, 4, 5])
        {
            second.PublishMany(size == 5 ? 1 : 0, _ => []);
            File.WriteAllBytes(theirs, FixtureLog.Checkpoint(second.Board(size)));
            // The board has the first history. The other history's tree of size 5 is larger than the board's tree, so the board has no
            // files of that larger tree.
            CommandRun run = await RunAsync(fixture, "board consistency --json", theirs);
            if (size == 5)
            {
                Assert.Equal((1, "inclusion_proof"), (run.Code, Text(run.Json, "reason")));
                continue;
            }
            Assert.Equal((5, "fork"), (run.Code, Text(run.Json, "reason")));
            string evidence = Text(run.Json, "evidence")!;
            CommandRun judged = await RunAsync(fixture, "evidence verify --json", evidence);
            Assert.Equal((0, "valid", "fork", true),
                (judged.Code, Text(judged.Json, "verdict"), Text(judged.Json, "breach"),
                    judged.Json.GetProperty("own_trust_anchor").GetBoolean()));
            Assert.Equal(0, (await RunAsync(fixture, "evidence verify", Path.Combine(evidence, "kept-checkpoint.txt"))).Code);
            Mutate(evidence, judgedAs: 0);
        }
    }

    // Changes octets of the signed files of the evidence, one at a time, and checks that the evidence then proves nothing.
    private static void Mutate(string evidence, int judgedAs)
    {
        foreach (string name in (string[])["kept-checkpoint.txt", "received-checkpoint.txt", "received-prefix.txt"])
        {
            string file = Path.Combine(evidence, name);
            if (!File.Exists(file))
            {
                continue;
            }
            byte[] good = File.ReadAllBytes(file);
            for (int i = 0; i < good.Length; i += 7)
            {
                byte[] bad = [.. good];
                bad[i] ^= 1;
                File.WriteAllBytes(file, bad);
                Assert.False(IsProof(evidence), $"{name} {i}");
            }
            File.WriteAllBytes(file, good);
        }
        Assert.Equal(judgedAs == 0, IsProof(evidence));
    }

    private static bool IsProof(string evidence)
    {
        try
        {
            return EvidenceJudge.Judge(evidence, FixtureLog.Anchor).IsProof;
        }
        catch (InvalidDataException)
        {
            return false;
        }
    }

    [Theory]
    [InlineData("record_vrf_key", "another VRF key at epoch 4")]
    [InlineData("record_previous", "does not name the record before it")]
    [InlineData("record_time", "clock went backwards at epoch 4")]
    public async Task A_record_against_the_rules_is_found_on_the_board_and_proven_by_the_audits_evidence(string reason, string sentence)
    {
        await using Fixture fixture = await StartAsync(3);
        Assert.Equal(0, (await RunAsync(fixture, "audit")).Code);
        fixture.Log.PublishRecord(honest => reason switch
        {
            "record_vrf_key" =>
                honest with
                {
                    Structures =
                    [.. honest.Structures.Select(
                        (one, i) => i == 2 ? one with { VrfPublicKey = honest.Structures[1].VrfPublicKey } : one)]
                },
            "record_previous" => honest with { Previous = new byte[32] },
            _ => honest with { TimeMs = honest.TimeMs - (3 * FixtureLog.StepMs) },
        });
        fixture.Clock.UtcNow = fixture.Log.Now + TimeSpan.FromSeconds(5);
        CommandRun board = await RunAsync(fixture, "board verify --json");
        Assert.Equal((1, reason, 4UL), (board.Code, Text(board.Json, "reason"), board.Json.GetProperty("epoch").GetUInt64()));
        CommandRun audit = await RunAsync(fixture, "audit --json");
        Assert.Equal((1, reason), (audit.Code, Text(audit.Json, "reason")));
        CommandRun judged = await RunAsync(fixture, "evidence verify", Text(audit.Json, "evidence")!);
        Assert.Equal(0, judged.Code);
        Assert.Contains($"proven, {reason}", judged.Out, StringComparison.Ordinal);
        Assert.Contains(sentence, judged.Out, StringComparison.Ordinal);
        // Without the proof of the record that breaks the rule, the folder is no evidence.
        string evidence = Text(audit.Json, "evidence")!;
        File.Delete(Path.Combine(evidence, "record-4.tlog-proof"));
        CommandRun less = await RunAsync(fixture, "evidence verify --json", evidence);
        Assert.Equal(2, less.Code);
    }

    [Fact]
    public async Task A_board_is_read_whole_from_a_server_or_a_folder_and_every_file_counts()
    {
        await using Fixture fixture = await StartAsync(600);
        fixture.Switch();
        CommandRun served = await RunAsync(fixture, "board verify --json");
        Assert.Equal((0, 601UL, 2UL),
            (served.Code, served.Json.GetProperty("epoch").GetUInt64(), served.Json.GetProperty("periods").GetUInt64()));
        string folder = fixture.Folder.In("mirror");
        await CopyAsync(fixture, folder);
        string trust = fixture.Folder.In("trust.json");
        FixtureLog.Anchor.Save(trust);
        CommandRun stored = await RunAsync(fixture, $"board verify --board {folder} --trust {trust}");
        Assert.Equal(0, stored.Code);
        Assert.Contains("valid, epochs 0 to 601, 2 periods", stored.Out, StringComparison.Ordinal);
        foreach (string file in Directory.GetFiles(Path.Combine(folder, "tile"), "*", SearchOption.AllDirectories))
        {
            byte[] good = File.ReadAllBytes(file);
            good[good.Length / 2] ^= 1;
            File.WriteAllBytes(file, good);
            CommandRun broken = await RunAsync(fixture, $"board verify --json --board {folder} --trust {trust}");
            Assert.Equal((1, "inclusion_proof"), (broken.Code, Text(broken.Json, "reason")));
            good[good.Length / 2] ^= 1;
            File.WriteAllBytes(file, good);
        }
        string checkpoint = Path.Combine(folder, "checkpoint");
        File.WriteAllText(checkpoint, File.ReadAllText(checkpoint).Replace("\n602\n", "\n601\n", StringComparison.Ordinal));
        CommandRun unsigned = await RunAsync(fixture, $"board checkpoint --json --board {folder} --trust {trust}");
        Assert.Equal((1, "checkpoint_signature"), (unsigned.Code, Text(unsigned.Json, "reason")));
        Assert.Equal(2, (await RunAsync(fixture, $"board verify --board {folder}-missing --trust {trust}")).Code);
    }

    [Fact]
    public async Task A_proof_that_nobody_signed_proves_nothing_to_others()
    {
        await using Fixture fixture = await StartAsync(3);
        string folder = fixture.Folder.In("refused");
        Directory.CreateDirectory(folder);
        byte[] proof = fixture.Log.AuditProof(1, 2);
        await File.WriteAllBytesAsync(Path.Combine(folder, "1-trust.json"), FixtureLog.Anchor.ToJson(), Cancellation);
        await File.WriteAllBytesAsync(Path.Combine(folder, "1-from-record.bin"), fixture.Log.Record(1), Cancellation);
        await File.WriteAllBytesAsync(Path.Combine(folder, "1-period-record.bin"), fixture.Log.Record(0), Cancellation);
        await File.WriteAllBytesAsync(Path.Combine(folder, "1-audit.bin"), proof, Cancellation);
        CommandRun holds = await RunAsync(fixture, "evidence verify", folder);
        Assert.Equal(1, holds.Code);
        Assert.Contains("The proof holds", holds.Out, StringComparison.Ordinal);
        await File.WriteAllBytesAsync(Path.Combine(folder, "1-audit.bin"), proof[..^1], Cancellation);
        CommandRun refused = await RunAsync(fixture, "evidence verify --json", folder);
        Assert.Equal((1, "invalid", "refused-proof"), (refused.Code, Text(refused.Json, "verdict"), Text(refused.Json, "kind")));
        Assert.Contains("Nobody signed it", Text(refused.Json, "proves"), StringComparison.Ordinal);
        Assert.False(refused.Json.GetProperty("own_trust_anchor").GetBoolean());
        // The command refuses evidence about another log than the log of the trust anchor. It also refuses an empty folder.
        string other = fixture.Folder.In("other.json");
        TrustAnchor.Create((FixtureLog.Configuration with { MaxAheadMs = 1 }).Encode(), FixtureLog.Anchor.LogKey).Save(other);
        Assert.Equal(2, (await RunAsync(fixture, $"evidence verify {folder} --trust {other}")).Code);
        Assert.Equal(2, (await RunAsync(fixture, $"evidence verify {fixture.Folder.In("")}")).Code);
        Assert.Equal(2, (await RunAsync(fixture, "evidence verify /nowhere")).Code);
    }

    private static async Task CopyAsync(Fixture fixture, string folder)
    {
        var tiles = new HttpTileReader(fixture.Http, new Uri(fixture.Server.Url, "/log"));
        Directory.CreateDirectory(folder);
        await File.WriteAllBytesAsync(Path.Combine(folder, "checkpoint"), (await tiles.ReadCheckpointAsync(Cancellation))!, Cancellation);
        foreach (TilePath path in TileLayout.All(602))
        {
            string file = Path.Combine(folder, path.ToString());
            Directory.CreateDirectory(Path.GetDirectoryName(file)!);
            await File.WriteAllBytesAsync(file, (await tiles.ReadTileAsync(path, Cancellation))!, Cancellation);
        }
    }

    private static async Task<Fixture> StartAsync(int epochs)
    {
        Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Log.PublishMany(epochs - 1, _ => []);
        fixture.Clock.UtcNow = fixture.Log.Now;
        return fixture;
    }

    private static string? Text(JsonElement json, string name) => json.GetProperty(name).GetString();

    private static Task<CommandRun> RunAsync(Fixture fixture, string command, params string[] more) =>
        CommandRun.RunAsync(fixture, [.. command.Split(' '), .. more]);
}
