using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Optiks.ServiceDefaults;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>Tests that the service behaves as its OpenAPI document says.</summary>
public sealed class ApiDescriptionTests
{
    [Fact]
    public async Task Every_endpoint_is_described_with_its_answers()
    {
        await using Service service = await Service.StartAsync();
        Answer answer = await service.GetAsync(ApiDocument.Path);
        JsonElement document = answer.Json;
        OpenApiChecks.CheckEndpoints(document, service.Services.GetRequiredService<EndpointDataSource>().Endpoints);
        Assert.StartsWith("3.1", document.GetProperty("openapi").GetString(), StringComparison.Ordinal);
        JsonElement paths = document.GetProperty("paths");
        JsonElement post = paths.GetProperty("/v1/updates").GetProperty("post");
        JsonElement get = paths.GetProperty("/v1/updates/{request_id}").GetProperty("get");
        Assert.Equal(["202", "400", "401", "403", "406", "409", "413", "415", "429", "500", "503"], Statuses(post));
        Assert.Equal(["200", "400", "401", "403", "404", "406", "429", "500", "503"], Statuses(get));
        Assert.Equal(["request_id", "wait"],
            get.GetProperty("parameters").EnumerateArray().Select(one => one.GetProperty("name").GetString()));
        Assert.Equal("`overloaded`, `unavailable`",
            post.GetProperty("responses").GetProperty("503").GetProperty("description").GetString());
        Assert.True(post.GetProperty("responses").GetProperty("429").GetProperty("headers").TryGetProperty("Retry-After", out _));
        JsonElement users = paths.GetProperty("/v1/users").GetProperty("post");
        Assert.Equal(Statuses(post), Statuses(users));
        Assert.All((JsonElement[])[post, users, get], operation => Assert.Equal(1, operation.GetProperty("security").GetArrayLength()));
    }

    [Fact]
    public async Task The_document_is_kept_by_its_tag()
    {
        await using Service service = await Service.StartAsync();
        using HttpResponseMessage first =
            await service.Client.GetAsync(new Uri(ApiDocument.Path, UriKind.Relative), TestContext.Current.CancellationToken);
        using var again = new HttpRequestMessage(HttpMethod.Get, ApiDocument.Path);
        again.Headers.IfNoneMatch.Add(new EntityTagHeaderValue(first.Headers.ETag!.Tag));
        using HttpResponseMessage second = await service.Client.SendAsync(again, TestContext.Current.CancellationToken);
        Assert.Equal((200, 304), ((int)first.StatusCode, (int)second.StatusCode));
    }

    [Theory]
    [InlineData("Update", "BODY", """{"request_id":"ID","key":"k","value":"v","expected":{"period":0,"version":0}}""", "receipt")]
    [InlineData("Update", "BODY", """{"request_id":"ID","key":"k","value":"v","receipt":true}""", "expected")]
    [InlineData("Item", """{"items":[BODY]}""", """{"key":"k","value":"v","expected":{"period":0,"version":0}}""")]
    [InlineData("AtomicUpdate", "BODY", """{"request_id":"ID","receipt":true,"items":[{"key":"k","value":"v"}]}""")]
    [InlineData("Version", """{"key":"k","value":"v","expected":BODY}""", """{"period":0,"version":0}""")]
    public async Task The_schemas_take_what_the_parser_takes(string schema, string body, string sample, string? leftOut = null)
    {
        var receipts = new ReceiptSetup();
        await using Service service = await Service.StartAsync(receipts.Settings, prepare: receipts.Prepare);
        JsonElement document = (await service.GetAsync(ApiDocument.Path)).Json;
        foreach ((string json, bool isTaken) in OpenApiChecks.Variations(document, schema, sample, leftOut))
        {
            Answer answer = await service.PostAsync(
                body.Replace("BODY", json, StringComparison.Ordinal).Replace("ID", $"{Ids.New()}", StringComparison.Ordinal));
            Assert.True(answer.Status == (isTaken ? 202 : 400), $"{json}: {answer.Json}");
        }
    }

    [Theory]
    [InlineData("UserRequest", "BODY", """{"request_id":"ID","user":"u","changes":[{"op":"decommission"}]}""")]
    [InlineData("NewUserRequest", "BODY", """{"request_id":"ID","changes":[{"op":"create","usernames":["n"]}]}""")]
    [InlineData("CreateUser", """{"user":"u","changes":[BODY]}""",
        """{"op":"create","usernames":["n"],"devices":[{"device":"d","value":"v"}]}""")]
    [InlineData("AddUsername", """{"user":"u","changes":[BODY]}""", """{"op":"add-username","username":"n"}""")]
    [InlineData("AddDevice", """{"user":"u","changes":[BODY]}""", """{"op":"add-device","device":"d","value":"v"}""")]
    [InlineData("SetDevice", """{"user":"u","changes":[BODY]}""",
        """{"op":"set-device","device":"d","value":"v","expected":{"period":0,"version":1}}""")]
    [InlineData("RemoveDevice", """{"user":"u","changes":[BODY]}""", """{"op":"remove-device","device":"d"}""")]
    [InlineData("Decommission", """{"user":"u","changes":[BODY]}""", """{"op":"decommission"}""")]
    [InlineData("Device", """{"user":"u","changes":[{"op":"create","usernames":["n"],"devices":[BODY]}]}""",
        """{"device":"d","value":"v"}""")]
    public async Task The_schemas_take_what_the_parser_of_users_takes(string schema, string body, string sample)
    {
        await using Service service = await Service.StartAsync();
        JsonElement document = (await service.GetAsync(ApiDocument.Path)).Json;
        foreach ((string json, bool isTaken) in OpenApiChecks.Variations(document, schema, sample))
        {
            Answer answer = await service.PostUsersAsync(
                body.Replace("BODY", json, StringComparison.Ordinal).Replace("ID", $"{Ids.New()}", StringComparison.Ordinal));
            Assert.True(answer.Status == (isTaken ? 202 : 400), $"{json}: {answer.Json}");
        }
    }

    [Theory]
    [InlineData("/v1/updates")]
    [InlineData("/v1/users")]
    public async Task The_examples_are_taken(string path)
    {
        await using Service service = await Service.StartAsync();
        string[] examples = [.. OpenApiChecks.Examples((await service.GetAsync(ApiDocument.Path)).Json, path)];
        Assert.NotEmpty(examples);
        foreach (string example in examples)
        {
            Answer answer = await service.PostAsync(Encoding.UTF8.GetBytes(example), path: path);
            Assert.True(answer.Status == 202, $"{example}: {answer.Json}");
        }
    }

    private static IEnumerable<string> Statuses(JsonElement operation) =>
        operation.GetProperty("responses").EnumerateObject().Select(response => response.Name).Order(StringComparer.Ordinal);
}
