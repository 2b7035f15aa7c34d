using System.CommandLine;
using System.Net;
using System.Text.Json;
using Optiks.Commands;
using Optiks.Protocol;

namespace Optiks.Db;

/// <summary>
/// Implements <c>optiks-db health</c>: asks a service on this machine whether it is ready. Container supervisors run this command, because
/// the images contain no other program that could send the request.
/// </summary>
internal static class HealthCommand
{
    private const int MostOctets = 64 * 1024;

    /// <summary>Creates the command.</summary>
    public static Command Create(Option<bool> json, TextWriter output, TextWriter error)
    {
        var address = new Argument<Uri>("URL")
        {
            Description = "Address of the service, such as http://127.0.0.1:8301.",
            CustomParser = result => ParseAddress(result.Tokens[0].Value, result.AddError),
        };
        var live = new Option<bool>("--live") { Description = "Ask whether it is alive, not whether it is ready." };
        var timeout = new Option<int>("--timeout")
        {
            Description = "Seconds to wait for its answer.",
            HelpName = "SECONDS",
            DefaultValueFactory = _ => 3,
        };
        timeout.Validators.Add(result =>
        {
            if (result.Tokens is [var token] && int.TryParse(token.Value, out int seconds) && seconds is < 1 or > 300)
            {
                result.AddError("--timeout takes 1 to 300.");
            }
        });
        var command = new Command(
            "health", "Say whether a service is ready, and what it waits for. Exit codes: 0 ready, 1 not ready, 3 no answer.") { address,
                live, timeout, json };
        command.SetAction((parsed, cancel) => RunAsync(
            new Uri(parsed.GetValue(address)!, parsed.GetValue(live) ? "/health/live" : "/health/ready"),
            TimeSpan.FromSeconds(parsed.GetValue(timeout)), parsed.GetValue(json), output, error, cancel));
        return command;
    }

    private static Uri? ParseAddress(string text, Action<string> refuse)
    {
        if (Uri.TryCreate(text, UriKind.Absolute, out Uri? address)
            && (address.Scheme == Uri.UriSchemeHttp || address.Scheme == Uri.UriSchemeHttps) && address.UserInfo.Length == 0)
        {
            return address;
        }
        refuse($"'{DisplayText.Escape(ErrorText.Address(text))}' is not an http or https address.");
        return null;
    }

    private static async Task<int> RunAsync(
        Uri address, TimeSpan timeout, bool json, TextWriter output, TextWriter error, CancellationToken cancellationToken)
    {
        using var handler = new SocketsHttpHandler { AllowAutoRedirect = false, UseProxy = false, UseCookies = false };
        if (address.IsLoopback)
        {
            // The request goes to this machine's loopback address, so the command does not check the name in the certificate, which names
            // another host. This is safe, because the request contains no secret, and nobody can intercept a connection over the loopback
            // address.
            handler.SslOptions.RemoteCertificateValidationCallback = (_, certificate, _, _) => certificate is not null;
        }
        using var client = new HttpClient(handler) { Timeout = timeout, MaxResponseContentBufferSize = MostOctets };
        HttpStatusCode status;
        List<(string Name, bool IsHealthy, string Sentence)> checks;
        try
        {
            using HttpResponseMessage answer = await client.GetAsync(address, cancellationToken);
            status = answer.StatusCode;
            checks = Read(await answer.Content.ReadAsByteArrayAsync(cancellationToken));
        }
        catch (Exception e) when (e is HttpRequestException or TaskCanceledException && !cancellationToken.IsCancellationRequested)
        {
            await error.WriteLineAsync(
                $"optiks-db: {address} does not answer: {DisplayText.Escape(ErrorText.Line(e is TaskCanceledException ? "not in time" : e.Message))}");
            return ExitCodes.Unreachable;
        }
        bool isHealthy = status == HttpStatusCode.OK;
        if (json)
        {
            await output.WriteLineAsync(JsonLine.Write(writer => Write(writer, isHealthy, (int)status, checks)));
        }
        else
        {
            IEnumerable<string> sentences = checks.Where(check => isHealthy || !check.IsHealthy)
                .Select(check => $"{check.Name}: {check.Sentence}");
            await output.WriteLineAsync(
                DisplayText.Escape(string.Join("; ", [isHealthy ? "healthy" : $"not healthy (HTTP {(int)status})", .. sentences])));
        }
        return isHealthy ? ExitCodes.Success : ExitCodes.Invalid;
    }

    // Reads the checks in an answer. If the answer has another format, returns no checks, and the command uses only the answer's status
    // code. The format may be another one because another program may listen at this address.
    private static List<(string Name, bool IsHealthy, string Sentence)> Read(byte[] body)
    {
        var checks = new List<(string Name, bool IsHealthy, string Sentence)>();
        try
        {
            using var document = JsonDocument.Parse(body);
            if (document.RootElement is { ValueKind: JsonValueKind.Object } root && root.TryGetProperty("checks", out JsonElement all)
                && all.ValueKind == JsonValueKind.Object)
            {
                checks.AddRange(all.EnumerateObject().Where(check => check.Value.ValueKind == JsonValueKind.Object)
                    .Select(check => (check.Name, Text(check.Value, "status") == "healthy", Text(check.Value, "description"))));
            }
        }
        catch (JsonException)
        {
            // The answer has another format, so the command uses only its status code.
        }
        return checks;
    }

    private static string Text(JsonElement check, string name) =>
        check.TryGetProperty(name, out JsonElement text) && text.ValueKind == JsonValueKind.String ? text.GetString()! : "";

    private static void Write(
        Utf8JsonWriter writer, bool isHealthy, int status, List<(string Name, bool IsHealthy, string Sentence)> checks)
    {
        writer.WriteString("status", isHealthy ? "healthy" : "unhealthy");
        writer.WriteNumber("http_status", status);
        writer.WriteStartObject("checks");
        foreach ((string name, bool isCheckHealthy, string sentence) in checks)
        {
            writer.WriteStartObject(name);
            writer.WriteString("status", isCheckHealthy ? "healthy" : "unhealthy");
            writer.WriteString("description", sentence);
            writer.WriteEndObject();
        }
        writer.WriteEndObject();
    }
}
