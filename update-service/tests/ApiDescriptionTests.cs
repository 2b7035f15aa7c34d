using System.Text.Json;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>The OpenAPI document says what the service does.</summary>
public sealed class ApiDescriptionTests
{
    [Fact]
    public async Task Every_endpoint_is_described_with_its_answers()
    {
        await using Service service = await Service.StartAsync();
        JsonElement document = (await service.GetAsync("/openapi/v1.json")).Json;
        Assert.StartsWith("3.1", document.GetProperty("openapi").GetString(), StringComparison.Ordinal);
        JsonElement paths = document.GetProperty("paths");
        Assert.Equal(
            ["/health/live", "/health/ready", "/v1/updates", "/v1/updates/{request_id}"],
            paths.EnumerateObject().Select(path => path.Name).Order(StringComparer.Ordinal));
        JsonElement post = paths.GetProperty("/v1/updates").GetProperty("post");
        JsonElement get = paths.GetProperty("/v1/updates/{request_id}").GetProperty("get");
        Assert.Equal(["202", "400", "401", "403", "406", "409", "413", "415", "429", "500", "503"], Statuses(post));
        Assert.Equal(["200", "400", "401", "403", "404", "406", "429", "500", "503"], Statuses(get));
        Assert.Equal(["request_id", "wait"], get.GetProperty("parameters").EnumerateArray().Select(one => one.GetProperty("name").GetString()));
        Assert.Contains("overloaded, unavailable", post.GetProperty("responses").GetProperty("503").GetProperty("description").GetString(), StringComparison.Ordinal);
        Assert.True(post.GetProperty("responses").GetProperty("429").GetProperty("headers").TryGetProperty("Retry-After", out _));
        Assert.All((JsonElement[])[post, get], operation => Assert.Equal(1, operation.GetProperty("security").GetArrayLength()));
    }

    [Fact]
    public async Task The_schemas_have_the_members_that_answers_have()
    {
        await using Service service = await Service.StartAsync();
        await service.Log.StartAsync();
        JsonElement document = (await service.GetAsync("/openapi/v1.json")).Json;
        Answer accepted = await service.PostAsync("""[{"key":"alice","value":"1"},{"key":"alice","value":"2","expected":{"period":0,"version":0}}]""");
        Check(document, "AcceptedUpdate", accepted.Json[0]);
        string published = accepted.Json[0].GetProperty("status_url").GetString()!;
        Check(document, "PendingStatus", (await service.GetAsync(published)).Json);
        await service.Log.PublishAsync();
        await service.Log.PublishAsync();
        JsonElement status = (await service.GetAsync(published)).Json;
        Check(document, "PublishedStatus", status);
        Check(document, "PublishedItem", status.GetProperty("items")[0]);
        JsonElement refused = (await service.GetAsync(accepted.Json[1].GetProperty("status_url").GetString()!)).Json;
        Check(document, "RefusedStatus", refused);
        Check(document, "Version", refused.GetProperty("current"));
        Check(document, "Problem", (await service.PostAsync("""{"key":5}""")).Json);
    }

    [Fact]
    public async Task References_lead_to_schemas()
    {
        await using Service service = await Service.StartAsync();
        JsonElement document = (await service.GetAsync("/openapi/v1.json")).Json;
        string[] references = [.. References(document).Distinct()];
        Assert.Contains("#/components/schemas/Updates", references);
        foreach (string reference in references)
        {
            JsonElement at = document;
            foreach (string part in reference.Split('/').Skip(1))
            {
                Assert.True(at.TryGetProperty(part, out at), reference);
            }
        }
    }

    private static IEnumerable<string> Statuses(JsonElement operation) =>
        operation.GetProperty("responses").EnumerateObject().Select(response => response.Name).Order(StringComparer.Ordinal);

    private static void Check(JsonElement document, string name, JsonElement answer)
    {
        JsonElement schema = document.GetProperty("components").GetProperty("schemas").GetProperty(name);
        string[] members = [.. answer.EnumerateObject().Select(member => member.Name)];
        string[] described = [.. schema.GetProperty("properties").EnumerateObject().Select(member => member.Name)];
        Assert.Subset(described.ToHashSet(), members.ToHashSet());
        Assert.Subset(members.ToHashSet(), schema.GetProperty("required").EnumerateArray().Select(one => one.GetString()!).ToHashSet());
    }

    private static IEnumerable<string> References(JsonElement element) => element.ValueKind switch
    {
        JsonValueKind.Object => element.EnumerateObject().SelectMany(member =>
            member.Name == "$ref" ? [member.Value.GetString()!] : References(member.Value)),
        JsonValueKind.Array => element.EnumerateArray().SelectMany(References),
        _ => [],
    };
}
