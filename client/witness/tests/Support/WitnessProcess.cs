using Optiks.Tests.Shared;

namespace Optiks.Witness.Tests.Support;

/// <summary>Runs the command <c>optiks witness run</c> in a separate process.</summary>
internal sealed class WitnessProcess : IAsyncDisposable
{
    /// <summary>The exit code that .NET reports for SIGKILL.</summary>
    public const int Killed = ServiceProcess.Killed;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(120);

    private readonly ServiceProcess _process;
    private readonly HttpClient _client = new() { Timeout = s_patience };

    private WitnessProcess(ServiceProcess process) => _process = process;

    /// <summary>The text that the process has written to standard output and standard error so far.</summary>
    public string Output => _process.Output;

    public static WitnessProcess Start(TestFolder folder, string? failPoint = null)
    {
        string[] arguments = ["witness", "run", "--folder", folder.Place.Root, "--urls", "http://127.0.0.1:0"];
        var environment = new Dictionary<string, string> { [FailPoints.Variable] = failPoint ?? "" };
        return new WitnessProcess(ServiceProcess.Start("optiks.dll", arguments, environment, s_patience));
    }

    public static async Task<WitnessProcess> StartedAsync(TestFolder folder, string? failPoint = null)
    {
        WitnessProcess witness = Start(folder, failPoint);
        await witness._process.UrlAsync();
        return witness;
    }

    public async Task<(int Status, string? Type, string Body)> SendAsync(HttpMethod method, string path, byte[] body)
    {
        using var request = new HttpRequestMessage(method, new Uri(await _process.UrlAsync(), path));
        if (method == HttpMethod.Post)
        {
            request.Content = new ByteArrayContent(body);
        }
        using HttpResponseMessage response = await _client.SendAsync(request, TestContext.Current.CancellationToken);
        return ((int)response.StatusCode, response.Content.Headers.ContentType?.ToString(),
            await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
    }

    public Task<(int Status, string? Type, string Body)> AddAsync(byte[] body) => SendAsync(HttpMethod.Post, "/add-checkpoint", body);

    public void Kill() => _process.Kill();

    /// <summary>Waits for the process to end and returns the exit code.</summary>
    public Task<int> ExitAsync() => _process.ExitAsync();

    /// <summary>Asks the process to stop and returns the exit code.</summary>
    public Task<int> TerminateAsync() => _process.TerminateAsync();

    public async ValueTask DisposeAsync()
    {
        await _process.DisposeAsync();
        _client.Dispose();
    }
}
