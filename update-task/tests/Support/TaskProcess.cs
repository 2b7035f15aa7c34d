using System.Diagnostics;
using System.Text;
using Optiks.Storage;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>TaskProcess is the program itself, in a process of its own.</summary>
internal sealed class TaskProcess : IAsyncDisposable
{
    /// <summary>Exit code that .NET reports for SIGKILL.</summary>
    public const int Killed = 128 + 9;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    // Short, so that the start after a kill does not wait long for the killed one's lease.
    private static readonly string[] s_arguments =
    [
        "--urls", "http://127.0.0.1:0", "--Optiks:UpdateTask:EpochInterval=00:00:00.050", "--Optiks:UpdateTask:LeaseDuration=00:00:01",
        "--Optiks:UpdateTask:LeasePollInterval=00:00:00.050",
    ];

    private readonly Process _process;
    private readonly StringBuilder _output = new();
    private readonly TaskCompletionSource<string> _url = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private TaskProcess(Process process) => _process = process;

    /// <summary>Output so far, standard and error.</summary>
    public string Output
    {
        get
        {
            lock (_output)
            {
                return _output.ToString();
            }
        }
    }

    public static TaskProcess Start(TestFolder folder, string? failPoint = null, params string[] settings)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath is { } host && Path.GetFileNameWithoutExtension(host) == "dotnet" ? host : "dotnet")
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
        };
        start.ArgumentList.Add(Path.Combine(AppContext.BaseDirectory, "Optiks.UpdateTask.dll"));
        foreach (string argument in s_arguments.Concat(settings))
        {
            start.ArgumentList.Add(argument);
        }
        start.Environment[DataFolder.Variable] = folder.Data.Root;
        start.Environment[FailPoints.Variable] = failPoint ?? "";
        // Periods follow each other in these tests alone.
        var task = new TaskProcess(new Process { StartInfo = start });
        task._process.OutputDataReceived += (_, line) => task.Take(line.Data);
        task._process.ErrorDataReceived += (_, line) => task.Take(line.Data);
        Assert.True(task._process.Start());
        task._process.BeginOutputReadLine();
        task._process.BeginErrorReadLine();
        return task;
    }

    /// <summary>ExitAsync waits for the end and gives the exit code.</summary>
    public async Task<int> ExitAsync()
    {
        await WithinAsync(_process.WaitForExitAsync);
        return _process.ExitCode;
    }

    /// <summary>TerminateAsync asks it to stop and gives the exit code.</summary>
    public async Task<int> TerminateAsync()
    {
        await SignalAsync("TERM");
        return await ExitAsync();
    }

    /// <summary>SignalAsync sends a signal by its name.</summary>
    public async Task SignalAsync(string name)
    {
        using Process kill = Process.Start("/bin/kill", [$"-{name}", $"{_process.Id}"]);
        await kill.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, kill.ExitCode);
    }

    /// <summary>GetAsync asks it for a path and gives the status code.</summary>
    public async Task<(int Status, string Body)> GetAsync(string path)
    {
        string url = await _url.Task.WaitAsync(s_patience, TestContext.Current.CancellationToken);
        using var client = new HttpClient();
        using HttpResponseMessage response = await client.GetAsync(new Uri(url + path), TestContext.Current.CancellationToken);
        return ((int)response.StatusCode, await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
    }

    /// <summary>UntilAsync waits until the database's head is as wanted.</summary>
    public Task UntilAsync(TestFolder folder, Func<HeadRow, bool> wanted) => UntilAsync(async () =>
    {
        await using IAcceptStore store = await folder.OpenAcceptAsync();
        return wanted(await store.ReadHeadAsync(TestContext.Current.CancellationToken));
    });

    /// <summary>UntilAsync waits until something holds; fails at once when the process ends.</summary>
    public Task UntilAsync(Func<Task<bool>> condition) => WithinAsync(async cancellationToken =>
    {
        while (!await condition())
        {
            Assert.False(_process.HasExited, $"The task ended with {(_process.HasExited ? _process.ExitCode : 0)}: {Output}");
            await Task.Delay(20, cancellationToken);
        }
    });

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            await _process.WaitForExitAsync(CancellationToken.None);
        }
        _process.Dispose();
    }

    private async Task WithinAsync(Func<CancellationToken, Task> wait)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        timeout.CancelAfter(s_patience);
        try
        {
            await wait(timeout.Token);
        }
        catch (OperationCanceledException) when (!TestContext.Current.CancellationToken.IsCancellationRequested)
        {
            Assert.Fail($"Waited {s_patience} in vain: {Output}");
        }
    }

    private void Take(string? line)
    {
        if (line is null)
        {
            return;
        }
        lock (_output)
        {
            _output.AppendLine(line);
        }
        const string Listening = "Now listening on: ";
        int found = line.IndexOf(Listening, StringComparison.Ordinal);
        if (found >= 0)
        {
            string rest = line[(found + Listening.Length)..];
            _url.TrySetResult(rest[..rest.IndexOfAny(['"', ' ', '\\'])]);
        }
    }
}
