namespace Optiks.QueryService.Tests;

/// <summary>Gives its tests a log of two epochs, with two versions of alice and one of bob.</summary>
public abstract class TwoEpochTests : IAsyncLifetime
{
    private TestLog? _log;

    private protected TestLog Log => _log!;

    public async ValueTask InitializeAsync()
    {
        _log = await TestLog.CreateAsync();
        await Log.PublishAsync(("alice", "one"), ("bob", "his"));
        await Log.PublishAsync(("alice", "two"));
    }

    public async ValueTask DisposeAsync()
    {
        await Log.DisposeAsync();
        GC.SuppressFinalize(this);
    }
}
