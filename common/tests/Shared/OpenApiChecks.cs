using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Optiks.ServiceDefaults;

namespace Optiks.Tests.Shared;

/// <summary>Compares a service with its OpenAPI document. This file is compiled into the tests of both services.</summary>
internal static class OpenApiChecks
{
    /// <summary>
    /// Returns variations of an object, and says for each variation whether the schema accepts it. The object has every member of the
    /// schema, except that it has only the first of two members that exclude each other. A variation lacks one of the members, has an
    /// unknown member, has the second of two exclusive members instead of the first, or has both.
    /// </summary>
    /// <param name="document">The OpenAPI document.</param>
    /// <param name="schema">The name of the schema.</param>
    /// <param name="sample">The object.</param>
    /// <param name="leftOut">A member that the object lacks because another member excludes it; null if the object lacks no member.</param>
    public static IEnumerable<(string Json, bool IsTaken)> Variations(
        JsonElement document, string schema, string sample, string? leftOut = null)
    {
        JsonElement described = document.GetProperty("components").GetProperty("schemas").GetProperty(schema);
        HashSet<string> members = [.. described.GetProperty("properties").EnumerateObject().Select(member => member.Name)];
        HashSet<string> required = described.TryGetProperty("required", out JsonElement names)
            ? [.. names.EnumerateArray().Select(name => name.GetString()!)]
            : [];
        List<string[]> alternatives = [.. Alternatives(described)];
        Assert.False(described.GetProperty("additionalProperties").GetBoolean());
        HashSet<string> given = [.. JsonNode.Parse(sample)!.AsObject().Select(member => member.Key)];
        Assert.Equal(members.Order(), given.Union(alternatives.SelectMany(pair => pair)).Union(leftOut is null ? [] : [leftOut]).Order());

        yield return (sample, true);
        yield return (Change(sample, one => one["unknown"] = 1), false);
        foreach (string member in given)
        {
            bool isNeeded = required.Contains(member) || alternatives.Any(pair => pair.Contains(member));
            yield return (Change(sample, one => one.Remove(member)), !isNeeded);
        }
        foreach (string[] pair in alternatives)
        {
            yield return (Change(sample, one => one[pair[1]] = Octets(one[pair[0]]!)), false);
            yield return (Change(sample, one =>
            {
                one[pair[1]] = Octets(one[pair[0]]!);
                one.Remove(pair[0]);
            }), true);
        }
    }

    /// <summary>Returns the examples of a request body, in JSON.</summary>
    public static IEnumerable<string> Examples(JsonElement document, string path) =>
        document.GetProperty("paths").GetProperty(path).GetProperty("post").GetProperty("requestBody").GetProperty("content")
            .GetProperty("application/json")
            .GetProperty("examples").EnumerateObject().Select(example => example.Value.GetProperty("value").GetRawText());

    /// <summary>
    /// Checks that the document and the service's endpoints agree about paths, methods, credentials, rate limits, bodies, problems and
    /// headers of problems.
    /// </summary>
    /// <param name="document">The document that the service serves.</param>
    /// <param name="endpoints">The service's endpoints.</param>
    /// <param name="patternOf">The function that returns the route of the endpoint for a path of the document; null if routes and paths are
    /// equal.</param>
    /// <param name="hidden">The routes of endpoints that the document does not describe.</param>
    public static void CheckEndpoints(
        JsonElement document, IEnumerable<Endpoint> endpoints, Func<string, string>? patternOf = null, params string[] hidden)
    {
        ILookup<string, RouteEndpoint> mapped = endpoints.Cast<RouteEndpoint>().Where(endpoint => !IsPage(endpoint))
            .ToLookup(endpoint => endpoint.RoutePattern.RawText!);
        var described = new HashSet<string>(hidden);
        foreach (JsonProperty path in document.GetProperty("paths").EnumerateObject())
        {
            string pattern = patternOf?.Invoke(path.Name) ?? path.Name;
            Assert.True(described.Add(pattern) || pattern != path.Name, $"{path.Name} is hidden");
            string[] methods = [.. path.Value.EnumerateObject().Select(operation => operation.Name)];
            Assert.Equal(mapped[pattern].Select(MethodOf).Order(), methods.Order());
            foreach (JsonProperty operation in path.Value.EnumerateObject())
            {
                CheckOperation($"{operation.Name} {path.Name}", operation.Value,
                    mapped[pattern].Single(endpoint => MethodOf(endpoint) == operation.Name));
            }
        }
        Assert.Equal(mapped.Select(routes => routes.Key).Order(), described.Order());
        JsonElement problem = document.GetProperty("components").GetProperty("schemas").GetProperty("Problem").GetProperty("properties");
        Assert.Equal(ProblemTypes.All.Select(type => type.Urn), Choices(problem.GetProperty("type")));
        Assert.Equal(TokenRefusals.All.Select(refusal => refusal.Name), Choices(problem.GetProperty("reason")));
    }

    // Returns whether the endpoint is the page that shows the document. The document does not describe this page.
    private static bool IsPage(RouteEndpoint endpoint) =>
        endpoint.RoutePattern.RawText!.StartsWith(ApiReference.Path, StringComparison.Ordinal);

    private static IEnumerable<string?> Choices(JsonElement schema) =>
        schema.GetProperty("enum").EnumerateArray().Select(one => one.GetString());

    // Returns the method of an endpoint as the document has it. Health endpoints accept every method; the document has GET, which includes
    // HEAD.
    private static string MethodOf(RouteEndpoint endpoint) =>
        endpoint.Metadata.GetMetadata<IHttpMethodMetadata>()?.HttpMethods[0].ToLowerInvariant() ?? "get";

    private static void CheckOperation(string name, JsonElement operation, RouteEndpoint endpoint)
    {
        JsonElement responses = operation.GetProperty("responses");
        Access? access = endpoint.Metadata.GetMetadata<Access>();
        // If the operator decides whether an endpoint needs a credential, the first element of its list of requirements is empty.
        string[] schemes = [.. operation.GetProperty("security").EnumerateArray()
            .Select(one => string.Concat(one.EnumerateObject().Select(scheme => scheme.Name)))];
        Assert.True(access is null ? schemes is [] or ["", "Bearer"] : schemes is ["Bearer"], name);
        if (access is not null)
        {
            string description = operation.GetProperty("description").GetString()!;
            Assert.EndsWith(
                $"Needs an API key{(access.Tokens == TokenReach.Nothing ? "" : " or a token")} with the scope `{access.ScopeName}`{(access.Tokens == TokenReach.OwnKeys ? "; a token must name each key of the request" : "")}.",
                description, StringComparison.Ordinal);
        }
        bool hasBody = operation.TryGetProperty("requestBody", out _);
        Assert.Equal(MethodOf(endpoint) == "post", hasBody);
        Assert.Equal(
            (schemes.Length > 0, schemes.Length > 0, RateLimits.IsLimited(endpoint), hasBody, hasBody, true, true),
            (Has("401"), Has("403"), Has("429"), Has("413"), Has("415"), Has("400"), Has("500")));
        Assert.NotEmpty(operation.GetProperty("operationId").GetString()!);
        Assert.NotEmpty(
            responses.EnumerateObject().Single(response => response.Name is "200" or "202").Value.GetProperty("content").EnumerateObject());
        foreach (JsonProperty response in responses.EnumerateObject()
            .Where(response => response.Value.TryGetProperty("content", out JsonElement content)
                && content.TryGetProperty("application/problem+json", out _)))
        {
            int status = int.Parse(response.Name, CultureInfo.InvariantCulture);
            string[] problems = response.Value.GetProperty("description").GetString()!.Split(", ");
            Assert.Equal(
                ProblemTypes.All.Where(type => type.Status == status).Select(type => $"`{type.Name}`").Where(problems.Contains), problems);
            string[] headers = response.Value.TryGetProperty("headers", out JsonElement described)
                ? [.. described.EnumerateObject().Select(header => header.Name)]
                : [];
            Assert.Equal(status switch { 401 => ["WWW-Authenticate"], 429 or 503 => ["Retry-After"], _ => [] }, headers);
        }
        Assert.Contains("`malformed-request`", responses.GetProperty("400").GetProperty("description").GetString()!.Split(", "));

        bool Has(string status) => responses.TryGetProperty(status, out _);
    }

    // Returns the pairs of members that exclude each other by the schema.
    private static IEnumerable<string[]> Alternatives(JsonElement schema) =>
        !schema.TryGetProperty("not", out JsonElement not) ? [] : not.GetProperty("anyOf").EnumerateArray()
            .Where(forbidden => forbidden.TryGetProperty("required", out _))
            .Select(forbidden => forbidden.GetProperty("required").EnumerateArray().Select(member => member.GetString()!).ToArray());

    // Returns a value for the second of two exclusive members. If the first member has a text, the second has bytes; if the first has a
    // list of texts, the second has a list of bytes.
    private static JsonNode Octets(JsonNode text) => text is JsonArray ? new JsonArray("YQ") : "YQ";

    private static string Change(string sample, Action<JsonObject> change)
    {
        JsonObject one = JsonNode.Parse(sample)!.AsObject();
        change(one);
        return one.ToJsonString();
    }
}
