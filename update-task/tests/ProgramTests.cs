using Optiks.Storage.Sqlite.Tests;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>Tests how the program ends after an error. It must print one sentence that says what the operator must do.</summary>
public sealed class ProgramTests
{
    [Fact]
    public async Task A_database_without_a_schema_is_exit_78()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        File.Delete(folder.Data.Database);
        await using TaskProcess task = TaskProcess.Start(folder);
        Assert.Equal(ExitCodes.Configuration, await task.ExitAsync());
        Assert.Contains("optiks-db migrate", task.Output, StringComparison.Ordinal);
        Assert.False(File.Exists(folder.Data.LogKey));
    }

    [Theory]
    [InlineData("--Optiks:Storage:Provider=oracle", "is not one of: sqlite")]
    [InlineData("--Optiks:UpdateTask:MaxUpdatesPerEpoch=0", "MaxUpdatesPerEpoch")]
    [InlineData("--Optiks:Log:Origin=with space", "origin")]
    [InlineData("--Optiks:UpdateTask:EpochIntervall=00:00:01", "Optiks:UpdateTask:EpochIntervall is not a setting")]
    [InlineData("--Optiks:Log:Orgin=example", "Optiks:Log:Orgin is not a setting")]
    [InlineData("--Optiks:UpdateTask:EpochInterval=soon", "Optiks:UpdateTask:EpochInterval is not a time")]
    [InlineData("--urls=here", "Invalid url: 'here'")]
    [InlineData("--Logging:LogLevel:Default=loud", "loud")]
    public async Task A_wrong_setting_is_exit_78(string setting, string named)
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        await using TaskProcess task = TaskProcess.Start(folder, null, setting);
        Assert.Equal(ExitCodes.Configuration, await task.ExitAsync());
        Assert.Contains(named, task.Output, StringComparison.Ordinal);
        // The program must not print a stack trace as plain text. Stack traces belong in the log, whose lines are JSON.
        Assert.DoesNotContain(task.Output.Split('\n'), line => line.StartsWith("   at ", StringComparison.Ordinal));
        Assert.False(File.Exists(folder.Data.LogKey));
    }

    [Fact]
    public async Task A_database_that_cannot_be_written_is_waited_for()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        ReadOnlyMount mount = ReadOnlyMount.Over(folder.Data.Root);
        try
        {
            await using TaskProcess task = TaskProcess.Start(folder);
            await task.UntilAsync(async () => await task.GetAsync("/health/ready") is { Status: 503 } ready
                && ready.Body.Contains("The database is unavailable.", StringComparison.Ordinal));
            Assert.Equal(200, (await task.GetAsync("/health/live")).Status);
            mount.Dispose();
            await task.UntilAsync(async () => (await task.GetAsync("/health/ready")).Status == 200);
        }
        finally
        {
            mount.Dispose();
        }
    }

    [Fact]
    public async Task A_database_deleted_while_running_ends_the_task_with_a_sentence_that_says_so()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskProcess task = TaskProcess.Start(folder);
        await updates.AcceptAsync("alice", "a1");
        await task.UntilAsync(folder, head => head.PublishedEpoch is not null);
        foreach (string suffix in (string[])["", "-wal", "-shm"])
        {
            File.Delete(folder.Data.Database + suffix);
        }
        Assert.Equal(ExitCodes.Configuration, await task.ExitAsync());
        Assert.Contains("was deleted, moved or replaced while it was open", task.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("a1", task.Output, StringComparison.Ordinal);
    }
}
