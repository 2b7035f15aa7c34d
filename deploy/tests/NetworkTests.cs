using System.Net;
using k8s.Models;
using Optiks.Settings;

namespace Optiks.Deploy.Tests;

/// <summary>Tests that the network policies admit exactly the traffic that Optiks needs, for every pair of parties and every
/// port.</summary>
public sealed class NetworkTests
{
    private const string Ours = "optiks";
    private const string Tcp = "TCP";
    private const string Udp = "UDP";
    private static readonly int[] s_ports = [22, 53, 80, 443, 5432, 6443,
        .. new[] { Programs.UpdateTask, Programs.UpdateService, Programs.QueryService }.Select(Manifests.PortOf)];

    private static readonly Party[] s_others =
    [
        Other("gateway", ("optiks-access", "clients")),
        Other("prometheus", ("optiks-access", "metrics")),
        Other("database", ("optiks-access", "database")),
        new("names", Labels(("kubernetes.io/metadata.name", "kube-system")), Labels(("k8s-app", "kube-dns")), null),
        new("neighbour-of-names", Labels(("kubernetes.io/metadata.name", "kube-system")), Labels(("k8s-app", "other")), null),
        Other("stranger"),
        new("internet", [], [], IPAddress.Parse("203.0.113.7")),
        new("private", [], [], IPAddress.Parse("10.1.2.3")),
        new("cloud-metadata", [], [], IPAddress.Parse("169.254.169.254")),
    ];

    private static readonly string[] s_needed =
    [
        "gateway > optiks-query-service 8301", "gateway > optiks-update-service 8311",
        "optiks-query-service > optiks-query-service 8301",
        "prometheus > optiks-query-service 8301", "prometheus > optiks-update-service 8311", "prometheus > optiks-update-task 8321",
        .. new[] { "optiks-query-service", "optiks-update-service", "optiks-update-task", "optiks-migration" }.SelectMany(
            pod => new[] { $"{pod} > database 5432", $"{pod} > names 53", $"{pod} > names 53 UDP" }),
    ];

    [Theory]
    [InlineData("overlays/postgresql-folder")]
    [InlineData("overlays/s3", "optiks-query-service > internet 443", "optiks-update-service > internet 443",
        "optiks-update-task > internet 443")]
    public void Exactly_the_needed_flows_are_admitted(string folder, params string[] more) =>
        Assert.Equal(s_needed.Concat(more).Order(StringComparer.Ordinal), Admitted(Policies(folder), Parties(folder)));

    [Fact]
    public void Without_the_policies_everything_is()
    {
        Party[] parties = Parties("overlays/s3");
        string[] open = Admitted([], parties);
        Assert.Contains("stranger > optiks-update-task 22", open);
        // Each policy is needed: if one of them is removed, the admitted traffic differs.
        V1NetworkPolicy[] policies = Policies("overlays/s3");
        string[] right = Admitted(policies, parties);
        Assert.All(policies, left => Assert.NotEqual(right, Admitted([.. policies.Except([left])], parties)));
    }

    private static V1NetworkPolicy[] Policies(string folder) => [.. Manifests.Of(folder).All<V1NetworkPolicy>()];

    private static Party[] Parties(string folder) =>
    [
        .. Manifests.Of(folder).Workloads.Concat(Manifests.Of("migration").Workloads)
            .Select(one => new Party(one.Key, Labels(("kubernetes.io/metadata.name", Ours)), new(one.Value.Metadata.Labels), null)),
        .. s_others,
    ];

    private static string[] Admitted(V1NetworkPolicy[] policies, Party[] parties) =>
    [
        .. (from one in parties
            from other in parties
            // The workloads of Optiks have several pods, so a pod may send traffic to another pod of the same workload.
            where one.IsOurs || (one != other && other.IsOurs)
            from port in s_ports
            from protocol in new[] { Tcp, Udp }
            where IsAdmitted(policies, one, other, port, protocol)
            select $"{one.Name} > {other.Name} {port}{(protocol == Tcp ? "" : $" {protocol}")}").Order(StringComparer.Ordinal),
    ];

    // Returns whether the policies admit traffic, by the rule of Kubernetes: if at least one policy selects a pod, one of these policies
    // must admit the traffic. The rule applies to the sending and to the receiving pod.
    private static bool IsAdmitted(V1NetworkPolicy[] policies, Party from, Party to, int port, string protocol)
    {
        V1NetworkPolicySpec[] leaving =
            [.. policies.Select(policy => policy.Spec)
                .Where(policy => from.IsOurs && policy.PolicyTypes.Contains("Egress") && Selects(policy.PodSelector, from.PodLabels))];
        V1NetworkPolicySpec[] coming =
            [.. policies.Select(policy => policy.Spec)
                .Where(policy => to.IsOurs && policy.PolicyTypes.Contains("Ingress") && Selects(policy.PodSelector, to.PodLabels))];
        return (leaving.Length == 0
            || leaving.SelectMany(policy => policy.Egress ?? []).Any(rule => Is(rule.To, to) && IsOn(rule.Ports, port, protocol)))
            && (coming.Length == 0 || coming.SelectMany(policy => policy.Ingress ?? [])
                .Any(rule => Is(rule.FromProperty, from) && IsOn(rule.Ports, port, protocol)));
    }

    private static bool Is(IList<V1NetworkPolicyPeer>? peers, Party party) => peers is null || peers.Any(peer => peer.IpBlock is { } block
        ? party.Address is { } address && IPNetwork.Parse(block.Cidr).Contains(address)
            && !(block.Except ?? []).Any(except => IPNetwork.Parse(except).Contains(address))
        : party.Address is null && (peer.NamespaceSelector is { } space ? Selects(space, party.NamespaceLabels) : party.IsOurs)
            && (peer.PodSelector is null || Selects(peer.PodSelector, party.PodLabels)));

    private static bool IsOn(IList<V1NetworkPolicyPort>? ports, int port, string protocol) =>
        ports is null || ports.Any(one => (one.Protocol ?? Tcp) == protocol && (one.Port is null || one.Port.Value == $"{port}"));

    private static bool Selects(V1LabelSelector selector, Dictionary<string, string> labels) =>
        (selector.MatchLabels ?? new Dictionary<string, string>()).All(
            label => labels.TryGetValue(label.Key, out string? value) && value == label.Value)
        && (selector.MatchExpressions ?? []).All(expression => expression.OperatorProperty == "In"
            ? labels.TryGetValue(expression.Key, out string? value) && expression.Values.Contains(value)
            : throw new NotSupportedException(expression.OperatorProperty));

    private static Party Other(string name, params (string, string)[] labels) =>
        new(name, Labels([("kubernetes.io/metadata.name", name), .. labels]), [], null);

    private static Dictionary<string, string> Labels(params (string Name, string Value)[] labels) =>
        labels.ToDictionary(label => label.Name, label => label.Value);

    private sealed record Party(
        string Name, Dictionary<string, string> NamespaceLabels, Dictionary<string, string> PodLabels, IPAddress? Address)
    {
        public bool IsOurs => NamespaceLabels.GetValueOrDefault("kubernetes.io/metadata.name") == Ours;
    }
}
