using System.Text.Json;

namespace Optiks.Db.Tests;

public sealed class CommandLineTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("optiks-db-").FullName;

    private string DatabasePath => Path.Combine(_folder, "new", "optiks.db");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Migrate_creates_the_database_once_and_status_describes_it()
    {
        Assert.Equal(ExitCodes.Configuration, (await RunAsync("status")).Code);
        Assert.False(File.Exists(DatabasePath));

        (int code, string output, _) = await RunAsync("migrate");
        Assert.Equal(ExitCodes.Success, code);
        Assert.Contains("applied 0001_create_tables", output, StringComparison.Ordinal);
        (code, output, _) = await RunAsync("migrate");
        Assert.Equal(ExitCodes.Success, code);
        Assert.Contains("nothing to do", output, StringComparison.Ordinal);

        (code, output, _) = await RunAsync("status", "--json");
        Assert.Equal(ExitCodes.Success, code);
        JsonElement status = JsonDocument.Parse(output).RootElement;
        Assert.Equal(DatabasePath, status.GetProperty("database").GetString());
        Assert.Equal(JsonValueKind.Null, status.GetProperty("epoch").ValueKind);
        Assert.Equal(0, status.GetProperty("pending_updates").GetInt64());
        (code, output, _) = await RunAsync("status");
        Assert.Equal(ExitCodes.Success, code);
        Assert.Contains("pending updates  0", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("destroy")]
    [InlineData("migrate", "--force")]
    [InlineData("migrate", "extra")]
    public async Task Wrong_usage_is_2_and_changes_nothing(params string[] args)
    {
        (int code, _, string error) = await RunAsync(args);
        Assert.Equal(ExitCodes.Usage, code);
        Assert.Contains("Try: optiks-db", error, StringComparison.Ordinal);
        Assert.False(File.Exists(DatabasePath));
    }

    [Fact]
    public async Task What_is_misspelt_gets_a_suggestion()
    {
        (int code, string output, string error) = await RunAsync("migrat");
        Assert.Equal((ExitCodes.Usage, ""), (code, output));
        Assert.Contains("migrate", error, StringComparison.Ordinal);
        Assert.DoesNotContain("migrate", (await RunAsync("entirely-other")).Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_version_names_the_commit()
    {
        (int code, string output, _) = await RunAsync("--version");
        Assert.Equal((ExitCodes.Success, $"optiks-db {ProductVersion.Text}"), (code, output.TrimEnd()));
        Assert.Matches(@"^optiks-db \d+\.\d+\.\d+( \(commit [0-9a-f]{12}\))?$", output.TrimEnd());
    }

    [Fact]
    public async Task A_failure_with_json_is_an_object_too()
    {
        (int code, string output, string error) = await RunAsync("status", "--provider", "oracle", "--json");
        Assert.Equal(ExitCodes.Configuration, code);
        JsonElement failure = JsonDocument.Parse(output).RootElement;
        Assert.Equal("configuration", failure.GetProperty("reason").GetString());
        Assert.Contains(failure.GetProperty("error").GetString()!, error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("optiks-db mig", "migrate")]
    [InlineData("optiks-db api-key ", "revoke")]
    public async Task A_shell_can_ask_what_may_follow(string typed, string expected)
    {
        (_, string output, _) = await RunAsync($"[suggest:{typed.Length}]", typed);
        Assert.Contains(expected, output.Split('\n', StringSplitOptions.TrimEntries));
    }

    [Fact]
    public async Task A_database_that_cannot_be_used_is_78_with_one_sentence()
    {
        (int code, _, string error) = await RunAsync("migrate", "--provider", "oracle");
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Equal("error: Optiks:Storage:Provider is not one of: sqlite, postgresql, sqlserver.", error.Trim());
        (code, _, error) = await RunAsync("migrate", "--connection", "Data Source=:memory:");
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains("must be the path of a file", error, StringComparison.Ordinal);
        (code, _, error) = await RunAsync("status", "--provider", "postgresql", "--connection", "Host=127.0.0.1;Nope=1");
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.DoesNotContain("Parameter", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_lists_commands_options_and_exit_codes()
    {
        (int code, string output, _) = await RunAsync("--help");
        Assert.Equal(ExitCodes.Success, code);
        foreach (string word in new[] { "migrate", "status", "--provider", "--connection", "Exit codes", "OPTIKS_DATA" })
        {
            Assert.Contains(word, output, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(ExitCodes.Success, "--help")]
    [InlineData(ExitCodes.Success, "migrate", "--help")]
    [InlineData(ExitCodes.Success, "import-bundles", "--help")]
    [InlineData(ExitCodes.Usage, "migrate", "extra")]
    [InlineData(ExitCodes.Usage)]
    [InlineData(ExitCodes.Unreachable, "status")]
    [InlineData(ExitCodes.Configuration, "status", "--provider", "sqlite")]
    public async Task The_password_of_the_environments_connection_string_is_never_printed(int expected, params string[] args)
    {
        (int code, string output, string error) = await RunIn(
            name => name switch
            {
                "Optiks__Storage__Provider" => "postgresql",
                "Optiks__Storage__ConnectionString" => "Host=127.0.0.1;Port=1;Database=optiks;Username=optiks;Password=correct-horse",
                _ => null,
            },
            args);
        Assert.Equal(expected, code);
        Assert.NotEmpty(output + error);
        Assert.DoesNotContain("correct-horse", output + error, StringComparison.Ordinal);
    }

    private Task<(int Code, string Output, string Error)> RunAsync(params string[] args) =>
        RunIn(name => name == "Optiks__Storage__ConnectionString" ? $"Data Source={DatabasePath}" : null, args);

    private static async Task<(int Code, string Output, string Error)> RunIn(Func<string, string?> environment, string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int code = await CommandLine.RunAsync(args, output, error, environment);
        return (code, output.ToString(), error.ToString());
    }
}
