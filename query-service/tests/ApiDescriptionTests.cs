using System.Text.Json;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Endpoints;
using Optiks.ServiceDefaults;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>Tests that the service behaves as its OpenAPI document says.</summary>
public sealed class ApiDescriptionTests
{
    private readonly Replica _replica;

    public ApiDescriptionTests(PublishedLog published)
    {
        ArgumentNullException.ThrowIfNull(published);
        _replica = published.Replica;
    }

    [Fact]
    public async Task Every_endpoint_is_described_with_its_answers()
    {
        JsonElement document = await _replica.JsonAsync(Replica.Get(ApiDocument.Path));
        // All files of the board have one entry in the document, because one endpoint serves them.
        OpenApiChecks.CheckEndpoints(
            document, _replica.Services.GetRequiredService<EndpointDataSource>().Endpoints,
            path => path.StartsWith("/log/", StringComparison.Ordinal) && path != "/log/checkpoint" ? "/log/{**path}" : path,
            "/internal/snapshot");
        JsonElement paths = document.GetProperty("paths");
        Assert.All(paths.EnumerateObject().SelectMany(path => path.Value.EnumerateObject()),
            operation => Assert.True(operation.Value.GetProperty("responses").TryGetProperty("200", out _)));
        Assert.Equal(1, paths.GetProperty("/v1/history").GetProperty("post").GetProperty("security").GetArrayLength());
        Assert.True(paths.GetProperty("/v1/lookup").GetProperty("post").GetProperty("requestBody").GetProperty("content")
            .TryGetProperty(MediaTypes.Query, out _));
        string[] lookups = [.. paths.EnumerateObject()
            .Where(path => path.Value.EnumerateObject().Any(operation => operation.Value.GetProperty("security").GetArrayLength() == 2))
            .Select(path => path.Name)];
        Assert.Equal([KeyEndpoints.LookupPath, UserEndpoints.LookupPath], lookups);
        Assert.Contains("not-caught-up",
            paths.GetProperty("/v1/lookup").GetProperty("post").GetProperty("responses").GetProperty("503").GetProperty("description")
                .GetString(), StringComparison.Ordinal);
        Assert.Equal(QueryBatch.MaxCount,
            document.GetProperty("components").GetProperty("schemas").GetProperty("UserQueries").GetProperty("anyOf")[1]
                .GetProperty("maxItems").GetInt32());
    }

    [Theory]
    [InlineData("/v1/lookup", "LookupQuery", "BODY", """{"key":"alice","known":{"period":0,"version":1}}""")]
    [InlineData("/v1/lookup", "KnownVersion", """[{"key":"alice","known":BODY}]""", """{"period":0,"version":1}""")]
    [InlineData("/v1/history", "VersionsQuery", "BODY", """{"key":"alice","from":1}""")]
    [InlineData("/v1/monitor", "VersionsQuery", "[BODY]", """{"key":"alice","from":1}""")]
    public async Task The_schemas_take_what_the_parser_takes(string path, string schema, string body, string sample)
    {
        JsonElement document = await _replica.JsonAsync(Replica.Get(ApiDocument.Path));
        foreach ((string json, bool isTaken) in OpenApiChecks.Variations(document, schema, sample))
        {
            // If the request names another key, the test changes the version, because that key does not have every version.
            string sent = body.Replace("BODY", json, StringComparison.Ordinal).Replace(
                "\"version\":1", $"\"version\":{(json.Contains("alice", StringComparison.Ordinal) ? 1 : 0)}", StringComparison.Ordinal);
            using HttpResponseMessage answer = await _replica.SendAsync(Replica.Post(path, sent), asOwner: true);
            Assert.True((int)answer.StatusCode == (isTaken ? 200 : 400),
                $"{sent}: {await answer.Content.ReadAsStringAsync(TestContext.Current.CancellationToken)}");
        }
    }

    [Theory]
    [InlineData("/v1/lookup")]
    [InlineData("/v1/history")]
    [InlineData("/v1/monitor")]
    public async Task The_examples_are_taken(string path)
    {
        string[] examples = [.. OpenApiChecks.Examples(await _replica.JsonAsync(Replica.Get(ApiDocument.Path)), path)];
        Assert.NotEmpty(examples);
        foreach (string example in examples)
        {
            await _replica.OctetsAsync(Replica.Post(path, example), asOwner: true);
        }
    }
}
