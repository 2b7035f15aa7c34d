using System.Diagnostics;
using k8s;
using k8s.Models;
using Optiks.Settings;

namespace Optiks.Deploy.Tests;

/// <summary>Reads the objects of a kustomization into the types of Kubernetes. Reading is strict, so that an unknown field is an error.
/// Immutable.</summary>
internal sealed class Manifests
{
    private static readonly Dictionary<string, Type> s_types = typeof(V1Pod).Assembly.GetTypes()
        .Select(type => (type, Kind: (KubernetesEntityAttribute?)Attribute.GetCustomAttribute(type, typeof(KubernetesEntityAttribute))))
        .Where(one => one.Kind is not null)
        .ToDictionary(
            one => one.Kind!.Group.Length == 0
                ? $"{one.Kind.ApiVersion}/{one.Kind.Kind}"
                : $"{one.Kind.Group}/{one.Kind.ApiVersion}/{one.Kind.Kind}", one => one.type);

    private static readonly Dictionary<string,
        Lazy<string>> s_texts = new[] { "overlays/postgresql-folder", "overlays/s3", "migration" }.ToDictionary(
            folder => folder, folder => new Lazy<string>(() => Render(folder)));
    private static readonly Dictionary<string,
        Lazy<Manifests>> s_rendered = s_texts.ToDictionary(one => one.Key, one => new Lazy<Manifests>(() => Read(one.Value.Value)));

    private Manifests(IReadOnlyList<IKubernetesObject<V1ObjectMeta>> objects) => Objects = objects;

    /// <summary>The folders of the kustomizations that an operator applies.</summary>
    public static IEnumerable<string> Folders => s_rendered.Keys;

    /// <summary>All objects of the kustomization.</summary>
    public IReadOnlyList<IKubernetesObject<V1ObjectMeta>> Objects { get; }

    /// <summary>The pod templates of all workloads, by name.</summary>
    public IReadOnlyDictionary<string, V1PodTemplateSpec> Workloads =>
        Objects.Select(one => (one.Metadata.Name, Template: TemplateOf(one))).Where(one => one.Template is not null)
            .ToDictionary(one => one.Name, one => one.Template!);

    /// <summary>Returns the objects of the kustomization in a folder.</summary>
    public static Manifests Of(string folder) => s_rendered[folder].Value;

    /// <summary>Returns all objects of a type.</summary>
    public IEnumerable<T> All<T>() => Objects.OfType<T>();

    /// <summary>Parses YAML that kubectl has rendered.</summary>
    public static Manifests Read(string text) =>
        new([.. KubernetesYaml.LoadAllFromString(text, s_types, strict: true).Cast<IKubernetesObject<V1ObjectMeta>>()]);

    /// <summary>Returns the YAML that kubectl renders from the kustomization in a folder.</summary>
    public static string TextOf(string folder) => s_texts[folder].Value;

    /// <summary>Returns the objects of a kustomization whose base is the kustomization in the given folder, after applying a JSON
    /// patch.</summary>
    public static Manifests Patched(string folder, string patch, string target)
    {
        DirectoryInfo own = Directory.CreateTempSubdirectory("optiks-deploy-");
        try
        {
            File.Copy(patch, Path.Combine(own.FullName, "patch.yaml"));
            File.WriteAllText(
                Path.Combine(own.FullName, "kustomization.yaml"),
                $"bases: [{Path.GetRelativePath(own.FullName, Path.Combine(Repository.Manifests, folder))}]\npatchesJson6902:\n  - {{target: {target}, path: patch.yaml}}\n");
            return Read(Render(own.FullName));
        }
        finally
        {
            own.Delete(recursive: true);
        }
    }

    private static string Render(string folder)
    {
        var start = new ProcessStartInfo("kubectl",
            ["kustomize", Path.Combine(Repository.Manifests, folder)])
        { RedirectStandardOutput = true, RedirectStandardError = true };
        using Process kubectl = Process.Start(start)!;
        Task<string> complaint = kubectl.StandardError.ReadToEndAsync();
        string text = kubectl.StandardOutput.ReadToEnd();
        kubectl.WaitForExit();
        Assert.True(kubectl.ExitCode == 0, complaint.GetAwaiter().GetResult());
        return text;
    }

    /// <summary>Returns the environment variables of a container, from its ConfigMaps and its own list.</summary>
    public Dictionary<string, string> Environment(V1Container container)
    {
        var variables = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (V1EnvFromSource source in container.EnvFrom ?? [])
        {
            foreach ((string name, string value) in All<V1ConfigMap>().Single(map => map.Metadata.Name == source.ConfigMapRef.Name).Data)
            {
                variables[name] = value;
            }
        }
        foreach (V1EnvVar variable in container.Env ?? [])
        {
            // No variable gets its value from a reference to a secret, because the pods get secrets as files.
            Assert.Null(variable.ValueFrom);
            variables[variable.Name] = variable.Value;
        }
        return variables;
    }

    /// <summary>Returns the service that a container runs; null if the container runs none of the services.</summary>
    public static ProgramSettings? ProgramOf(V1Container container) =>
        Programs.All.FirstOrDefault(program => container.Command is [var command] && command == program.Name);

    /// <summary>Returns the port on which a program listens by default.</summary>
    public static int PortOf(ProgramSettings program) => new Uri(program.DefaultUrl).Port;

    private static V1PodTemplateSpec? TemplateOf(object one) => one switch
    {
        V1Deployment deployment => deployment.Spec.Template,
        V1StatefulSet set => set.Spec.Template,
        V1Job job => job.Spec.Template,
        _ => null,
    };
}
