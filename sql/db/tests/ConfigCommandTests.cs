using System.Reflection;
using System.Text.Json;
using Optiks.Secrets;
using Optiks.Settings;

namespace Optiks.Db.Tests;

public sealed class ConfigCommandTests : IDisposable
{
    private const string Policy = "witness w KEY https://w.example\nquorum none\n";
    private readonly string _folder = Directory.CreateTempSubdirectory("optiks-db-config-").FullName;
    private readonly Dictionary<string, string> _variables = [];

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task The_reference_is_what_the_options_say()
    {
        (int code, string output, _) = await RunAsync("config", "reference");
        Assert.Equal(ExitCodes.Success, code);
        string page = await File.ReadAllTextAsync(
            Path.Combine(AppContext.BaseDirectory, "operations", "configuration.md"), TestContext.Current.CancellationToken);
        Assert.True(output == page, "docs/operations/configuration.md is not what the options say: run 'make configuration'.");
    }

    [Fact]
    public void Every_setting_is_described_with_its_unit()
    {
        foreach (SettingsSection section in Programs.All.SelectMany(program => program.Sections).Distinct())
        {
            Assert.NotEqual("", ServiceSetting.Describe(section.Options));
            ServiceSetting[] settings = [.. ServiceSetting.List(section.Options)];
            Assert.NotEmpty(settings);
            Assert.All(
                settings, setting => Assert.True(setting.Description.Length > 10, $"{section.Path}:{setting.Name} has no description."));
            // Each setting whose default is a number must have a unit.
            Assert.All(
                settings,
                setting => Assert.True(setting.Unit.Length > 0 || !double.TryParse(setting.Default, out _),
                    $"{section.Path}:{setting.Name} has no unit."));
            Assert.All(
                settings,
                setting => Assert.True(setting.Range is not null || setting.Unit.Length == 0,
                    $"{section.Path}:{setting.Name} has no range."));
        }
    }

    [Fact]
    public void A_setting_that_names_a_file_says_what_file()
    {
        IEnumerable<PropertyInfo> files = Programs.All.SelectMany(program => program.Sections).Distinct()
            .SelectMany(section => section.Options.GetProperties())
            .SelectMany(property => ServiceSetting.HasSettings(property) ? property.PropertyType.GetProperties() : [property])
            .Where(property => property.Name.EndsWith("File", StringComparison.Ordinal));
        Assert.Equal(9, files.Count());
        Assert.All(files,
            property => Assert.NotEqual(SettingFile.None, property.GetCustomAttribute<SettingAttribute>()?.File ?? SettingFile.None));
    }

    [Theory]
    [InlineData("update-task", """{"Optiks": {"UpdateTask": {"EpochIntervall": "00:00:01"}}}""", "unknown",
        "the nearest is Optiks:UpdateTask:EpochInterval")]
    [InlineData("update-task", """{"Optiks": {"UpdateTask": {"Heartbeat": "00:00:01"}}}""", "unknown",
        "the nearest is Optiks:Log:Heartbeat")]
    [InlineData("update-task", """{"Optiks": {"UpdateTusk": {"EpochInterval": "00:00:01"}}}""", "unknown",
        "the nearest is Optiks:UpdateTask")]
    [InlineData("update-task", """{"Optiks": {"UpdateTask": {"EpochInterval": "1s"}}}""", "type",
        "Optiks:UpdateTask:EpochInterval is not a time")]
    [InlineData("update-task", """{"Optiks": {"UpdateTask": {"EpochInterval": "00:00:00.001"}}}""", "value",
        "Optiks:UpdateTask: EpochInterval: The field EpochOptions.EpochInterval must be between")]
    [InlineData("update-task", """{"Optiks": {"Periods": {"CopiesPerChunk": "many"}}}""", "type",
        "Optiks:Periods:CopiesPerChunk is not a whole number")]
    [InlineData("update-task", """{"Optiks": {"Witnesses": {"Require": true}}}""", "value", "needs a policy")]
    [InlineData("update-task", """{"Optiks": {"Witnesses": {"PolicyFile": "FOLDER/none"}}}""", "file", "none")]
    [InlineData("update-task", """{"Optiks": {"Witnesses": {"PolicyFile": "FOLDER/open"}}}""", "file", "is refused at line 1")]
    [InlineData("update-task", """{"Optiks": {"LogKey": {"Uri": "pkcs11:token"}}}""", "value", "Optiks:LogKey:Uri cannot be used")]
    [InlineData("update-task", """{"Optiks": {"Storage": {"Provider": "oracle"}}}""", "value", "Provider is not one of")]
    [InlineData("update-task", """{"Optiks": {"Storage": {"Provider": "postgresql"}}}""", "value", "ConnectionString is missing")]
    [InlineData("query-service", """{"Optiks": {"Storage": {"ConnectionString": "Data Source=:memory:"}}}""", "value",
        "Data Source must be the path")]
    [InlineData("query-service", """{"Optiks": {"QueryService": {"SnapshotPeers": ["https://replica.example"]}}}""", "value",
        "SnapshotPeerKeyFile is missing")]
    [InlineData("query-service", """{"Optiks": {"QueryService": {"SnapshotPeerKeyFile": "FOLDER/open"}}}""", "file",
        "is open to other users")]
    [InlineData("query-service", """{"Optiks": {"Tokens": {"KeysFile": "FOLDER/open"}}}""", "value", "must both be set")]
    [InlineData("query-service",
        """{"Kestrel": {"Endpoints": {"Https": {"Certificate": {"Path": "FOLDER/open", "KeyPath": "FOLDER/open"}}}}}""", "file",
        "is open to other users")]
    [InlineData("query-service", """{"urls": "http://127.0.0.1:8301;here"}""", "value", "urls is not an address such as")]
    [InlineData("query-service", """{"Kestrel": {"Endpoints": {"Public": {"Url": "nowhere"}}}}""", "value",
        "Kestrel:Endpoints:Public:Url is not an address such as")]
    [InlineData("query-service", """{"OPTIKS_DATA": "FOLDER/open"}""", "file", "is a file")]
    [InlineData("query-service", """{"OPTIKS_DATA": "FOLDER"}""", "file", "kek holds a key and is open to other users")]
    [InlineData("update-service", """{"Optiks": {"UpdateService": {"Receipts": {"KeyFile": "FOLDER/secret"}}}}""", "value",
        "must both be set")]
    [InlineData("update-service", """{"Optiks": {"Log": {"MaxKeyLength": "long"}}}""", "type", "Optiks:Log")]
    [InlineData("update-service", """{"Optiks": {"Log": {"MaxKeyLength": 0}}}""", "value", "MaxKeyLength must be between")]
    [InlineData("auditor", """{"Optiks": {"Cors": {"Origins": ["nonsense"]}}}""", "value", "is not an origin")]
    [InlineData("witness", """{"Optiks": {"RateLimits": {"Proxies": ["10.0.0"]}}}""", "value", "is not a network")]
    public async Task What_keeps_a_program_from_starting_is_said(string program, string json, string kind, string says)
    {
        Write("open", "text", AtomicFile.PublicMode);
        if (json.Contains(DataFolder.Variable, StringComparison.Ordinal))
        {
            Write("kek", "text", AtomicFile.PublicMode);
        }
        Write("secret", "text", AtomicFile.PrivateMode);
        JsonElement problem = Assert.Single(
            await CheckAsync(program, json.Replace("FOLDER", _folder, StringComparison.Ordinal), ExitCodes.Configuration));
        Assert.Equal(kind, problem.GetProperty("kind").GetString());
        Assert.Contains(says, problem.GetProperty("text").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_credential_may_show_its_access_control_list()
    {
        Write("key", "text", UnixFileMode.UserRead | UnixFileMode.GroupRead);
        string json = """{"Optiks": {"QueryService": {"SnapshotPeerKeyFile": "FOLDER/key"}}}""".Replace(
            "FOLDER", _folder, StringComparison.Ordinal);
        Assert.Single(await CheckAsync("query-service", json, ExitCodes.Configuration));
        _variables[ServiceCredential.Variable] = _folder;
        Assert.Empty(await CheckAsync("query-service", json, ExitCodes.Success));
        Write("key", "text", UnixFileMode.UserRead | UnixFileMode.OtherRead);
        Assert.Single(await CheckAsync("query-service", json, ExitCodes.Configuration));
    }

    [Theory]
    [InlineData("update-task", """{"Optiks": {"Log": {"Heartbeat": "00:10:00"}}}""", "Optiks:Log:Heartbeat")]
    [InlineData("update-task", """{"Optiks": {"UpdateTask": {"EpochInterval": "00:02:00"}}}""", "Optiks:UpdateTask:EpochInterval")]
    [InlineData("update-task", """{"Optiks": {"UpdateTask": {"LeaseDuration": "00:00:01"}}}""", "Optiks:UpdateTask:LeasePollInterval")]
    [InlineData("update-task", """{"Optiks": {"Periods": {"Interval": "1.00:00:00"}}}""", "Optiks:Periods:Interval")]
    [InlineData("update-task", """{"Optiks": {"Bucket": {"Prefix": "optiks/"}}}""", "Optiks:Bucket:Name")]
    [InlineData("query-service", """{"Optiks": {"RateLimits": {"Lookups": {"Burst": 5}}}}""", "Optiks:RateLimits:Lookups:Burst")]
    public async Task Settings_that_go_ill_together_are_a_warning(string program, string json, string setting)
    {
        JsonElement problem = Assert.Single(await CheckAsync(program, json, ExitCodes.Success));
        Assert.Equal(("warning", setting), (problem.GetProperty("kind").GetString(), problem.GetProperty("setting").GetString()));
    }

    [Fact]
    public async Task All_of_it_is_said_at_once()
    {
        JsonElement[] problems = await CheckAsync(
            "update-task",
            """{"Optiks": {"UpdateTask": {"EpochIntervall": "x", "KeptBundles": 0}, "Storage": {"Provider": "oracle"}, "Log": {"Heartbeat": "00:10:00"}, "Padding": {"Keys": "few"}}}""",
            ExitCodes.Configuration);
        Assert.Equal(["unknown", "type", "value", "warning", "value"], problems.Select(problem => problem.GetProperty("kind").GetString()));
    }

    [Fact]
    public async Task What_does_is_nothing_to_say_of()
    {
        Write(
            "policy",
            Policy.Replace("KEY", $"{new Tlog.VerifierKey("w", Tlog.SignatureType.CosignatureV1, Native.Ed25519.PublicKey(new byte[32]))}",
                StringComparison.Ordinal), AtomicFile.PublicMode);
        Write("secret", "text", AtomicFile.PrivateMode);
        foreach (ProgramSettings program in Programs.All)
        {
            Assert.Empty(await CheckAsync(program.Program, """
                {"Optiks": {"Storage": {"Provider": "postgresql", "ConnectionString": "Host=db;Database=optiks;Username=optiks"}, "UpdateTask": {"EpochInterval": "00:00:02"},
                 "Witnesses": {"PolicyFile": "FOLDER/policy"}, "QueryService": {"SnapshotPeers": ["https://replica.example"], "SnapshotPeerKeyFile": "FOLDER/secret"},
                 "RateLimits": {"Lookups": {"PerSecond": 5, "Burst": 50}}}, "urls": "http://127.0.0.1:8301;https://*:443", "Logging": {"LogLevel": {"Default": "Debug"}}}
                """.Replace("FOLDER", _folder, StringComparison.Ordinal), ExitCodes.Success));
        }
    }

    [Theory]
    [InlineData("s.env", "# of systemd\n; too\n\nOptiks__UpdateTask__KeptBundles=\"0\"\n", "KeptBundles must be between")]
    [InlineData("s.env", "Optiks__UpdateTask__KeptBundles\n", "line 1 is not NAME=VALUE")]
    [InlineData("s.json", "{", "is not a JSON file of settings")]
    [InlineData("s.json", """{"A": 1, "a": 2}""", "is not a JSON file of settings")]
    [InlineData("s.json", "[]", "is not a JSON file of settings")]
    [InlineData("none.json", null, "none.json")]
    public async Task Files_have_one_of_two_forms(string name, string? text, string says)
    {
        if (text is not null)
        {
            Write(name, text, AtomicFile.PublicMode);
        }
        (int code, string output, string error) =
            await RunAsync("config", "check", "--program", "update-task", "--file", Path.Combine(_folder, name));
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains(says, output + error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Later_files_win_and_the_environment_over_all()
    {
        Write("one.json", """{"Optiks": {"UpdateTask": {"KeptBundles": 0}}}""", AtomicFile.PublicMode);
        Write("two.env", "Optiks__UpdateTask__KeptBundles=7\n", AtomicFile.PublicMode);
        string[] command = ["config", "check", "--program", "update-task", "--file", Path.Combine(_folder, "one.json")];
        Assert.Equal(ExitCodes.Configuration, (await RunAsync(command)).Code);
        Assert.Equal(ExitCodes.Success, (await RunAsync([.. command, "--file", Path.Combine(_folder, "two.env")])).Code);
        _variables["Optiks__UpdateTask__KeptBundles"] = "8";
        Assert.Equal(ExitCodes.Success, (await RunAsync(command)).Code);
        _variables["Optiks__UpdateTask__KeptBundles"] = "0";
        Assert.Equal(ExitCodes.Configuration, (await RunAsync([.. command, "--file", Path.Combine(_folder, "two.env")])).Code);
    }

    [Fact]
    public async Task A_program_that_is_none_is_wrong_usage() =>
        Assert.Equal(ExitCodes.Usage, (await RunAsync("config", "check", "--program", "updates")).Code);

    private async Task<JsonElement[]> CheckAsync(string program, string json, int expected)
    {
        Write("appsettings.json", json, AtomicFile.PublicMode);
        (int code, string output, string error) =
            await RunAsync("config", "check", "--program", program, "--file", Path.Combine(_folder, "appsettings.json"), "--json");
        Assert.True(code == expected, output + error);
        JsonElement answer = JsonDocument.Parse(output).RootElement;
        Assert.Equal(expected == ExitCodes.Success ? "valid" : "invalid", answer.GetProperty("verdict").GetString());
        return [.. answer.GetProperty("problems").EnumerateArray()];
    }

    private void Write(string name, string text, UnixFileMode mode)
    {
        string path = Path.Combine(_folder, name);
        File.WriteAllText(path, text);
        File.SetUnixFileMode(path, mode);
    }

    private async Task<(int Code, string Output, string Error)> RunAsync(params string[] args)
    {
        var output = new StringWriter();
        var error = new StringWriter();
        // The test sets the data folder to its own folder, so that it does not read the developer's own data folder.
        var variables = new Dictionary<string, string>(_variables);
        if (!File.Exists(Path.Combine(_folder, "kek")))
        {
            variables.TryAdd(DataFolder.Variable, Path.Combine(_folder, "data"));
        }
        int code = await CommandLine.RunAsync(args, output, error, variables.GetValueOrDefault, () => variables);
        return (code, output.ToString(), error.ToString());
    }
}
