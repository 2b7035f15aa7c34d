using System.CommandLine;
using Optiks.Client;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Cli.Commands.Board;

/// <summary>Names the board that a command reads.</summary>
internal sealed class BoardArguments
{
    private readonly GlobalOptions _options;
    private readonly Option<string?> _board = new("--board")
    {
        Description = "the board: a folder, or the URL below which its files are (default: /log of the query-service)",
        HelpName = "URL|DIR",
    };

    public BoardArguments(GlobalOptions options)
    {
        _options = options;
    }

    public void AddTo(Command command) => command.Options.Add(_board);

    /// <summary>
    /// Returns the board, and the board's name for messages. If the user names a board, the command judges that board by a trust anchor
    /// that does not come from the board.
    /// </summary>
    public async Task<(OptiksBoard Board, TrustAnchor Anchor, string Name)> OpenAsync(
        ParseResult parse, CommandHost host, CancellationToken cancellationToken)
    {
        NativeLibraryCheck.Ensure();
        if (parse.GetValue(_board) is not { } given)
        {
            IReadOnlyList<Uri> urls = _options.QueryUrls(parse, host);
            TrustAnchor trusted = await Session.TrustAsync(_options, parse, host, urls, cancellationToken).ConfigureAwait(false);
            return (new OptiksBoard(trusted, new HttpTileReader(host.Http, new Uri(urls[0], "/log"))), trusted, urls[0].Authority);
        }
        TrustAnchor anchor = TrustArgument.Required(_options, parse, host);
        if (Uri.TryCreate(given, UriKind.Absolute, out Uri? url) && url.Scheme is "http" or "https")
        {
            return (new OptiksBoard(anchor, new HttpTileReader(host.Http, url)), anchor, url.Authority);
        }
        return Directory.Exists(given)
            ? (new OptiksBoard(anchor, new DirectoryTileReader(given)), anchor, given)
            : throw new UsageException($"{given} is neither a folder nor an http or https URL.");
    }

    /// <summary>
    /// Returns the board's newest checkpoint. If the log did not sign the checkpoint, prints the reason and returns the exit code. Throws
    /// <see cref="UsageException"/> if the board has no checkpoint yet.
    /// </summary>
    public static async Task<(VerifiedNote? Note, int Code)> CheckpointAsync(
        OptiksBoard board, string name, CommandHost host, bool json, CancellationToken cancellationToken)
    {
        (Reason Reason, VerifiedNote? Note) found = await board.CheckpointAsync(cancellationToken).ConfigureAwait(false)
            ?? throw new UsageException($"{name} has no checkpoint yet.");
        return found.Note is null ? (null, Refused(host, json, name, found.Reason)) : (found.Note, ExitCodes.Success);
    }

    /// <summary>
    /// Runs a function that reads files of the board. If the files do not make up the signed tree, the call reports that.
    /// </summary>
    public static async Task<int> RunAsync(CommandHost host, bool json, string name, Func<Task<int>> read)
    {
        try
        {
            return await read().ConfigureAwait(false);
        }
        catch (InvalidTileException e)
        {
            if (json)
            {
                Report.Json(host, "invalid", Reason.InclusionProof.Name(), null, writer => writer.WriteString("detail"u8, e.Message));
            }
            else
            {
                host.Out.WriteLine($"{name}: invalid, {Reason.InclusionProof.Name()}");
                host.Error.WriteLine(
                    $"The board's files do not make up the tree that the log signed ({e.Message}): another copy of the board may.");
            }
            return ExitCodes.Invalid;
        }
    }

    /// <summary>Reports that the log did not sign a checkpoint.</summary>
    public static int Refused(CommandHost host, bool json, string name, Reason reason)
    {
        if (json)
        {
            Report.Json(host, "invalid", reason.Name(), null);
        }
        else
        {
            host.Out.WriteLine($"{name}: invalid, {reason.Name()}");
            host.Error.WriteLine("The log did not sign this checkpoint: check --trust and where it is from.");
        }
        return ExitCodes.Invalid;
    }
}
