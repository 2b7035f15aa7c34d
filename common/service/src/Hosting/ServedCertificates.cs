using System.Collections.Concurrent;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Holds the expiry times of the certificates that this program serves, by port, as <see cref="CertificateWatch"/> last read them. Any
/// thread.
/// </summary>
internal sealed class ServedCertificates
{
    private readonly ConcurrentDictionary<int, DateTimeOffset> _ends = new();

    /// <summary>The expiry times by port.</summary>
    public IReadOnlyCollection<KeyValuePair<int, DateTimeOffset>> Ends => _ends;

    /// <summary>Records a certificate.</summary>
    public void Record(int port, DateTimeOffset end) => _ends[port] = end;
}
