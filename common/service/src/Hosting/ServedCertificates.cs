using System.Collections.Concurrent;

namespace Optiks.ServiceDefaults;

/// <summary>ServedCertificates are the ends of the certificates that this program serves, by port, as <see cref="CertificateWatch"/> last saw them. Any thread.</summary>
internal sealed class ServedCertificates
{
    private readonly ConcurrentDictionary<int, DateTimeOffset> _ends = new();

    /// <summary>Ends by port.</summary>
    public IReadOnlyCollection<KeyValuePair<int, DateTimeOffset>> Ends => _ends;

    /// <summary>Saw takes note of a certificate.</summary>
    public void Saw(int port, DateTimeOffset end) => _ends[port] = end;
}
