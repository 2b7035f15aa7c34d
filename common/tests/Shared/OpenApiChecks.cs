using System.Text.Json;
using System.Text.Json.Nodes;

namespace Optiks.Tests.Shared;

/// <summary>Compares a service with its OpenAPI document. This file is compiled into the tests of both services.</summary>
internal static class OpenApiChecks
{
    /// <summary>
    /// Returns variations of an object that has every member of a schema; of two members that exclude each other, it has the first. The
    /// result says for each variation whether the schema accepts it. A variation lacks a member, has an unknown member, has the second of
    /// two exclusive members instead of the first, or has both.
    /// </summary>
    /// <param name="document">The document.</param>
    /// <param name="schema">The name of the schema.</param>
    /// <param name="sample">The object.</param>
    /// <param name="leftOut">A member that the object lacks, because it excludes another; null if the object has all members.</param>
    public static IEnumerable<(string Json, bool IsTaken)> Variations(JsonElement document, string schema, string sample, string? leftOut = null)
    {
        JsonElement described = document.GetProperty("components").GetProperty("schemas").GetProperty(schema);
        HashSet<string> members = [.. described.GetProperty("properties").EnumerateObject().Select(member => member.Name)];
        HashSet<string> required = described.TryGetProperty("required", out JsonElement names) ? [.. names.EnumerateArray().Select(name => name.GetString()!)] : [];
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
        document.GetProperty("paths").GetProperty(path).GetProperty("post").GetProperty("requestBody").GetProperty("content").GetProperty("application/json")
            .GetProperty("examples").EnumerateObject().Select(example => example.Value.GetProperty("value").GetRawText());

    /// <summary>Compares the document with the committed document, which the lint and the generated clients use.</summary>
    public static async Task CheckCommittedAsync(JsonElement document, string name)
    {
        string committed = Path.Combine(AppContext.BaseDirectory, "openapi", name);
        string made = committed + ".made";
        await File.WriteAllTextAsync(made, document.GetRawText() + "\n", TestContext.Current.CancellationToken);
        string before = await File.ReadAllTextAsync(committed, TestContext.Current.CancellationToken);
        Assert.True(document.GetRawText() + "\n" == before, $"The interface changed. If that is meant: cp {made} docs/spec/openapi/{name}");
    }

    // Returns the pairs of members of which the schema forbids having both.
    private static IEnumerable<string[]> Alternatives(JsonElement schema) =>
        !schema.TryGetProperty("not", out JsonElement not) ? [] : not.GetProperty("anyOf").EnumerateArray()
            .Where(forbidden => forbidden.TryGetProperty("required", out _))
            .Select(forbidden => forbidden.GetProperty("required").EnumerateArray().Select(member => member.GetString()!).ToArray());

    // Returns the value of the second of two exclusive members: a text becomes bytes, and a list of texts becomes a list of bytes.
    private static JsonNode Octets(JsonNode text) => text is JsonArray ? new JsonArray("YQ") : "YQ";

    private static string Change(string sample, Action<JsonObject> change)
    {
        JsonObject one = JsonNode.Parse(sample)!.AsObject();
        change(one);
        return one.ToJsonString();
    }
}
