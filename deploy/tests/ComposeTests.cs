using Microsoft.Extensions.Configuration;
using Optiks.Settings;
using YamlDotNet.Core;
using YamlDotNet.Serialization;

namespace Optiks.Deploy.Tests;

/// <summary>
/// Tests the compose files, after merging them as compose does. Their settings must be valid for the programs, and all files, secrets and
/// volumes that they name must exist. (tests/e2e/test_images.py runs the compose files.)
/// </summary>
public sealed class ComposeTests
{
    private static readonly string s_folder = Path.Combine(Repository.Root, "deploy", "compose");
    private static readonly string[] s_services = [Programs.UpdateTask.Program, Programs.UpdateService.Program,
        Programs.QueryService.Program];

    public static TheoryData<string> Engines => ["postgresql", "sqlserver"];

    [Theory]
    [MemberData(nameof(Engines))]
    public void Settings_are_those_that_the_programs_take(string engine)
    {
        Dictionary<string, object> file = Load(engine);
        foreach (ProgramSettings program in new[] { Programs.UpdateTask, Programs.UpdateService, Programs.QueryService })
        {
            Dictionary<string, object> service = Part(Part(file, "services"), program.Program);
            Dictionary<string, string> variables = Part(service, "environment").ToDictionary(one => one.Key, one => (string)one.Value);
            Assert.Empty(Problems(program, variables));
            Assert.NotEmpty(Problems(program, new(variables) { ["Optiks__Log__Orgin"] = "x", ["Optiks__Storage__Conection"] = "x" }));
            int port = Manifests.PortOf(program);
            Assert.Equal($"http://0.0.0.0:{port}", variables["ASPNETCORE_URLS"]);
            Assert.Equal(["CMD", "optiks-db", "health", $"http://127.0.0.1:{port}"], Texts(Part(service, "healthcheck"), "test"));
            Assert.EndsWith($"{program.Name}", ((string)service["command"]).TrimEnd('"'), StringComparison.Ordinal);
            Assert.All(Texts(service, "ports"), published => Assert.EndsWith($":{port}:{port}", published, StringComparison.Ordinal));
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public void What_is_named_is_there(string engine)
    {
        Dictionary<string, object> file = Load(engine);
        Dictionary<string, object> services = Part(file, "services");
        string script = File.ReadAllText(Path.Combine(s_folder, "secrets.sh"));
        foreach ((string name, object value) in services)
        {
            var service = (Dictionary<string, object>)value;
            Assert.All(Texts(service, "secrets"), secret => Assert.Contains(secret, Part(file, "secrets").Keys));
            Assert.All(Texts(service, "networks"), network => Assert.Contains(network, Part(file, "networks").Keys));
            Assert.All(Part(service, "depends_on").Keys, other => Assert.Contains(other, services.Keys));
            foreach (string source in Texts(service, "volumes").Select(mount => mount.Split(':')[0]))
            {
                Assert.True(source.StartsWith("./", StringComparison.Ordinal)
                    ? File.Exists(Path.Combine(s_folder, source))
                    : Part(file, "volumes").ContainsKey(source), $"{name}: {source}");
            }
            // Each service except the short-lived service `roles` has a memory limit.
            Assert.True(name == "roles" || service.ContainsKey("mem_limit"), name);
        }
        // secrets.sh creates all files with secrets. Their names are fixed or contain the name of a role.
        Assert.All(Part(file, "secrets"), secret =>
        {
            Assert.Equal($"./secrets/{secret.Key}", Part(Part(file, "secrets"), secret.Key)["file"]);
            string suffix = Path.GetExtension(secret.Key);
            string host = Path.GetFileNameWithoutExtension(secret.Key);
            Assert.True(
                script.Contains($"keep {secret.Key} ", StringComparison.Ordinal)
                    || script.Contains($"keep \"$role{suffix}\" ", StringComparison.Ordinal)
                    || (suffix is ".crt" or ".key" && script.Contains($"\n  certificate {host} ", StringComparison.Ordinal)),
                secret.Key);
        });
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public void Programs_may_do_nothing_that_they_need_not(string engine)
    {
        Dictionary<string, object> services = Part(Load(engine), "services");
        foreach (string name in s_services.Append("migrate"))
        {
            Dictionary<string, object> service = Part(services, name);
            Assert.Equal("true", service["read_only"]);
            Assert.Equal(["ALL"], Texts(service, "cap_drop"));
            Assert.Equal(["no-new-privileges"], Texts(service, "security_opt"));
            Assert.False(service.ContainsKey("user") || service.ContainsKey("privileged") || service.ContainsKey("cap_add"), name);
            // Only the update-task may write to the log's folder.
            Assert.All(Texts(service, "volumes").Where(mount => mount.StartsWith("log:", StringComparison.Ordinal)),
                mount => Assert.Equal(name != s_services[0], mount.EndsWith(":ro", StringComparison.Ordinal)));
            // No variable contains a password, and each service has only the password of its own role.
            Assert.DoesNotContain("Password=", string.Join(' ', Part(service, "environment").Values), StringComparison.Ordinal);
            string own = name == "migrate" ? "owner" : name;
            Assert.All(
                Texts(service, "secrets").Where(secret => secret is not "optiks.kek" && !secret.EndsWith(".crt", StringComparison.Ordinal)),
                secret => Assert.Equal(own, Path.GetFileNameWithoutExtension(secret)));
            Assert.Equal(name is "update-task" or "query-service", Texts(service, "secrets").Contains("optiks.kek"));
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public void What_programs_write_is_mounted(string engine)
    {
        foreach (string name in s_services)
        {
            Dictionary<string, object> service = Part(Part(Load(engine), "services"), name);
            Assert.Contains(Texts(service, "tmpfs"), mount => mount.StartsWith("/tmp:", StringComparison.Ordinal));
            Assert.All(Repository.WrittenInImages,
                folder => Assert.Contains(Texts(service, "volumes"), mount => mount.EndsWith($":{folder}", StringComparison.Ordinal)));
        }
    }

    private static IEnumerable<string> Problems(ProgramSettings program, Dictionary<string, string> variables)
    {
        // The operator sets the log's origin, so this check uses an example.
        IEnumerable<KeyValuePair<string, string?>> settings =
            variables.Select(
                one => KeyValuePair.Create(one.Key.Replace("__", ":", StringComparison.Ordinal),
                    one.Key == "Optiks__Log__Origin" ? "log.example.org/optiks" : (string?)one.Value));
        return ConfigurationCheck.Find(program, new ConfigurationBuilder().AddInMemoryCollection(settings).Build())
            .Where(problem => problem.Kind != ConfigurationProblemKind.File).Select(problem => problem.Text);
    }

    private static Dictionary<string, object> Load(string engine) => Merge(Read("compose.yaml"), Read($"compose.{engine}.yaml"));

    private static Dictionary<string, object> Read(string file)
    {
        using StreamReader text = File.OpenText(Path.Combine(s_folder, file));
        IDeserializer reader = new DeserializerBuilder().Build();
        return (Dictionary<string, object>)Plain(reader.Deserialize<object>(new MergingParser(new Parser(text))));
    }

    private static object Plain(object? value) => value switch
    {
        IDictionary<object, object> map => map.ToDictionary(one => (string)one.Key, one => Plain(one.Value)),
        IList<object> list => list.Select(Plain).ToList(),
        null => "",
        _ => value,
    };

    // Merges two files as compose does: it merges maps key by key, and appends lists.
    private static Dictionary<string, object> Merge(Dictionary<string, object> first, Dictionary<string, object> second)
    {
        var merged = new Dictionary<string, object>(first);
        foreach ((string key, object value) in second)
        {
            merged[key] = (merged.GetValueOrDefault(key), value) switch
            {
                (Dictionary<string, object> one, Dictionary<string, object> other) => Merge(one, other),
                (List<object> one, List<object> other) => (List<object>)[.. one, .. other],
                _ => value,
            };
        }
        return merged;
    }

    private static Dictionary<string, object> Part(Dictionary<string, object> of, string name) =>
        of.GetValueOrDefault(name) as Dictionary<string, object> ?? [];

    private static List<string> Texts(Dictionary<string, object> of, string name) =>
        [.. (of.GetValueOrDefault(name) as List<object> ?? []).Cast<string>()];
}
