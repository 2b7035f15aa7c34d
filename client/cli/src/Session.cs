using System.CommandLine;
using Optiks.Client;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>A client of the log that the options name. It holds the lock of the client's state folder.</summary>
internal sealed class Session : IDisposable
{
    private static readonly TimeSpan LockWait = TimeSpan.FromSeconds(30);
    private readonly JournalClientStateStore _store;
    private readonly CommandHost _host;

    private Session(OptiksClient client, TrustAnchor anchor, JournalClientStateStore store, CommandHost host)
    {
        _host = host;
        Client = client;
        Anchor = anchor;
        _store = store;
    }

    public OptiksClient Client { get; }

    public TrustAnchor Anchor { get; }

    public ClientState State => _store.Current;

    /// <summary>The period of the version numbers that the user gives: the period of the newest verified record.</summary>
    public ulong Period => State.Head is { } head ? EpochRecord.Decode(head.Record).Period : 0;

    public static async Task<Session> OpenAsync(
        GlobalOptions options, ParseResult parse, CommandHost host, bool needsCredential, CancellationToken cancellationToken)
    {
        NativeLibraryCheck.Ensure();
        IReadOnlyList<Uri> queryUrls = options.QueryUrls(parse, host);
        string? token = options.Token(parse);
        string? apiKey = token is null ? options.ApiKey(parse, host) : null;
        if (needsCredential && token is null && apiKey is null)
        {
            throw new UsageException("This needs an API key or a token: set OPTIKS_API_KEY, or give --api-key @FILE or --token-file FILE.");
        }
        TrustAnchor anchor = await TrustAsync(options, parse, host, queryUrls, cancellationToken).ConfigureAwait(false);
        JournalClientStateStore store =
            await JournalClientStateStore.OpenAsync(options.Data(parse, host).Client, anchor, LockWait, host.Time, cancellationToken)
                .ConfigureAwait(false);
        var clientOptions = new OptiksClientOptions
        {
            TrustAnchor = anchor,
            QueryUrls = queryUrls,
            UpdateUrl = options.UpdateUrl(parse, host),
            ApiKey = apiKey,
            Token = token is null ? null : _ => ValueTask.FromResult(token),
            AuthorizeLookups = options.AuthorizeLookups(parse),
            ReplicaFailed = fault => host.Error.WriteLine($"warning: {fault.Detail} Other replicas are asked."),
        };
        return new Session(new OptiksClient(clientOptions, host.Http, store, host.Time), anchor, store, host);
    }

    /// <summary>
    /// Returns the trust anchor that the options name, the data folder has, or an earlier run pinned. If there is no such anchor, pins the
    /// server's anchor now with a warning (ADR 4).
    /// </summary>
    public static async Task<TrustAnchor> TrustAsync(
        GlobalOptions options, ParseResult parse, CommandHost host, IReadOnlyList<Uri> queryUrls, CancellationToken cancellationToken)
    {
        if (TrustArgument.Find(options, parse, host) is { } known)
        {
            return known;
        }
        string pin = TrustArgument.GetPin(options, parse, host);
        (TrustAnchor first, Uri server) = await FetchAsync(host, queryUrls, cancellationToken).ConfigureAwait(false);
        DataFolder.CreateFolder(Path.GetDirectoryName(pin)!);
        first.Save(pin);
        host.Error.WriteLine(
            $"""
            warning: trusting the log {DisplayText.Escape(first.Configuration.Origin)} on first use, by what {server.Authority} says about itself.
              This first contact proves nothing; every later change of the log's key or configuration will be noticed.
              To rule out a false server, get the operator's trust.json another way and use --trust FILE. Pinned in {pin}:
              {DisplayText.Escape(first.LogKey.ToString())}
            """);
        return first;
    }

    /// <summary>Throws if one of the keys is not possible in a log with this configuration.</summary>
    public void RequireKeys(IEnumerable<ReadOnlyMemory<byte>> keys)
    {
        int most = Anchor.Configuration.MaxKeyLength;
        if (keys.FirstOrDefault(key => key.Length > most) is { Length: > 0 } tooLong)
        {
            throw new UsageException($"A key of this log has at most {most} octets, not {tooLong.Length}.");
        }
    }

    /// <summary>Throws if a value of this length is not possible in a log with this configuration.</summary>
    public void RequireValue(int length)
    {
        uint most = Anchor.Configuration.MaxValueLength;
        if (length > most)
        {
            throw new UsageException($"A value of this log has at most {most} octets, not {length}.");
        }
    }

    /// <summary>Throws if the rules of this log cannot normalize one of the usernames.</summary>
    public void RequireUsernames(IEnumerable<ReadOnlyMemory<byte>> usernames)
    {
        foreach (ReadOnlyMemory<byte> username in usernames)
        {
            if (Usernames.Prepare(Anchor.Configuration, username.Span, out _) is var fault and not UsernameFault.Valid)
            {
                throw new UsageException($"{DisplayText.Show(username.Span)}: {fault.Sentence()}");
            }
        }
    }

    public void Dispose()
    {
        _host.Overdue = Client.Overdue;
        _store.Dispose();
    }

    private static async Task<(TrustAnchor Anchor, Uri Server)> FetchAsync(
        CommandHost host, IReadOnlyList<Uri> queryUrls, CancellationToken cancellationToken)
    {
        OptiksServerException? last = null;
        foreach (Uri url in queryUrls)
        {
            try
            {
                return (await ServerConfiguration.FetchAsync(url, host.Http, cancellationToken).ConfigureAwait(false), url);
            }
            catch (OptiksServerException e)
            {
                last = e;
            }
        }
        throw last!;
    }
}
