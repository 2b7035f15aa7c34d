using System.CommandLine;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>Finds the trust anchor by which commands judge answers.</summary>
internal static class TrustArgument
{
    /// <summary>Returns the file of a trust anchor that was pinned on first contact.</summary>
    public static string GetPin(GlobalOptions options, ParseResult parse, CommandHost host) =>
        Path.Combine(options.Data(parse, host).Client, "trust.json");

    /// <summary>
    /// Returns the anchor that the options name, the data folder has, or an earlier run pinned; null if there is no anchor. The call never
    /// fetches an anchor, because a command must not judge a server's answer by an anchor that the same server states today.
    /// </summary>
    public static TrustAnchor? Find(GlobalOptions options, ParseResult parse, CommandHost host)
    {
        string pin = GetPin(options, parse, host);
        return options.TrustAnchor(parse, host) ?? (File.Exists(pin) ? TrustAnchor.Load(pin) : null);
    }

    /// <summary>Returns the anchor, or throws <see cref="UsageException"/>.</summary>
    public static TrustAnchor Required(GlobalOptions options, ParseResult parse, CommandHost host) =>
        Find(options, parse, host)
            ?? throw new UsageException("There is no trust anchor to judge by: give --trust FILE, the operator's trust.json.");
}
