using System.Diagnostics;
using System.Text.RegularExpressions;
using k8s.Models;
using Microsoft.Extensions.Configuration;
using Optiks.Settings;
using Optiks.Storage;
using Optiks.Storage.Hosting;

namespace Optiks.Deploy.Tests;

/// <summary>Tests that the manifests are valid objects of Kubernetes, and that the programs accept the settings in them.</summary>
public sealed partial class ManifestTests
{
    private const string Services = "app.kubernetes.io/name";
    private const long User = 10001;

    public static TheoryData<string> Folders => [.. Manifests.Folders];

    public static TheoryData<string> Overlays =>
        [.. Manifests.Folders.Where(folder => folder.StartsWith("overlays/", StringComparison.Ordinal))];

    [Theory]
    [MemberData(nameof(Folders))]
    public void Every_object_is_of_its_type(string folder)
    {
        Manifests manifests = Manifests.Of(folder);
        Assert.NotEmpty(manifests.Objects);
        Assert.All(manifests.Objects,
            one => Assert.True(one is V1Namespace || one.Metadata.NamespaceProperty == "optiks",
                $"{one.Kind} {one.Metadata.Name} is in another namespace."));
        // If two objects of a kind had the same name, kubectl would keep only one of them.
        Assert.Equal(manifests.Objects.Count, manifests.Objects.Select(one => (one.Kind, one.Metadata.Name)).Distinct().Count());
    }

    [Theory]
    [InlineData("terminationGracePeriodSeconds", "terminationGraceSeconds")]
    [InlineData("readOnlyRootFilesystem", "readonlyRootFilesystem")]
    [InlineData("runAsNonRoot: true", "runAsNonRoot: maybe")]
    [InlineData("kind: PodDisruptionBudget", "kind: PodDisruptionBudgets")]
    [InlineData("apiVersion: autoscaling/v2", "apiVersion: autoscaling/v2beta2")]
    public void What_is_misspelt_is_refused(string right, string wrong)
    {
        string text = Manifests.TextOf("overlays/postgresql-folder");
        Assert.Contains(right, text, StringComparison.Ordinal);
        Assert.ThrowsAny<Exception>(() => Manifests.Read(text.Replace(right, wrong, StringComparison.Ordinal)));
    }

    [Theory]
    [MemberData(nameof(Folders))]
    public void Settings_are_those_that_the_programs_take(string folder)
    {
        Manifests manifests = Manifests.Of(folder);
        foreach (V1Container container in manifests.Workloads.Values.SelectMany(template => template.Spec.Containers))
        {
            Dictionary<string, string> variables = manifests.Environment(container);
            if (Manifests.ProgramOf(container) is { } program)
            {
                Assert.Empty(Problems(program, variables));
                // This shows that the check reads the settings: it finds a misspelt setting.
                Assert.Contains(Problems(program, new(variables) { ["Optiks__Storage__ProviderName"] = "x" }),
                    problem => problem.Contains("ProviderName", StringComparison.Ordinal));
                Assert.Contains(variables.Keys, name => name == "Optiks__Storage__Provider");
            }
            else
            {
                Assert.Equal(["optiks-db", "migrate"], container.Command);
                Assert.Equal(["Optiks__Storage__ConnectionString", "Optiks__Storage__Provider"], variables.Keys.Order());
            }
            IStorageProvider engine = StorageProviders.Select(variables["Optiks__Storage__Provider"], [.. StorageEngines.All()]);
            string connection = variables["Optiks__Storage__ConnectionString"];
            _ = engine.CreateMigrator(connection);
            Assert.Throws<StorageMisconfiguredException>(
                () => engine.CreateMigrator(connection.Replace("Passfile", "Passfil", StringComparison.Ordinal)));
            Assert.DoesNotContain("Password", connection, StringComparison.OrdinalIgnoreCase);
            Assert.Contains("SSL Mode=VerifyFull", connection, StringComparison.Ordinal);
        }
    }

    [Theory]
    [MemberData(nameof(Overlays))]
    public void Ports_are_the_programs_own_and_probes_ask_for_health(string folder)
    {
        Manifests manifests = Manifests.Of(folder);
        foreach (ProgramSettings program in new[] { Programs.UpdateTask, Programs.UpdateService, Programs.QueryService })
        {
            V1Container container = manifests.Workloads[program.Name].Spec.Containers.Single();
            int port = Manifests.PortOf(program);
            Assert.Same(program, Manifests.ProgramOf(container));
            Assert.Equal(port, container.Ports.Single().ContainerPort);
            Assert.Equal($"https://0.0.0.0:{port}", manifests.Environment(container)["ASPNETCORE_URLS"]);
            V1Service service = manifests.All<V1Service>().Single(one => one.Metadata.Name == program.Name);
            Assert.Equal((port, "https"), (service.Spec.Ports.Single().Port, service.Spec.Ports.Single().TargetPort.Value));
            foreach ((V1Probe probe, string path) in new[] { (container.StartupProbe, "/health/live"),
                (container.LivenessProbe, "/health/live"), (container.ReadinessProbe, "/health/ready") })
            {
                Assert.Equal((path, "https", "HTTPS"), (probe.HttpGet.Path, probe.HttpGet.Port.Value, probe.HttpGet.Scheme));
            }
        }
    }

    [Theory]
    [MemberData(nameof(Folders))]
    public void Selectors_select(string folder)
    {
        Manifests manifests = Manifests.Of(folder);
        Dictionary<string, IDictionary<string, string>> labels = manifests.Workloads.ToDictionary(
            one => one.Key, one => one.Value.Metadata.Labels);
        Assert.All(labels, one => Assert.Equal(one.Key, one.Value[Services]));
        IEnumerable<(string Of, IDictionary<string, string> Selector)> selectors =
        [
            .. manifests.All<V1Deployment>().Select(one => (one.Metadata.Name, one.Spec.Selector.MatchLabels)),
            .. manifests.All<V1StatefulSet>().Select(one => (one.Metadata.Name, one.Spec.Selector.MatchLabels)),
            .. manifests.All<V1Service>().Select(one => (one.Metadata.Name, one.Spec.Selector)),
            .. manifests.All<V1PodDisruptionBudget>().Select(one => (one.Metadata.Name, one.Spec.Selector.MatchLabels)),
            .. manifests.Workloads.SelectMany(
                one =>
                    (one.Value.Spec.TopologySpreadConstraints ?? []).Select(constraint => (one.Key, constraint.LabelSelector.MatchLabels))),
        ];
        Assert.All(selectors, one => Assert.All(one.Selector, label => Assert.Equal(label.Value, labels[one.Of][label.Key])));
        Assert.All(manifests.All<V1StatefulSet>(),
            one => Assert.Contains(manifests.All<V1Service>(), service => service.Metadata.Name == one.Spec.ServiceName));
        Assert.All(manifests.All<V2HorizontalPodAutoscaler>(),
            one =>
                Assert.Equal(1, manifests.All<V1Deployment>()
                    .Count(deployment => deployment.Metadata.Name == one.Spec.ScaleTargetRef.Name && deployment.Spec.Replicas is null)));
    }

    [Theory]
    [MemberData(nameof(Overlays))]
    public void Each_role_survives_a_node(string folder)
    {
        Manifests manifests = Manifests.Of(folder);
        foreach (string role in manifests.Workloads.Keys)
        {
            Assert.Equal("1", manifests.All<V1PodDisruptionBudget>().Single(one => one.Metadata.Name == role).Spec.MaxUnavailable.Value);
            Assert.Contains(manifests.Workloads[role].Spec.TopologySpreadConstraints, one => one.TopologyKey == "kubernetes.io/hostname");
            int least = manifests.All<V1StatefulSet>().SingleOrDefault(one => one.Metadata.Name == role)?.Spec.Replicas
                ?? manifests.All<V2HorizontalPodAutoscaler>().Single(one => one.Metadata.Name == role).Spec.MinReplicas!.Value;
            Assert.True(least >= 2, role);
        }
    }

    [Theory]
    [MemberData(nameof(Folders))]
    public void Pods_may_do_nothing_that_they_need_not(string folder)
    {
        foreach ((string name, V1PodTemplateSpec template) in Manifests.Of(folder).Workloads)
        {
            V1PodSpec pod = template.Spec;
            Assert.False(pod.AutomountServiceAccountToken, name);
            Assert.Equal((true, (long?)User, (long?)User, "RuntimeDefault"),
                (pod.SecurityContext.RunAsNonRoot, pod.SecurityContext.RunAsUser, pod.SecurityContext.FsGroup,
                    pod.SecurityContext.SeccompProfile.Type));
            Assert.True(pod.HostNetwork is not true && pod.HostPID is not true && pod.HostIPC is not true, name);
            foreach (V1Container container in pod.Containers.Concat(pod.InitContainers ?? []))
            {
                Assert.Equal((false, true),
                    (container.SecurityContext.AllowPrivilegeEscalation, container.SecurityContext.ReadOnlyRootFilesystem));
                Assert.Equal(["ALL"], container.SecurityContext.Capabilities.Drop);
                Assert.Null(container.SecurityContext.Capabilities.Add);
                Assert.NotEqual(true, container.SecurityContext.Privileged);
                Assert.True(container.Resources.Requests.ContainsKey("cpu") && container.Resources.Requests.ContainsKey("memory")
                    && container.Resources.Limits.ContainsKey("memory"), name);
                Assert.Matches("^registry.example.org/optiks-server:[0-9.]+$", container.Image);
            }
            Assert.DoesNotContain(pod.Volumes, volume => volume.HostPath is not null);
            // Only the owner and the pod's group can read the secrets, because the programs refuse a secret that all users can read.
            Assert.All(pod.Volumes.Where(volume => volume.Projected is not null),
                volume => Assert.Equal(0b100_100_000, volume.Projected.DefaultMode));
            Assert.All(pod.Volumes.Where(volume => volume.Secret is not null),
                volume => Assert.Equal(0b100_100_000, volume.Secret.DefaultMode));
        }
    }

    [Theory]
    [MemberData(nameof(Overlays))]
    public void What_programs_write_is_mounted(string folder)
    {
        foreach (V1PodTemplateSpec template in Manifests.Of(folder).Workloads.Values)
        {
            IList<V1VolumeMount> mounts = template.Spec.Containers.Single().VolumeMounts;
            Assert.Contains(mounts, mount => mount.MountPath == "/tmp" && mount.ReadOnlyProperty is not true);
            foreach (string written in Repository.WrittenInImages)
            {
                V1VolumeMount mount = Assert.Single(mounts, mount => mount.MountPath == written);
                Assert.NotEqual(true, mount.ReadOnlyProperty);
                // The files in this folder can have gigabytes, so the volume must not be in memory. It must not be read-only either.
                Assert.DoesNotContain(template.Spec.Volumes,
                    volume => volume.Name == mount.Name
                        && (volume.EmptyDir?.Medium is not null || volume.PersistentVolumeClaim?.ReadOnlyProperty is true
                            || volume.Secret is not null));
            }
        }
    }

    [Theory]
    [InlineData("optiks-update-task-0", "", "trust.json: new, api-keys.json: new, log.key: new")]
    [InlineData("optiks-update-task-1", "log.key: old, api-keys.json: old", "trust.json: new, api-keys.json: new, log.key: old")]
    public async Task A_task_takes_the_Secret_at_its_start_and_keeps_the_key_that_it_has(string pod, string before, string after)
    {
        V1Container container = Assert.Single(Manifests.Of("overlays/s3").Workloads["optiks-update-task"].Spec.InitContainers);
        DirectoryInfo folder = Directory.CreateTempSubdirectory("optiks-deploy-");
        try
        {
            DirectoryInfo secret = folder.CreateSubdirectory("secret");
            DirectoryInfo data = folder.CreateSubdirectory("data");
            foreach (string file in new[] { "log.key", "trust.json", "api-keys.json" })
            {
                await File.WriteAllTextAsync(Path.Combine(secret.FullName, file), "new", TestContext.Current.CancellationToken);
            }
            foreach (string[] file in before.Split(", ", StringSplitOptions.RemoveEmptyEntries).Select(file => file.Split(": ")))
            {
                await File.WriteAllTextAsync(Path.Combine(data.FullName, file[0]), file[1], TestContext.Current.CancellationToken);
            }
            string script = container.Command[^1].Replace("/srv/optiks", secret.FullName, StringComparison.Ordinal)
                .Replace("/var/lib/optiks", data.FullName, StringComparison.Ordinal);
            var start = new ProcessStartInfo(
                container.Command[0], [.. container.Command.Skip(1).SkipLast(1), script])
            { Environment = { ["HOSTNAME"] = pod } };
            using Process shell = Process.Start(start)!;
            await shell.WaitForExitAsync(TestContext.Current.CancellationToken);
            Assert.Equal(0, shell.ExitCode);
            Assert.Equal(after.Split(", ").Order(StringComparer.Ordinal),
                data.GetFiles().Select(file => $"{file.Name}: {File.ReadAllText(file.FullName)}").Order(StringComparer.Ordinal));
            Assert.All(data.GetFiles().Where(file => File.ReadAllText(file.FullName) == "new"),
                file => Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, file.UnixFileMode));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Theory]
    [MemberData(nameof(Overlays))]
    public void Only_tasks_and_replicas_have_the_key_encryption_key(string folder)
    {
        IEnumerable<string> holders = Manifests.Of(folder).Workloads.Where(one => Secrets(one.Value.Spec).Contains("optiks-kek"))
            .Select(one => one.Key);
        Assert.Equal(["optiks-query-service", "optiks-update-task"], holders.Order());
        // Each program has the password of its own role only.
        Assert.All(Manifests.Of(folder).Workloads,
            one => Assert.Equal([$"{one.Key}-database"],
                Secrets(one.Value.Spec).Where(name => name.EndsWith("-database", StringComparison.Ordinal))));
    }

    [Fact]
    public void What_is_missing_is_what_the_page_has_the_operator_bring()
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "operations", "kubernetes.md"));
        string[] brought = [.. BroughtRow().Matches(page).Select(match => match.Groups[1].Value).Order(StringComparer.Ordinal)];
        var missing = new SortedSet<string>(StringComparer.Ordinal);
        foreach (Manifests manifests in Manifests.Folders.Select(Manifests.Of))
        {
            string[] there = [.. manifests.Objects.Select(one => $"{one.Kind} {one.Metadata.Name}")];
            foreach (V1PodSpec pod in manifests.Workloads.Values.Select(template => template.Spec))
            {
                missing.UnionWith(References(pod).Except(there));
                string[] volumes = [.. pod.Volumes.Select(volume => volume.Name)
                    .Concat(manifests.All<V1StatefulSet>().SelectMany(set => set.Spec.VolumeClaimTemplates ?? [])
                        .Select(claim => claim.Metadata.Name))];
                Assert.All(pod.Containers.Concat(pod.InitContainers ?? []).SelectMany(container => container.VolumeMounts),
                    mount => Assert.Contains(mount.Name, volumes));
            }
        }
        Assert.Equal(brought, missing);
    }

    [Theory]
    [MemberData(nameof(Overlays))]
    public void Without_prometheus_adapter_the_autoscalers_need_none(string folder) =>
        // The autoscalers must not use other metrics than those of resources: while a metric is unavailable, an autoscaler removes no
        // replicas.
        Assert.All(Manifests.Of(folder).All<V2HorizontalPodAutoscaler>(),
            one => Assert.All(one.Spec.Metrics, metric => Assert.NotNull(metric.Resource)));

    [Fact]
    public void The_autoscaler_is_given_its_metric()
    {
        V2HorizontalPodAutoscaler patched =
            Manifests.Patched("overlays/s3", Path.Combine(Repository.Manifests, "monitoring", "autoscaling.yaml"),
                "{group: autoscaling, version: v2, kind: HorizontalPodAutoscaler, name: optiks-query-service}")
            .All<V2HorizontalPodAutoscaler>().Single(one => one.Metadata.Name == "optiks-query-service");
        Assert.Equal(["Resource", "Pods"], patched.Spec.Metrics.Select(one => one.Type));
        string metric = patched.Spec.Metrics[1].Pods.Metric.Name;
        Assert.Contains($"as: {metric}\n", File.ReadAllText(Path.Combine(Repository.Manifests, "monitoring", "prometheus-adapter.yaml")),
            StringComparison.Ordinal);
        Assert.Contains($"| `{metric.Replace("optiks_query_", "optiks.query.", StringComparison.Ordinal)}` |",
            File.ReadAllText(Path.Combine(Repository.Root, "docs", "operations", "telemetry.md")), StringComparison.Ordinal);
    }

    // Returns the problems in a program's settings. Problems with files are left out, because the files exist only in the pods.
    private static IEnumerable<string> Problems(ProgramSettings program, Dictionary<string, string> variables)
    {
        IConfiguration configuration =
            new ConfigurationBuilder().AddInMemoryCollection(
                variables.Select(one => KeyValuePair.Create(one.Key.Replace("__", ":", StringComparison.Ordinal), (string?)one.Value)))
                .Build();
        return ConfigurationCheck.Find(program, configuration).Where(problem => problem.Kind != ConfigurationProblemKind.File)
            .Select(problem => problem.Text);
    }

    private static IEnumerable<string> Secrets(V1PodSpec pod) =>
        References(pod).Where(name => name.StartsWith("Secret ", StringComparison.Ordinal)).Select(name => name["Secret ".Length..]);

    private static IEnumerable<string> References(V1PodSpec pod) =>
    [
        $"ServiceAccount {pod.ServiceAccountName}",
        .. pod.Containers.Concat(pod.InitContainers ?? []).SelectMany(container => container.EnvFrom ?? [])
            .Select(source => $"ConfigMap {source.ConfigMapRef.Name}"),
        .. pod.Volumes.Where(volume => volume.PersistentVolumeClaim is not null)
            .Select(volume => $"PersistentVolumeClaim {volume.PersistentVolumeClaim.ClaimName}"),
        .. pod.Volumes.Where(volume => volume.Secret is not null).Select(volume => $"Secret {volume.Secret.SecretName}"),
        .. pod.Volumes.SelectMany(volume => volume.Projected?.Sources ?? [])
            .Select(source => source.Secret is { } secret ? $"Secret {secret.Name}" : $"ConfigMap {source.ConfigMap.Name}"),
    ];

    [GeneratedRegex(@"^\| ((?:Secret|ConfigMap) [a-z-]+) \|", RegexOptions.Multiline)]
    private static partial Regex BroughtRow();
}
