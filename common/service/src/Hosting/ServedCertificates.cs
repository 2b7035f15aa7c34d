using System.Collections.Concurrent;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Holds the expiry time of the certificate that this program serves at each port, as <see cref="CertificateWatch"/> last read it. Any
/// thread may use it.
/// </summary>
internal sealed class ServedCertificates
{
    private readonly ConcurrentDictionary<int, DateTimeOffset> _ends = new();

    /// <summary>The expiry time of the certificate at each port.</summary>
    public IReadOnlyCollection<KeyValuePair<int, DateTimeOffset>> Ends => _ends;

    /// <summary>Records when the certificate at a port expires.</summary>
    public void Record(int port, DateTimeOffset end) => _ends[port] = end;
}
