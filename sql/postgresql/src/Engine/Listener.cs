using Npgsql;

namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>
/// Waits for notifications of new epochs on a connection of its own, which it opens for the first caller. Notifications only save time:
/// waiting callers also poll, so a failure of this class causes only a delay. Safe for concurrent use.
/// </summary>
internal sealed class Listener : IAsyncDisposable
{
    /// <summary>The name of the channel on which the update-task announces new epochs.</summary>
    public const string Published = "optiks_published";

    private static readonly TimeSpan RetryInterval = TimeSpan.FromSeconds(1);

    private readonly Database _database;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _lock = new();
    private TaskCompletionSource _next = NewSource();
    private Task? _running;

    public Listener(Database database) => _database = database;

    /// <summary>
    /// Returns a task that completes at the next notification. Callers must get the task before they read the announced data, so that they
    /// miss no notification.
    /// </summary>
    public Task Next()
    {
        lock (_lock)
        {
            _running ??= Task.Run(RunAsync);
            return _next.Task;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        Task? running;
        lock (_lock)
        {
            running = _running;
        }
        await (running ?? Task.CompletedTask);
        _stop.Dispose();
    }

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private async Task RunAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                await ListenAsync(_stop.Token);
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (Exception e) when (e is StorageException or NpgsqlException)
            {
                // This loop ignores the error, because waiting callers poll until the database is back, and their reads report the error.
                await Task.Delay(RetryInterval, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    private async Task ListenAsync(CancellationToken cancellationToken)
    {
        await using NpgsqlConnection connection = await _database.OpenConnectionAsync($"LISTEN {Published}", cancellationToken);
        while (true)
        {
            // This call wakes the waiting callers, because an epoch may have been published while this connection did not listen.
            Wake();
            await connection.WaitAsync(cancellationToken);
        }
    }

    private void Wake()
    {
        TaskCompletionSource woken;
        lock (_lock)
        {
            woken = _next;
            _next = NewSource();
        }
        woken.SetResult();
    }
}
