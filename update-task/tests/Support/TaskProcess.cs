using Optiks.Storage;
using Optiks.Tests.Shared;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>Runs the program Optiks.UpdateTask in a process of its own.</summary>
internal sealed class TaskProcess : IAsyncDisposable
{
    /// <summary>The exit code that .NET reports for a process that SIGKILL has ended.</summary>
    public const int Killed = ServiceProcess.Killed;

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(3);

    // The lease is short, so that a process that is started after a kill does not wait long until the killed process's lease expires.
    private static readonly string[] s_arguments =
    [
        "--urls", "http://127.0.0.1:0", "--Optiks:UpdateTask:EpochInterval=00:00:00.050", "--Optiks:UpdateTask:LeaseDuration=00:00:01",
        "--Optiks:UpdateTask:LeasePollInterval=00:00:00.050",
    ];

    private readonly ServiceProcess _process;

    private TaskProcess(ServiceProcess process) => _process = process;

    /// <summary>The text that the program has written to standard output and standard error so far.</summary>
    public string Output => _process.Output;

    public static TaskProcess Start(TestFolder folder, string? failPoint = null, params string[] settings)
    {
        var environment = new Dictionary<string, string>
        {
            [DataFolder.Variable] = folder.Data.Root,
            [FailPoints.Variable] = failPoint ?? "",
        };
        return new TaskProcess(ServiceProcess.Start("Optiks.UpdateTask.dll", s_arguments.Concat(settings), environment, s_patience));
    }

    /// <summary>Waits until the process ends, and returns its exit code.</summary>
    public Task<int> ExitAsync() => _process.ExitAsync();

    /// <summary>Asks the process to stop, waits until it ends, and returns its exit code.</summary>
    public Task<int> TerminateAsync() => _process.TerminateAsync();

    /// <summary>Sends the process the signal with this name.</summary>
    public Task SignalAsync(string name) => _process.SignalAsync(name);

    /// <summary>Sends an HTTP GET request for a path to the program, and returns the status code and the body of the answer.</summary>
    public async Task<(int Status, string Body)> GetAsync(string path)
    {
        Uri url = await _process.UrlAsync();
        using var client = new HttpClient();
        using HttpResponseMessage response = await client.GetAsync(new Uri(url, path), TestContext.Current.CancellationToken);
        return ((int)response.StatusCode, await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
    }

    /// <summary>Waits until the head row of the database meets a condition.</summary>
    public Task UntilAsync(TestFolder folder, Func<HeadRow, bool> wanted) => UntilAsync(async () =>
    {
        await using IAcceptStore store = await folder.OpenAcceptAsync();
        return wanted(await store.ReadHeadAsync(TestContext.Current.CancellationToken));
    });

    /// <summary>Waits until a condition holds; fails at once if the process ends.</summary>
    public Task UntilAsync(Func<Task<bool>> condition) => _process.UntilAsync(condition);

    public ValueTask DisposeAsync() => _process.DisposeAsync();
}
