namespace Optiks.QueryService.Tests;

/// <summary>
/// The base class of tests that need a log with two epochs, in which the key "alice" has two versions and the key "bob" has one.
/// </summary>
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
