using Optiks.Pkcs11;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>LogKeyUri reads the setting of the log's key.</summary>
internal static class LogKeyUri
{
    /// <summary>ToUri parses it; null when it is empty. Throws as <see cref="LogSecretSource.UriOf"/> does.</summary>
    public static Pkcs11Uri? ToUri(this LogKeyOptions options) => LogSecretSource.UriOf(options.Uri);
}
