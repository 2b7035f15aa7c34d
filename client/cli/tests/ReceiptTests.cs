using System.Text;

namespace Optiks.Cli.Tests;

/// <summary>
/// Tests how the command line handles invalid receipts, and files without a receipt. Other cases are in tests/e2e/test_receipts.py.
/// </summary>
public sealed class ReceiptTests
{
    [Fact]
    public async Task What_cannot_be_promised_or_kept_is_not_sent()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        string file = fixture.Folder.In("there.receipt");
        File.WriteAllText(file, "{}");
        string missing = fixture.Folder.In("no-such-folder/a.receipt");
        foreach (string[] arguments in (string[][])[["--receipt", fixture.Folder.In("a.receipt"), "--expect", "1"], ["--receipt", file],
            ["--receipt", missing]])
        {
            CommandRun run = await CommandRun.RunAsync(fixture, ["update", "alice", "one", .. arguments]);
            Assert.Equal(ExitCodes.Usage, run.Code);
        }
        Assert.DoesNotContain("POST /v1/updates", fixture.Server.Requests);
        CommandRun check = await CommandRun.RunAsync(fixture, ["receipt", "check", file]);
        Assert.Equal(ExitCodes.Usage, check.Code);
        Assert.Contains("is no receipt", check.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_update_without_the_receipt_that_was_asked_for_is_accepted_and_says_so()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        string file = fixture.Folder.In("a.receipt");

        CommandRun none = await CommandRun.RunAsync(fixture, ["update", "alice", "one", "--receipt", file]);
        fixture.Server.Mutate = (path, answer) => path != "/v1/updates" ? answer
            : Encoding.UTF8.GetBytes(
                Encoding.UTF8.GetString(answer)
                    .Replace("\"status\":", "\"receipt\":\"a\",\"receipt_keys\":\"b\",\"status\":", StringComparison.Ordinal));
        CommandRun bad = await CommandRun.RunAsync(fixture, ["update", "alice", "two", "--receipt", file, "--json"]);

        Assert.Equal((ExitCodes.Unreachable, ExitCodes.Invalid), (none.Code, bad.Code));
        Assert.Contains("the log promised nothing", none.Error, StringComparison.Ordinal);
        Assert.Contains("receipt_voucher", bad.Out, StringComparison.Ordinal);
        Assert.False(File.Exists(file));
    }
}
