using Optiks.Protocol;

namespace Optiks.Auditor.Tests;

/// <summary>
/// Tests that an auditor finds a log or server that cheats, reports the finding with evidence, and signs nothing from then on, whatever the
/// servers show later.
/// </summary>
public sealed class HostileLogTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("drops a leaf", "append_new_root", false)]
    [InlineData("hides an insertion", "append_new_root", false)]
    [InlineData("drops a leaf of its count", "record_count", true)]
    [InlineData("changes a VRF key for one epoch", "record_vrf_key", true)]
    [InlineData("skips an epoch", "record_epoch", true)]
    [InlineData("switches a period early", "record_period", true)]
    [InlineData("rewrites the last epoch", "fork", true)]
    [InlineData("rewrites an old epoch", "fork", true)]
    [InlineData("rewrites an old epoch's entry", "inclusion_proof", false)]
    [InlineData("changes every proof", "append_new_root", false)]
    [InlineData("is honest", null, false)]
    public async Task Is_found_and_nothing_is_signed_any_more(string what, string? reason, bool isProven)
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(5);
        FixtureLog log = auditor.Fixture.Log;
        Assert.Equal(5UL, auditor.Signed(await auditor.LookAsync()));
        using FixtureLog second = log.Fork(what == "rewrites an old epoch" ? 3UL : 5UL);
        Cheat(what, auditor, second);

        LogView view = await auditor.LookAsync();

        if (reason is null)
        {
            Assert.Equal((LogCondition.Following, 7UL), (view.Condition, auditor.Signed(view)));
            return;
        }
        Assert.Equal((LogCondition.Stopped, 5UL), (view.Condition, auditor.Signed(view)));
        Finding finding = Assert.IsType<Finding>(view.Finding);
        Assert.Equal((reason, isProven), (finding.Reason, finding.IsProven));
        Assert.False(view.IsCurrent(auditor.Fixture.Clock.UtcNow));
        Judge(finding, log);

        // Even when the log is honest again and the auditor restarts, the audit stays stopped. The auditor sends no request and signs
        // nothing.
        auditor.Fixture.Server.Log = log;
        auditor.Fixture.Server.Mutate = (_, answer) => answer;
        auditor.Fixture.Server.Requests.Clear();
        byte[] mark = File.ReadAllBytes(auditor.Files.Mark);
        for (int i = 0; i < 3; i++)
        {
            view = await auditor.LookAsync();
            Assert.Equal((LogCondition.Stopped, 5UL, finding), (view.Condition, auditor.Signed(view), view.Finding));
        }
        Assert.Equal(mark, File.ReadAllBytes(auditor.Files.Mark));
        Assert.Empty(auditor.Fixture.Server.Requests);

        // A person may resume the audit if no signature of the log proves the fault. The auditor then begins with the step that it had
        // refused.
        using Secrets.NoteSigner key = Secrets.CosignerKeyFile.Open(auditor.KeyFile);
        if (isProven)
        {
            StartupException refused =
                await Assert.ThrowsAsync<StartupException>(
                    () => AuditorHost.ResumeAsync(auditor.Settings, key, auditor.Fixture.Http, auditor.Fixture.Clock, Cancellation));
            Assert.Equal(ExitCodes.Fork, refused.ExitCode);
            return;
        }
        Assert.Single(await AuditorHost.ResumeAsync(auditor.Settings, key, auditor.Fixture.Http, auditor.Fixture.Clock, Cancellation));
        view = await auditor.LookAsync();
        bool isOfServer = what is "rewrites an old epoch's entry" or "changes every proof";
        Assert.Equal(isOfServer ? (LogCondition.Following, 7UL) : (LogCondition.Stopped, 5UL), (view.Condition, auditor.Signed(view)));
    }

    [Fact]
    public async Task One_answer_that_is_refused_is_asked_for_again()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3);
        int bad = 2;
        auditor.Fixture.Server.Mutate = (path, answer) =>
            path.EndsWith("audit-proof", StringComparison.Ordinal) && bad-- > 0 ? [.. answer.AsSpan(..^1)] : answer;
        LogView view = await auditor.LookAsync();
        Assert.Equal((LogCondition.Following, 3UL), (view.Condition, auditor.Signed(view)));
        Assert.True(bad < 0);
    }

    [Fact]
    public async Task A_server_that_cheats_is_told_while_an_honest_one_counts()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3, replicas: 2);
        auditor.Fixture.Replica(0).Mutate = (path, answer) =>
            path.EndsWith("audit-proof", StringComparison.Ordinal) ? [.. answer.AsSpan(..^1)] : answer;
        LogView view = await auditor.LookAsync();
        Assert.Equal((LogCondition.Following, 3UL), (view.Condition, auditor.Signed(view)));
        Assert.Contains($":{auditor.Fixture.Urls[0].Port} gave an answer that does not verify", view.Warning, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("an empty tree")]
    [InlineData("an empty tree of another root")]
    public async Task A_checkpoint_that_the_log_signed_and_nobody_takes_is_no_fault(string what)
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3);
        byte[] root = what == "an empty tree" ? Tlog.Rfc6962.EmptyRoot.ToArray() : new byte[32];
        auditor.Fixture.Server.Mutate = (path, answer) => path == "/log/checkpoint" ? FixtureLog.Checkpoint(0, root) : answer;
        LogView view = await auditor.LookAsync();
        Assert.Equal((LogCondition.Behind, null, null), (view.Condition, view.Fault, view.Finding));
        Assert.Contains("checkpoint_malformed", view.Description, StringComparison.Ordinal);
        auditor.Fixture.Server.Mutate = (_, answer) => answer;
        Assert.Equal(3UL, auditor.Signed(await auditor.LookAsync()));
    }

    [Fact]
    public async Task A_fault_at_one_log_does_not_end_the_audit_of_another()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3);
        await using AuditorFixture other = await AuditorFixture.StartAsync(3);
        using var faulty = new HttpClient(new FaultyHandler());
        using Secrets.NoteSigner key = Secrets.CosignerKeyFile.Open(auditor.KeyFile);
        using LogAuditor broken =
            await LogAuditor.OpenAsync(auditor.Log, auditor.Settings, key, faulty, auditor.Fixture.Clock, Cancellation);
        for (int i = 0; i < 2; i++)
        {
            LogView view = await broken.LookAsync(Cancellation);
            Assert.Equal((LogCondition.Failing, "A fault of the auditor ended the last look."), (view.Condition, view.PublicDescription));
            Assert.IsType<InvalidOperationException>(view.Fault);
            Assert.Contains("not foreseen", view.Description, StringComparison.Ordinal);
        }
        Assert.Equal(3UL, other.Signed(await other.LookAsync()));
    }

    private sealed class FaultyHandler : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            throw new InvalidOperationException("not foreseen");
    }

    [Fact]
    public async Task A_server_that_is_behind_is_waited_for()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3, replicas: 2);
        using LogAuditor log = await auditor.OpenAsync();
        Assert.Equal(3UL, auditor.Signed(await log.LookAsync(Cancellation)));
        auditor.Fixture.Publish(("late", "x"));
        auditor.Fixture.Replica(0).Mutate = (path, answer) =>
            path.EndsWith("audit-proof", StringComparison.Ordinal) ? [.. answer.AsSpan(..^1)] : answer;
        auditor.Fixture.Replica(1).Lag = 2;
        LogView view = await log.LookAsync(Cancellation);
        Assert.Equal((LogCondition.Behind, 3UL), (view.Condition, auditor.Signed(view)));
        Assert.Contains("another server is behind", view.Description, StringComparison.Ordinal);
        auditor.Fixture.Replica(1).Lag = null;
        view = await log.LookAsync(Cancellation);
        Assert.Equal((LogCondition.Following, 4UL), (view.Condition, auditor.Signed(view)));
    }

    [Fact]
    public async Task Two_servers_with_two_heads_are_a_fork()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3, replicas: 2);
        using FixtureLog second = auditor.Fixture.Log.Fork(3);
        second.PublishMany(2, i => [("mallory", $"{i}")]);
        using LogAuditor log = await auditor.OpenAsync();
        Assert.Equal(3UL, auditor.Signed(await log.LookAsync(Cancellation)));
        // Replica 1 now shows the other history, and replica 0 with the first history refuses all requests.
        auditor.Fixture.Replica(0).Refuse = _ => (503, "unavailable");
        auditor.Fixture.Replica(1).Log = second;
        auditor.Fixture.Clock.UtcNow = second.Now;
        LogView view = await log.LookAsync(Cancellation);
        Assert.Equal((LogCondition.Stopped, 3UL), (view.Condition, auditor.Signed(view)));
        EvidenceCheck.Proves(view.Finding!.EvidencePath);
    }

    [Theory]
    [InlineData("evidence")]
    [InlineData("finding.json")]
    public async Task What_cannot_be_written_is_not_forgotten(string name)
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3);
        using FixtureLog second = auditor.Fixture.Log.Fork(3);
        second.PublishMany(3, i => [("mallory", $"{i}")]);
        using LogAuditor log = await auditor.OpenAsync();
        await log.LookAsync(Cancellation);
        string path = Path.Combine(auditor.Files.Folder, name);
        if (name == "evidence")
        {
            File.WriteAllText(path, "");
        }
        else
        {
            Directory.CreateDirectory(path);
        }
        auditor.Fixture.Server.Log = second;
        auditor.Fixture.Clock.UtcNow = second.Now;
        Assert.Equal(LogCondition.Failing, (await log.LookAsync(Cancellation)).Condition);
        // The server shows the first history again. The auditor has not forgotten the fork, although it was unable to write the evidence to
        // disk.
        auditor.Fixture.Server.Log = auditor.Fixture.Log;
        auditor.Fixture.Publish(("late", "x"));
        LogView view = await log.LookAsync(Cancellation);
        Assert.Equal((LogCondition.Failing, 3UL), (view.Condition, auditor.Signed(view)));
        if (name == "evidence")
        {
            File.Delete(path);
        }
        else
        {
            Directory.Delete(path);
        }
        view = await log.LookAsync(Cancellation);
        Assert.Equal((LogCondition.Stopped, 3UL), (view.Condition, auditor.Signed(view)));
        EvidenceCheck.Proves(view.Finding!.EvidencePath);
    }

    private static void Cheat(string what, AuditorFixture auditor, FixtureLog second)
    {
        FixtureLog log = auditor.Fixture.Log;
        StructureState[] all = [.. EpochRecord.Decode(log.Record(5)).Structures];
        StructureState keys = all[2];
        switch (what)
        {
            case "rewrites the last epoch" or "rewrites an old epoch":
                second.PublishMany(what == "rewrites an old epoch" ? 5 : 3, i => [("mallory", $"{i}")]);
                auditor.Fixture.Server.Log = second;
                auditor.Fixture.Clock.UtcNow = second.Now;
                log.PublishMany(2, i => [("late", $"{i}")]);
                return;
            case "rewrites an old epoch's entry" or "changes every proof" or "is honest":
                log.PublishMany(2, i => [("late", $"{i}")]);
                auditor.Fixture.Server.Mutate = (path, answer) => (what, path) switch
                {
                    ("rewrites an old epoch's entry", _) when path.StartsWith("/log/tile/entries/", StringComparison.Ordinal) =>
                        Flip(answer, (388 * 2) + 100),
                    ("changes every proof", _) when path.EndsWith("audit-proof", StringComparison.Ordinal) =>
                        Flip(answer, 3 + (3 * EpochRecord.Length) + 16 + 5),
                    _ => answer,
                };
                auditor.Fixture.Clock.UtcNow = log.Now;
                return;
            case "drops a leaf":
                // Sign the root that the tree had before the last epoch added leaves, with the leaf count that the tree had afterwards.
                all[2] = EpochRecord.Decode(log.Record(3)).Structures[2] with { Count = keys.Count };
                break;
            case "hides an insertion":
                all[2] = keys with { Root = Enumerable.Repeat((byte)7, 32).ToArray() };
                break;
            case "drops a leaf of its count":
                all[2] = keys with { Count = keys.Count - 1 };
                break;
            case "changes a VRF key for one epoch":
                all[2] = keys with { VrfPublicKey = new byte[32] };
                break;
        }
        log.PublishRecord(honest => what switch
        {
            "skips an epoch" => honest with { Epoch = honest.Epoch + 1 },
            "switches a period early" => honest with { Period = 1, PeriodFirstEpoch = honest.Epoch },
            _ => honest with { Structures = all },
        });
        // In the next epoch, the log reverts the false change.
        log.PublishRecord(honest =>
            honest with
            {
                Epoch = 7,
                Period = 0,
                PeriodFirstEpoch = 0,
                TimeMs = honest.TimeMs + FixtureLog.StepMs,
                Structures = EpochRecord.Decode(log.Record(5)).Structures,
            });
        auditor.Fixture.Clock.UtcNow = log.Now;
    }

    // Judges the evidence as a person does who has only the evidence and the log's key.
    private static void Judge(Finding finding, FixtureLog log)
    {
        if (finding.IsFork)
        {
            EvidenceCheck.Proves(finding.EvidencePath);
        }
        else if (finding.IsProven)
        {
            Assert.Equal(finding.Reason, EvidenceCheck.ProvesBreach(finding.EvidencePath).Name());
        }
        else
        {
            Assert.Contains(finding.Reason, File.ReadAllText(Path.Combine(finding.EvidencePath, "README.txt")), StringComparison.Ordinal);
            Assert.Equal(FixtureLog.Checkpoint(log.Board(8)), File.ReadAllBytes(Path.Combine(finding.EvidencePath, "1-checkpoint.txt")));
        }
    }

    private static byte[] Flip(byte[] octets, int position)
    {
        octets[position] ^= 1;
        return octets;
    }
}
