using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Optiks.Tests.Shared;

namespace Optiks.Db.Tests;

public sealed class HealthCommandTests
{
    private const string Unready =
        """{"status":"unhealthy","checks":{"database":{"status":"unhealthy","description":"The database is unavailable."},"board":{"status":"healthy","description":"Reads."}}}""";

    [Fact]
    public async Task A_service_that_is_ready_is()
    {
        await using MadeUpServer service =
            await AnswerAsync(200, """{"status":"healthy","checks":{"task":{"status":"healthy","description":"Leads."}}}""");
        Assert.Equal((ExitCodes.Success, "healthy; task: Leads.\n", ""), await RunAsync("health", service.Address));
    }

    [Fact]
    public async Task One_that_is_not_says_why()
    {
        await using MadeUpServer service = await AnswerAsync(503, Unready);
        Assert.Equal((ExitCodes.Invalid, "not healthy (HTTP 503); database: The database is unavailable.\n", ""),
            await RunAsync("health", service.Address));
        (int code, string output, _) = await RunAsync("health", service.Address, "--json");
        Assert.Equal(ExitCodes.Invalid, code);
        using var said = JsonDocument.Parse(output);
        Assert.Equal(("unhealthy", "healthy"),
            (said.RootElement.GetProperty("status").GetString(),
                said.RootElement.GetProperty("checks").GetProperty("board").GetProperty("status").GetString()));
    }

    [Fact]
    public async Task Live_asks_another_question()
    {
        await using MadeUpServer service = await MadeUpServer.StartAsync(context =>
        {
            context.Response.StatusCode = context.Request.Path == "/health/live" ? 200 : 503;
            return Task.CompletedTask;
        });
        Assert.Equal(ExitCodes.Success, (await RunAsync("health", service.Address, "--live")).Code);
        Assert.Equal(ExitCodes.Invalid, (await RunAsync("health", service.Address)).Code);
    }

    [Theory]
    [InlineData(404, "no JSON")]
    [InlineData(500, """{"checks":[1]}""")]
    [InlineData(503, """{"checks":{"a":1,"b":{"status":2}}}""")]
    [InlineData(302, "")]
    public async Task Whatever_else_answers_is_not_ready(int status, string body)
    {
        await using MadeUpServer service = await AnswerAsync(status, body);
        (int code, string output, _) = await RunAsync("health", service.Address);
        Assert.Equal(ExitCodes.Invalid, code);
        Assert.StartsWith($"not healthy (HTTP {status})", output, StringComparison.Ordinal);
        Assert.Equal(1, service.Asked);
    }

    [Fact]
    public async Task An_answer_that_does_not_end_is_none()
    {
        await using MadeUpServer service = await AnswerAsync(200, new string(' ', 1 << 20));
        Assert.Equal(ExitCodes.Unreachable, (await RunAsync("health", service.Address)).Code);
        await using MadeUpServer silent = await MadeUpServer.StartAsync(context => Task.Delay(Timeout.Infinite, context.RequestAborted));
        (int code, _, string error) = await RunAsync("health", silent.Address, "--timeout", "1");
        Assert.Equal(ExitCodes.Unreachable, code);
        Assert.Contains("not in time", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Nobody_there_is_said()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        int port = ((IPEndPoint)taken.LocalEndpoint).Port;
        taken.Stop();
        (int code, _, string error) = await RunAsync("health", $"http://127.0.0.1:{port}");
        Assert.Equal(ExitCodes.Unreachable, code);
        Assert.StartsWith("optiks-db: http://127.0.0.1:", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task This_machines_own_certificate_may_be_of_another_name()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=log.example.org", key, HashAlgorithmName.SHA256);
        using X509Certificate2 certificate = request.CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(100));
        await using MadeUpServer service =
            await MadeUpServer.StartAsync(context => context.Response.WriteAsync("{}"), listener => listener.UseHttps(certificate));
        Assert.Equal(ExitCodes.Success, (await RunAsync("health", service.Address)).Code);
    }

    [Theory]
    [InlineData("health")]
    [InlineData("health", "ftp://127.0.0.1")]
    [InlineData("health", "http://user:password@127.0.0.1")]
    [InlineData("health", "127.0.0.1:8301")]
    [InlineData("health", "http://127.0.0.1:8301", "--timeout", "0")]
    public async Task A_wrong_command_line_is_one(params string[] line) => Assert.Equal(ExitCodes.Usage, (await RunAsync(line)).Code);

    private static Task<MadeUpServer> AnswerAsync(int status, string body) => MadeUpServer.StartAsync(async context =>
    {
        context.Response.StatusCode = status;
        context.Response.Headers.Location = status == 302 ? "/health/live" : default;
        await context.Response.WriteAsync(body);
    });

    private static async Task<(int Code, string Output, string Error)> RunAsync(params string[] line)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        int code = await CommandLine.RunAsync(line, output, error, _ => null);
        return (code, output.ToString(), error.ToString());
    }
}
