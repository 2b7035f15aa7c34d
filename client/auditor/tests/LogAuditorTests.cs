
namespace Optiks.Auditor.Tests;

public sealed class LogAuditorTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Everything_is_verified_and_then_signed()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(300);
        using LogAuditor log = await auditor.OpenAsync();
        Assert.Null(log.View.Signed);

        LogView view = await log.LookAsync(Cancellation);

        Assert.Equal(LogCondition.Following, view.Condition);
        Assert.Equal(300UL, auditor.Signed(view));
        Assert.True(view.IsCurrent(auditor.Fixture.Clock.UtcNow));
        auditor.Fixture.Publish(("late", "x"));
        Assert.Equal(301UL, auditor.Signed(await log.LookAsync(Cancellation)));
        // Without a new epoch, a second look does not make the auditor sign again.
        SignedStatement signed = log.View.Signed!;
        Assert.Same(signed, (await log.LookAsync(Cancellation)).Signed);
        auditor.Fixture.Clock.UtcNow = auditor.Fixture.Log.Now.AddDays(1);
        view = await log.LookAsync(Cancellation);
        Assert.Contains("has stopped", view.Description, StringComparison.Ordinal);
        Assert.False(view.IsCurrent(auditor.Fixture.Clock.UtcNow));
    }

    [Fact]
    public async Task A_start_in_the_middle_is_part_of_what_is_said_and_never_changes()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(10);
        auditor.FirstEpoch = 4;
        Assert.Equal(10UL, auditor.Signed(await auditor.LookAsync()));
        auditor.FirstEpoch = 5;
        Assert.Contains("never changes", (await Assert.ThrowsAsync<StartupException>(auditor.LookAsync)).Message, StringComparison.Ordinal);
        // Even with a new state, the auditor refuses another first epoch, because the mark records the first epoch.
        Directory.Delete(auditor.Settings.StateFolder, recursive: true);
        Assert.Contains("one coverage of a log", (await Assert.ThrowsAsync<StartupException>(auditor.LookAsync)).Message,
            StringComparison.Ordinal);
        auditor.FirstEpoch = 4;
        Assert.Equal(10UL, auditor.Signed(await auditor.LookAsync()));
    }

    [Fact]
    public async Task Another_key_signs_nothing_of_the_same_state()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(2);
        Assert.Equal(2UL, auditor.Signed(await auditor.LookAsync()));
        File.Delete(auditor.KeyFile);
        Secrets.CosignerKeyFile.Create(auditor.KeyFile, AuditorFixture.Name);
        Assert.Contains("did not sign with this key", (await Assert.ThrowsAsync<StartupException>(auditor.LookAsync)).Message,
            StringComparison.Ordinal);
        Directory.Delete(auditor.Settings.StateFolder, recursive: true);
        Assert.Contains("one coverage of a log", (await Assert.ThrowsAsync<StartupException>(auditor.LookAsync)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_mark_is_on_disk_before_anything_is_signed()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3);
        // Put a file in place of the mark's folder, so that the auditor cannot write the mark.
        Directory.CreateDirectory(auditor.Settings.MarkFolder);
        using LogAuditor log = await auditor.OpenAsync();
        Directory.Delete(auditor.Settings.MarkFolder, recursive: true);
        File.WriteAllText(auditor.Settings.MarkFolder, "");
        LogView view = await log.LookAsync(Cancellation);
        Assert.Equal((LogCondition.Failing, null), (view.Condition, view.Signed));
        Assert.DoesNotContain(auditor.Settings.MarkFolder, view.PublicDescription, StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(auditor.Files.Folder, "signed.json")));
        File.Delete(auditor.Settings.MarkFolder);
        Directory.CreateDirectory(auditor.Settings.MarkFolder);
        Assert.Equal(3UL, auditor.Signed(await log.LookAsync(Cancellation)));
    }

    [Fact]
    public async Task An_older_copy_of_the_state_signs_nothing_until_it_reaches_the_mark()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3);
        Assert.Equal(3UL, auditor.Signed(await auditor.LookAsync()));
        string copy = auditor.Fixture.Folder.In("copy");
        Copy(auditor.Settings.StateFolder, copy);
        auditor.Fixture.Log.PublishMany(6, i => [($"more-{i}", "v")]);
        auditor.Fixture.Clock.UtcNow = auditor.Fixture.Log.Now;
        Assert.Equal(9UL, auditor.Signed(await auditor.LookAsync()));

        Directory.Delete(auditor.Settings.StateFolder, recursive: true);
        Copy(copy, auditor.Settings.StateFolder);
        // The server shows no epoch after the last epoch in the restored, older copy of the auditor's state.
        auditor.Fixture.Server.Lag = 6;
        LogView view = await auditor.LookAsync();
        Assert.Equal(LogCondition.Waiting, view.Condition);
        Assert.Contains("older copy", view.Description, StringComparison.Ordinal);
        Assert.Equal(3UL, auditor.Signed(view));
        auditor.Fixture.Server.Lag = null;
        view = await auditor.LookAsync();
        Assert.Equal((LogCondition.Following, 9UL), (view.Condition, auditor.Signed(view)));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_older_copy_of_the_state_does_not_sign_a_second_history(bool longer)
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3);
        await auditor.LookAsync();
        string copy = auditor.Fixture.Folder.In("copy");
        Copy(auditor.Settings.StateFolder, copy);
        using FixtureLog second = auditor.Fixture.Log.Fork(4);
        auditor.Fixture.Publish(("alice", "first history"));
        auditor.Fixture.Publish(("alice", "first history, again"));
        Assert.Equal(5UL, auditor.Signed(await auditor.LookAsync()));
        Directory.Delete(auditor.Settings.StateFolder, recursive: true);
        Copy(copy, auditor.Settings.StateFolder);
        second.PublishMany(longer ? 4 : 2, i => [("mallory", $"{i}")]);
        auditor.Fixture.Server.Log = second;
        auditor.Fixture.Clock.UtcNow = second.Now;

        LogView view = await auditor.LookAsync();

        Assert.Equal((LogCondition.Stopped, 3UL), (view.Condition, auditor.Signed(view)));
        Assert.True(view.Finding is { IsFork: true, IsProven: true });
        EvidenceCheck.Proves(view.Finding!.EvidencePath);
        auditor.Fixture.Server.Log = auditor.Fixture.Log;
        Assert.Equal(LogCondition.Stopped, (await auditor.LookAsync()).Condition);
    }

    [Fact]
    public async Task A_lost_or_older_mark_is_noticed_and_a_person_may_go_on()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3);
        await auditor.LookAsync();
        byte[] old = File.ReadAllBytes(auditor.Files.Mark);
        auditor.Fixture.Publish(("late", "x"));
        await auditor.LookAsync();
        foreach (byte[]? contents in (byte[]?[])[null, old])
        {
            File.Delete(auditor.Files.Mark);
            if (contents is not null)
            {
                File.WriteAllBytes(auditor.Files.Mark, contents);
            }
            StartupException refused = await Assert.ThrowsAsync<StartupException>(auditor.LookAsync);
            Assert.Equal(ExitCodes.Rollback, refused.ExitCode);
            using Secrets.NoteSigner key = Secrets.CosignerKeyFile.Open(auditor.KeyFile);
            Assert.Single(await AuditorHost.ResumeAsync(auditor.Settings, key, auditor.Fixture.Http, auditor.Fixture.Clock, Cancellation));
            Assert.Equal(4UL, auditor.Signed(await auditor.LookAsync()));
            Assert.Empty(await AuditorHost.ResumeAsync(auditor.Settings, key, auditor.Fixture.Http, auditor.Fixture.Clock, Cancellation));
        }
        File.WriteAllBytes(auditor.Files.Mark, [.. old.AsSpan(..^10)]);
        Assert.Contains("is not the mark", (await Assert.ThrowsAsync<StartupException>(auditor.LookAsync)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_auditors_do_not_share_a_folder()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(1);
        using LogAuditor first = await auditor.OpenAsync();
        await Assert.ThrowsAsync<Client.ClientStateException>(auditor.OpenAsync);
    }

    [Fact]
    public async Task Two_states_do_not_share_a_mark()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(1);
        using Secrets.NoteSigner key = Secrets.CosignerKeyFile.Open(auditor.KeyFile);
        AuditorSettings other = auditor.Settings with { StateFolder = auditor.Fixture.Folder.In("other") };
        using (LogAuditor first = await auditor.OpenAsync())
        {
            StartupException refused = await Assert.ThrowsAsync<StartupException>(OtherAsync);
            Assert.Contains("one key signs from one state", refused.Message, StringComparison.Ordinal);
        }
        using LogAuditor second = await OtherAsync();
        Assert.Equal(LogCondition.Following, (await second.LookAsync(Cancellation)).Condition);

        Task<LogAuditor> OtherAsync() =>
            LogAuditor.OpenAsync(auditor.Log, other, key, auditor.Fixture.Http, auditor.Fixture.Clock, Cancellation);
    }

    [Fact]
    public async Task Switches_are_part_of_what_is_signed()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3);
        auditor.Fixture.Switch();
        auditor.Fixture.Publish(("alice", "next period"));
        LogView view = await auditor.LookAsync();
        Assert.Equal(5UL, auditor.Signed(view));
        Assert.Equal([4UL], view.Signed!.Switches);
    }

    [Fact]
    public async Task Servers_that_are_behind_or_away_change_nothing_that_was_signed()
    {
        await using AuditorFixture auditor = await AuditorFixture.StartAsync(3);
        using LogAuditor log = await auditor.OpenAsync();
        await log.LookAsync(Cancellation);
        auditor.Fixture.Server.Lag = 1;
        Assert.Equal((LogCondition.Behind, 3UL), (Condition(await log.LookAsync(Cancellation)), auditor.Signed(log.View)));
        auditor.Fixture.Server.Refuse = _ => (503, "unavailable");
        Assert.Equal((LogCondition.Unreachable, 3UL), (Condition(await log.LookAsync(Cancellation)), auditor.Signed(log.View)));
        auditor.Fixture.Server.Refuse = _ => null;
        auditor.Fixture.Server.Lag = null;
        auditor.Fixture.Clock.UtcNow = auditor.Fixture.Log.Now.AddMilliseconds(-(double)FixtureLog.Configuration.MaxAheadMs - 10_000);
        auditor.Fixture.Log.Publish(("ahead", "x"));
        Assert.Equal((LogCondition.Behind, 3UL), (Condition(await log.LookAsync(Cancellation)), auditor.Signed(log.View)));
        auditor.Fixture.Clock.UtcNow = auditor.Fixture.Log.Now;
        Assert.Equal((LogCondition.Following, 4UL), (Condition(await log.LookAsync(Cancellation)), auditor.Signed(log.View)));
    }

    private static LogCondition Condition(LogView view) => view.Condition;

    private static void Copy(string from, string to)
    {
        foreach (string file in Directory.GetFiles(from, "*", SearchOption.AllDirectories))
        {
            string path = Path.Combine(to, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            File.Copy(file, path);
        }
    }
}
