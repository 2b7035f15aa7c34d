using Microsoft.AspNetCore.Routing;
using Optiks.ServiceDefaults;

namespace Optiks.Tests.Shared;

/// <summary>Compares which callers the endpoints answer with the table of docs/spec/rest.md section 3.</summary>
internal static class AccessTable
{
    /// <summary>Checks the endpoints of a host; returns the number of endpoints that require a credential.</summary>
    public static int Check(IEnumerable<RouteEndpoint> endpoints)
    {
        Dictionary<string, string[]> rows = Read();
        int asking = 0;
        foreach (RouteEndpoint endpoint in endpoints)
        {
            string method = endpoint.Metadata.GetMetadata<IHttpMethodMetadata>()?.HttpMethods[0] ?? "GET";
            string[]? row = rows.GetValueOrDefault($"{method} {endpoint.RoutePattern.RawText}");
            if (endpoint.Metadata.GetMetadata<Access>() is not { } access)
            {
                Assert.True(row is null || row[1] == "everything, unless closed", $"{method} {endpoint.RoutePattern.RawText} is open.");
                continue;
            }
            asking++;
            Assert.True(row is not null, $"{method} {endpoint.RoutePattern.RawText} is not in the table.");
            string scope = Optiks.ApiKeys.ApiKeyFile.ScopeName(access.Scope);
            bool mayBeOpen = access == Access.Lookup;
            Assert.Equal(
                [
                    mayBeOpen ? $"`{scope}`, if the operator closes lookups" : $"`{scope}`",
                    mayBeOpen ? "everything, unless closed" : "nothing",
                    "everything",
                    access.Tokens switch
                    {
                        TokenReach.OwnKeys => "the keys that the token names",
                        TokenReach.OwnDevices =>
                            "changes of the devices of the user that the token names, and the decommission of that user",
                        TokenReach.OwnUser => "the user that the token names",
                        TokenReach.OwnKeysAndUser => "the keys and the user that the token names",
                        TokenReach.Everything => "everything",
                        _ => "nothing",
                    },
                ],
                row);
        }
        return asking;
    }

    // Reads the table. Its columns are the endpoint, the scope, and the answers to a caller without a credential, with an API key and with
    // a token.
    private static Dictionary<string, string[]> Read()
    {
        var rows = new Dictionary<string, string[]>(StringComparer.Ordinal);
        foreach (string line in File.ReadLines(Path.Combine(AppContext.BaseDirectory, "spec", "rest.md"))
            .SkipWhile(line => !line.StartsWith("| endpoint | scope |", StringComparison.Ordinal)).Skip(2)
            .TakeWhile(line => line.StartsWith('|')))
        {
            string[] cells = line.Trim('|').Split('|', StringSplitOptions.TrimEntries);
            foreach (string endpoint in cells[0].Split(", ").Where(one => one.StartsWith('`')))
            {
                rows.Add(endpoint.Trim('`'), cells[1..]);
            }
        }
        Assert.NotEmpty(rows);
        return rows;
    }
}
