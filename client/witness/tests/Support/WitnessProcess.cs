using System.Diagnostics;
using System.Text;

namespace Optiks.Witness.Tests.Support;

/// <summary>WitnessProcess is <c>optiks witness run</c> in a process of its own.</summary>
internal sealed class WitnessProcess : IAsyncDisposable
{
    /// <summary>Exit code that .NET reports for SIGKILL.</summary>
    public const int Killed = 128 + 9;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(120);

    private readonly Process _process;
    private readonly StringBuilder _output = new();
    private readonly TaskCompletionSource<Uri> _url = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly HttpClient _client = new() { Timeout = s_patience };

    private WitnessProcess(Process process) => _process = process;

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

    public static WitnessProcess Start(TestFolder folder, string? failPoint = null)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath is { } host && Path.GetFileNameWithoutExtension(host) == "dotnet" ? host : "dotnet")
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
        };
        string[] arguments = [Path.Combine(AppContext.BaseDirectory, "optiks.dll"), "witness", "run", "--folder", folder.Place.Root, "--urls", "http://127.0.0.1:0"];
        Array.ForEach(arguments, start.ArgumentList.Add);
        start.Environment[FailPoints.Variable] = failPoint ?? "";
        var witness = new WitnessProcess(new Process { StartInfo = start });
        witness._process.OutputDataReceived += (_, line) => witness.Take(line.Data);
        witness._process.ErrorDataReceived += (_, line) => witness.Take(line.Data);
        Assert.True(witness._process.Start());
        witness._process.BeginOutputReadLine();
        witness._process.BeginErrorReadLine();
        return witness;
    }

    public static async Task<WitnessProcess> StartedAsync(TestFolder folder, string? failPoint = null)
    {
        WitnessProcess witness = Start(folder, failPoint);
        await witness.UrlAsync();
        return witness;
    }

    public async Task<(int Status, string? Type, string Body)> SendAsync(HttpMethod method, string path, byte[] body)
    {
        using var request = new HttpRequestMessage(method, new Uri(await UrlAsync(), path));
        if (method == HttpMethod.Post)
        {
            request.Content = new ByteArrayContent(body);
        }
        using HttpResponseMessage response = await _client.SendAsync(request, TestContext.Current.CancellationToken);
        return ((int)response.StatusCode, response.Content.Headers.ContentType?.ToString(), await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
    }

    public Task<(int Status, string? Type, string Body)> AddAsync(byte[] body) => SendAsync(HttpMethod.Post, "/add-checkpoint", body);

    public void Kill() => _process.Kill();

    /// <summary>ExitAsync waits for the end and gives the exit code.</summary>
    public async Task<int> ExitAsync()
    {
        await _process.WaitForExitAsync(TestContext.Current.CancellationToken).WaitAsync(s_patience, TestContext.Current.CancellationToken);
        return _process.ExitCode;
    }

    /// <summary>TerminateAsync asks it to stop and gives the exit code.</summary>
    public async Task<int> TerminateAsync()
    {
        using Process kill = Process.Start("/bin/kill", ["-TERM", $"{_process.Id}"]);
        await kill.WaitForExitAsync(TestContext.Current.CancellationToken);
        return await ExitAsync();
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            await _process.WaitForExitAsync(CancellationToken.None);
        }
        _process.Dispose();
        _client.Dispose();
    }

    private async Task<Uri> UrlAsync()
    {
        Task ended = _process.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.True(await Task.WhenAny(_url.Task, ended).WaitAsync(s_patience, TestContext.Current.CancellationToken) == _url.Task, Output);
        return await _url.Task;
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
