using System.Security.Cryptography;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>Tests that the service accepts no updates while its database is older than the board.</summary>
public sealed class RollbackTests
{
    private const string Body = """{"key":"alice","value":"v"}""";

    [Fact]
    public async Task An_older_copy_takes_no_updates_until_the_newest_is_back()
    {
        await using Service service = await Service.StartAsync();
        await service.Log.StartAsync();
        string path = HighWaterMark.PathIn(service.Data);
        DataFolder.CreateFolder(Path.GetDirectoryName(path)!);
        File.WriteAllBytes(path, new HighWaterMark(0, Log.Row(0).RecordHash).Encode());
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
        string before = service.Database.Contents();

        Assert.Equal(0, service.Gauge("optiks.update.held"));
        File.WriteAllBytes(path, new HighWaterMark(1, Log.Row(1).RecordHash).Encode());
        await CheckHeldAsync(service, before);
        Assert.Equal(1, service.Gauge("optiks.update.held"));

        // Publishing the missing epoch again brings the database up to date.
        await service.Log.PublishAsync();
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
        Assert.Equal(200, (await service.GetAsync("/health/ready")).Status);
        Assert.Equal(0, service.Gauge("optiks.update.held"));
        before = service.Database.Contents();

        File.WriteAllBytes(path, new HighWaterMark(1, SHA256.HashData("another record"u8)).Encode());
        await CheckHeldAsync(service, before);
        File.WriteAllText(path, "damaged");
        await CheckHeldAsync(service, before);

        // Between an epoch's commit and its signature, the high-water mark is behind the database. So a mark that is behind must not
        // prevent updates.
        File.WriteAllBytes(path, new HighWaterMark(0, Log.Row(0).RecordHash).Encode());
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
    }

    [Fact]
    public async Task A_database_without_epochs_is_an_older_copy_of_a_log_that_has_some()
    {
        await using Service service = await Service.StartAsync();
        string before = service.Database.Contents();
        string path = HighWaterMark.PathIn(service.Data);
        DataFolder.CreateFolder(Path.GetDirectoryName(path)!);
        File.WriteAllBytes(path, new HighWaterMark(0, Log.Row(0).RecordHash).Encode());
        await CheckHeldAsync(service, before);
        File.Delete(path);
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
    }

    [Fact]
    public async Task The_published_checkpoint_counts_where_the_mark_is_not_to_be_seen()
    {
        await using Service service = await Service.StartAsync();
        await service.Log.StartAsync();
        string before = service.Database.Contents();
        string folder = Path.Combine(service.Data.Board, "log");
        DataFolder.CreateFolder(folder);
        BoardFiles.WriteCheckpoint(service.Data, folder, size: 2);
        await CheckHeldAsync(service, before);
        BoardFiles.WriteCheckpoint(service.Data, folder, size: 1);
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
        before = service.Database.Contents();
        File.WriteAllText(Path.Combine(folder, "checkpoint"), "damaged");
        await CheckHeldAsync(service, before);
        // A checkpoint that another log signed says nothing about this log. If the service does not know the log's key, it cannot rely on
        // any checkpoint.
        BoardFiles.WriteCheckpoint(service.Data, folder, size: 1);
        byte[] checkpoint = await File.ReadAllBytesAsync(Path.Combine(folder, "checkpoint"), TestContext.Current.CancellationToken);
        checkpoint[^10] = checkpoint[^10] == (byte)'A' ? (byte)'B' : (byte)'A';
        await File.WriteAllBytesAsync(Path.Combine(folder, "checkpoint"), checkpoint, TestContext.Current.CancellationToken);
        await CheckHeldAsync(service, before);
        BoardFiles.WriteCheckpoint(service.Data, folder, size: 1);
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
    }

    private static async Task CheckHeldAsync(Service service, string contents)
    {
        (await service.PostAsync(Body)).IsProblem("unavailable", 503, null);
        Assert.Equal(contents, service.Database.Contents());
        Assert.Equal(503, (await service.GetAsync("/health/ready")).Status);
    }
}
