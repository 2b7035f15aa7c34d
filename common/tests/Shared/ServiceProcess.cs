using System.Diagnostics;
using System.Text;

namespace Optiks.Tests.Shared;

/// <summary>
/// Runs a program with an HTTP server in a process of its own, which Dispose kills. This file is compiled into the tests of such programs.
/// </summary>
internal sealed class ServiceProcess : IAsyncDisposable
{
    /// <summary>The exit code that .NET reports for SIGKILL.</summary>
    public const int Killed = 128 + 9;

    private readonly Process _process;
    private readonly TimeSpan _patience;
    private readonly StringBuilder _output = new();
    private readonly TaskCompletionSource<Uri> _url = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private ServiceProcess(Process process, TimeSpan patience)
    {
        _process = process;
        _patience = patience;
    }

    /// <summary>The output that the program has written so far to standard output and standard error.</summary>
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

    /// <summary>Starts a program whose assembly is next to the test assembly.</summary>
    /// <param name="assembly">The name of the assembly's file.</param>
    /// <param name="arguments">The arguments of the program.</param>
    /// <param name="environment">The variables that the program gets in addition to this process's variables.</param>
    /// <param name="patience">The longest time to wait for a condition.</param>
    public static ServiceProcess Start(
        string assembly, IEnumerable<string> arguments, IReadOnlyDictionary<string, string> environment, TimeSpan patience)
    {
        var start = new ProcessStartInfo(
            Environment.ProcessPath is { } host && Path.GetFileNameWithoutExtension(host) == "dotnet" ? host : "dotnet")
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
        };
        start.ArgumentList.Add(Path.Combine(AppContext.BaseDirectory, assembly));
        foreach (string argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }
        var service = new ServiceProcess(new Process { StartInfo = start }, patience);
        service._process.OutputDataReceived += (_, line) => service.Take(line.Data);
        service._process.ErrorDataReceived += (_, line) => service.Take(line.Data);
        Assert.True(service._process.Start());
        service._process.BeginOutputReadLine();
        service._process.BeginErrorReadLine();
        return service;
    }

    /// <summary>Waits until the program listens, and returns its address. Fails the test at once if the program ends first.</summary>
    public async Task<Uri> UrlAsync()
    {
        await WithinAsync(async cancellationToken =>
        {
            Task ended = _process.WaitForExitAsync(cancellationToken);
            Assert.True(await Task.WhenAny(_url.Task, ended) == _url.Task, Output);
        });
        return await _url.Task;
    }

    /// <summary>Kills the process with SIGKILL.</summary>
    public void Kill() => _process.Kill();

    /// <summary>Waits for the process's end and returns the exit code.</summary>
    public async Task<int> ExitAsync()
    {
        await WithinAsync(_process.WaitForExitAsync);
        return _process.ExitCode;
    }

    /// <summary>Asks the process to stop, waits for its end and returns its exit code.</summary>
    public async Task<int> TerminateAsync()
    {
        await SignalAsync("TERM");
        return await ExitAsync();
    }

    /// <summary>Sends the signal with this name to the process.</summary>
    public async Task SignalAsync(string name)
    {
        using Process kill = Process.Start("/bin/kill", [$"-{name}", $"{_process.Id}"]);
        await kill.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, kill.ExitCode);
    }

    /// <summary>Waits until a condition holds. Fails the test at once if the process ends.</summary>
    public Task UntilAsync(Func<Task<bool>> condition) => WithinAsync(async cancellationToken =>
    {
        while (!await condition())
        {
            Assert.False(_process.HasExited, $"It ended with {(_process.HasExited ? _process.ExitCode : 0)}: {Output}");
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
        timeout.CancelAfter(_patience);
        try
        {
            await wait(timeout.Token);
        }
        catch (OperationCanceledException) when (!TestContext.Current.CancellationToken.IsCancellationRequested)
        {
            Assert.Fail($"Waited {_patience} in vain: {Output}");
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
            _url.TrySetResult(new Uri(rest[..rest.IndexOfAny(['"', ' ', '\\'])]));
        }
    }
}
