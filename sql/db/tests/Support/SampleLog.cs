using Optiks.Db.Tests.Support;
using Optiks.Storage;

[assembly: AssemblyFixture(typeof(SampleLog))]

namespace Optiks.Db.Tests.Support;

/// <summary>
/// Provides a log that is made once for all tests. It has several epochs and versions, a request with two items, a refused request, and a
/// request that is still pending.
/// </summary>
public sealed class SampleLog : IAsyncLifetime
{
    private readonly LogFolder _folder = new();

    public async ValueTask InitializeAsync()
    {
        Assert.Equal(0, (await _folder.RunAsync("migrate")).Code);
        await _folder.AcceptAsync(LogFolder.Item("a", "1"), LogFolder.Item("b", "2"));
        await _folder.AcceptAsync(LogFolder.Item("c", ""));
        await _folder.AcceptAsync(LogFolder.Item("a", "3"));
        await _folder.AcceptAsync(LogFolder.Item("a", "4"));
        await _folder.AcceptAsync(LogFolder.Item("b", "5", new ExpectedVersion(0, 7)), LogFolder.Item("d", "6"));
        await _folder.PublishAsync();
        await _folder.AcceptAsync(LogFolder.Item("e", "7"), LogFolder.Item("a", "8"));
    }

    public ValueTask DisposeAsync()
    {
        _folder.Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>Copies the log into a folder for one test.</summary>
    internal LogFolder Copy() => _folder.Copy();
}
