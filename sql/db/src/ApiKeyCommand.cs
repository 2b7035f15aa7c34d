using System.CommandLine;
using System.Text;
using Optiks.ApiKeys;
using Optiks.Commands;

namespace Optiks.Db;

/// <summary>
/// Implements <c>optiks-db api-key</c>: manages the API keys that the services of a data folder accept. Needs no database, and services may
/// run at the same time.
/// </summary>
internal static class ApiKeyCommand
{
    private static readonly string[] s_scopes = [.. ApiKeyFile.ScopeNames((ApiScopes)(-1))];

    public static Command Create(Func<DataFolder> folder, Option<bool> json)
    {
        return new Command("api-key",
            "Make, list and revoke the API keys in api-keys.json of $OPTIKS_DATA. Services take a change within a second.")
        {
            CreateAdd(folder, json), CreateList(folder, json), CreateRevoke(folder, json),
        };
    }

    private static Command CreateAdd(Func<DataFolder> folder, Option<bool> json)
    {
        var name = new Argument<string>("NAME") { Description = "who it is for; appears in logs" };
        var scopes = new Option<ApiScopes>("--scope")
        {
            Description =
                "what it allows, one or several separated by commas: update (write), history (history and monitoring, which reveal old values), lookup (where lookups are closed), snapshot (for other replicas: all values), erase (erases values permanently), metrics (for Prometheus)",
            HelpName = "SCOPE,...",
            Required = true,
            CustomParser = result =>
            {
                ApiScopes all = ApiScopes.None;
                foreach (string word in result.Tokens.SelectMany(token => token.Value.Split(',')))
                {
                    ApiScopes one = ApiKeyFile.ParseScope(word);
                    if (one == ApiScopes.None)
                    {
                        result.AddError($"'{word}' is not a scope: choose from {string.Join(", ", s_scopes)}.");
                    }
                    all |= one;
                }
                return all;
            },
        };
        scopes.CompletionSources.Add(s_scopes);
        var file = new Option<string?>("--out")
        {
            Description = "write the key to a new file of mode 0600 instead of printing it",
            HelpName = "FILE",
        };
        var command = new Command("add", "Make a key and print it once: only its hash is kept") { name, scopes, file, json };
        command.SetAction(async (parse, cancel) =>
        {
            string named = parse.GetValue(name)!;
            ApiScopes allowed = parse.GetValue(scopes);
            DataFolder data = folder();
            var editor = new ApiKeyEditor(data.ApiKeys);
            TextWriter output = parse.InvocationConfiguration.Output;
            if (parse.GetValue(file) is { } path && OutputFile.IsTaken(path))
            {
                throw new ApiKeyEditException($"The file {Path.GetFullPath(path)} exists: it is not overwritten.");
            }
            string key = await editor.AddAsync(named, allowed, cancel);
            if (parse.GetValue(file) is { } target)
            {
                await SaveAsync(editor, named, key, target);
            }
            bool shown = parse.GetValue(file) is null;
            if (parse.GetValue(json))
            {
                await output.WriteLineAsync(JsonLine.Write(writer =>
                {
                    writer.WriteString("name", named);
                    JsonText.WriteList(writer, "scopes", ApiKeyFile.ScopeNames(allowed));
                    if (shown)
                    {
                        writer.WriteString("key", key);
                    }
                }));
            }
            else
            {
                // Standard output gets only the key, so that KEY=$(optiks-db api-key add ...) works. This message therefore goes to the
                // error output.
                await parse.InvocationConfiguration.Error.WriteLineAsync(
                    $"API key '{named}' ({string.Join(", ", ApiKeyFile.ScopeNames(allowed))}) in {data.ApiKeys}.{(shown ? " It is shown only once:" : "")}");
                if (shown)
                {
                    await output.WriteLineAsync(key);
                }
            }
            return ExitCodes.Success;
        });
        return command;
    }

    private static async Task SaveAsync(ApiKeyEditor editor, string name, string key, string path)
    {
        bool saved = false;
        try
        {
            saved = OutputFile.TryCreate(path, Encoding.ASCII.GetBytes(key + "\n"), AtomicFile.PrivateMode);
        }
        finally
        {
            // If the key could not be written for its user, it is useless, so this code revokes it. The revocation cannot be cancelled.
            if (!saved)
            {
                await editor.RevokeAsync(name, CancellationToken.None);
            }
        }
        if (!saved)
        {
            throw new ApiKeyEditException($"The file {Path.GetFullPath(path)} exists: it is not overwritten, and no key was made.");
        }
    }

    private static Command CreateList(Func<DataFolder> folder, Option<bool> json)
    {
        var command = new Command("list", "List the keys and what they allow") { json };
        command.SetAction(async parse =>
        {
            IReadOnlyList<ApiKeyEntry> entries = new ApiKeyEditor(folder().ApiKeys).Read();
            TextWriter output = parse.InvocationConfiguration.Output;
            if (parse.GetValue(json))
            {
                await output.WriteLineAsync(JsonLine.Write(writer =>
                {
                    writer.WriteStartArray("keys");
                    foreach (ApiKeyEntry entry in entries)
                    {
                        writer.WriteStartObject();
                        writer.WriteString("name", entry.Name);
                        JsonText.WriteList(writer, "scopes", ApiKeyFile.ScopeNames(entry.Scopes));
                        writer.WriteEndObject();
                    }
                    writer.WriteEndArray();
                }));
                return ExitCodes.Success;
            }
            int width = entries.Select(entry => entry.Name.Length).Append(0).Max();
            foreach (ApiKeyEntry entry in entries)
            {
                await output.WriteLineAsync($"{entry.Name.PadRight(width)}  {string.Join(", ", ApiKeyFile.ScopeNames(entry.Scopes))}");
            }
            if (entries.Count == 0)
            {
                await parse.InvocationConfiguration.Error.WriteLineAsync("There are no API keys.");
            }
            return ExitCodes.Success;
        });
        return command;
    }

    private static Command CreateRevoke(Func<DataFolder> folder, Option<bool> json)
    {
        var name = new Argument<string>("NAME") { Description = "name of the key, as 'list' shows it" };
        var command = new Command("revoke", "Revoke a key: the services refuse it within a second") { name, json };
        command.SetAction(async (parse, cancel) =>
        {
            string named = parse.GetValue(name)!;
            await new ApiKeyEditor(folder().ApiKeys).RevokeAsync(named, cancel);
            await parse.InvocationConfiguration.Output.WriteLineAsync(
                parse.GetValue(json) ? JsonLine.Write(writer => writer.WriteString("revoked", named)) : $"revoked '{named}'");
            return ExitCodes.Success;
        });
        return command;
    }
}
