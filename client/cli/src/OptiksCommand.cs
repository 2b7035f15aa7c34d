using System.CommandLine;
using Optiks.Cli.Commands;
using Optiks.Cli.Commands.Board;
using Optiks.Cli.Commands.Users;
using Optiks.Client;
using Optiks.Commands;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Cli;

/// <summary>The command line. It has the commands and their examples, and is the only place that turns failures into exit codes.</summary>
internal static class OptiksCommand
{
    private const string Description =
        """
        Looks up, updates, monitors and audits keys and users of an Optiks transparency log, and verifies every answer.

        Exit codes: 0 verified (a proven absence too), 1 a proof is invalid, a key changed unexpectedly or a promise was broken, 2 usage, 3 the server cannot be reached or refused, or a change is not published and proven yet, 5 the log forked (evidence was written).

        Keys and values are printed as text. One that is empty, begins with b64: or a quotation mark, begins or ends with a space, or has characters that cannot be seen or turn the direction of writing, is printed as a JSON string in quotation marks. What is not text is printed as b64: and its octets in base64url. Of a value with a note the payload is printed, and that it has a note. Long values are cut; --json prints all.
        """;

    private static readonly Dictionary<string, string[]> s_examples = new(StringComparer.Ordinal)
    {
        [""] =
        [
            "optiks update alice \"alice's public key\" --wait",
            "optiks lookup alice",
            "optiks lookup bob                                # a proven absence is a verified answer too",
            "optiks history alice",
            "optiks audit",
        ],
        ["update"] =
        [
            "optiks update alice \"alice's public key\" --wait",
            "optiks update alice --file alice.value --expect 1   # only if version 1 is still the latest",
            "optiks update alice \"alice's public key\" --receipt alice.receipt",
            "optiks update alice \"alice's new key\" --note \"new after the repair\"",
        ],
        ["status"] = ["optiks status 0193a2f0-7c1e-7abc-8def-0123456789ab --wait"],
        ["receipt"] = ["optiks update alice \"alice's public key\" --receipt alice.receipt", "optiks receipt check alice.receipt"],
        ["receipt check"] = ["optiks update alice \"alice's public key\" --receipt alice.receipt", "optiks receipt check alice.receipt"],
        ["lookup"] = ["optiks lookup alice bob", "optiks lookup alice --json | jq -r .value", "optiks lookup --b64 AAEC"],
        ["history"] = ["optiks history alice"],
        ["monitor"] = ["optiks monitor alice", "optiks monitor alice --accept", "optiks monitor --follow"],
        ["user"] =
        [
            "optiks user create alice --device phone=\"the phone's key\" --device laptop=@laptop.value --wait",
            "optiks user lookup alice",
            "optiks user monitor alice",
            "optiks user decommission alice",
        ],
        ["user create"] = ["optiks user create alice --device phone=\"the phone's key\" --device laptop=@laptop.value --wait"],
        ["user lookup"] = ["optiks user lookup alice bob", "optiks user lookup alice --device phone",
            "optiks user lookup alice --json | jq '.devices[].value'"],
        ["user monitor"] = ["optiks user monitor alice", "optiks user monitor alice --accept", "optiks user monitor --follow"],
        ["user history"] = ["optiks user history alice", "optiks user history alice --json | jq '.devices[].versions[].value'"],
        ["user add-username"] = ["optiks user add-username alice alice@example.org --wait"],
        ["user add-device"] = ["optiks user add-device alice tablet \"the tablet's key\" --wait",
            "optiks user add-device alice tablet \"the tablet's key\" --note \"added new tablet\""],
        ["user set-device"] = ["optiks user set-device alice phone \"the phone's new key\" --wait",
            "optiks user set-device alice phone --file phone.value --expect 1"],
        ["user remove-device"] = ["optiks user remove-device alice laptop --wait"],
        ["erase"] = ["optiks erase alice --from 1 --to 3 --wait"],
        ["user erase"] = ["optiks user erase alice --from 1 --to 3 --wait",
            "optiks user erase alice --wait        # all of a user who has left"],
        ["user decommission"] = ["optiks user decommission alice", "optiks user decommission alice --unseen"],
        ["audit"] = ["optiks audit", "optiks audit --follow", "optiks audit --from 1000 --data ~/auditor"],
        ["auditor"] =
        [
            "optiks auditor init --name auditor.example.org/optiks --key-file auditor.key",
            "optiks auditor --key-file auditor.key --trust trust.json --query-url https://log.example.org --urls http://0.0.0.0:8341",
            "optiks auditor --config auditor.json",
            "optiks auditor --once --key-file auditor.key --trust trust.json --json",
        ],
        ["auditor init"] = ["optiks auditor init --name auditor.example.org/optiks --key-file auditor.key"],
        ["auditor resume"] = ["optiks auditor resume --config auditor.json"],
        ["overdue"] = ["optiks overdue", "optiks overdue --accept 1234"],
        ["state"] = ["optiks state", "optiks state --json | jq -r '.state[]'"],
        ["board"] = ["optiks board checkpoint --out today.checkpoint", "optiks board verify", "optiks board consistency today.checkpoint"],
        ["board checkpoint"] = ["optiks board checkpoint", "optiks board checkpoint --out today.checkpoint"],
        ["board verify"] = ["optiks board verify", "optiks board verify --board https://mirror.example.org/log --trust trust.json",
            "optiks board verify --board ./log --trust trust.json"],
        ["board consistency"] = ["optiks board consistency yesterday.checkpoint",
            "optiks board consistency mine.checkpoint theirs.checkpoint"],
        ["evidence"] = ["optiks evidence verify ~/.local/share/optiks/client/evidence/20261125T184500Z --trust trust.json"],
        ["evidence verify"] = ["optiks evidence verify ~/.local/share/optiks/client/evidence/20261125T184500Z --trust trust.json"],
        ["inspect"] =
        [
            "curl -s http://127.0.0.1:8301/log/checkpoint | optiks inspect -",
            "optiks inspect answer.bin --key alice",
        ],
        ["verify"] =
        [
            "curl -s http://127.0.0.1:8301/v1/lookup?key=alice -H 'Accept: application/vnd.optiks.lookup' -o answer.bin",
            "optiks verify answer.bin alice",
            "optiks verify user.bin alice                     # the answer of a user lookup",
            "optiks verify checkpoint --trust trust.json",
            "optiks verify audit.bin --from-record record-17.bin --period-record record-0.bin",
        ],
        ["key"] = ["optiks key generate --out alice", "optiks update alice --file alice.value --wait"],
        ["key generate"] = ["optiks key generate --out alice", "optiks update alice --file alice.value --wait"],
        ["token"] =
        [
            "optiks token jwks --key-file signer.pem > token-keys.json",
            "optiks token create alice --key-file signer.pem --audience log.example.org --scope update,history --out alice.token",
            "optiks history alice --token-file alice.token",
        ],
        ["token create"] =
        [
            "openssl genpkey -algorithm ed25519 -out signer.pem && chmod 600 signer.pem",
            "optiks token create alice --key-file signer.pem --audience log.example.org --scope update,history --out alice.token",
            "optiks update alice \"alice's new key\" --wait --token-file alice.token",
        ],
        ["token jwks"] = ["optiks token jwks --key-file signer.pem > token-keys.json"],
        ["witness"] = ["optiks witness init witness.example.org/w1", "optiks witness run --urls http://127.0.0.1:8331"],
        ["witness init"] = ["optiks witness init witness.example.org/w1"],
        ["witness run"] = ["optiks witness run --urls http://127.0.0.1:8331", "optiks witness run --folder /var/lib/optiks-witness"],
    };

    public static async Task<int> RunAsync(string[] args, CommandHost host, CancellationToken cancellationToken = default)
    {
        var options = new GlobalOptions();
        int code =
            await new CommandProgram("optiks", Create(options, host), s_examples, options.JsonOption).RunAsync(
                args, host.Out, host.Error, Classify, cancellationToken).ConfigureAwait(false);
        return Report.Overdue(host, code);
    }

    private static CommandFailure? Classify(Exception exception) => exception switch
    {
        OptiksServerException { Failure: ServerFailure.Insecure } => new CommandFailure(ExitCodes.Usage, "insecure-url", exception.Message),
        OptiksServerException e => new CommandFailure(ExitCodes.Unreachable, Report.Name(e), e.Message, Hint(e)),
        UsageException or FirstEpochException or TrustAnchorException or ClientStateException or NativeLibraryException =>
            new CommandFailure(ExitCodes.Usage, "usage", exception.Message),
        StartupException e => new CommandFailure(e.ExitCode, "configuration", e.Message),
        HttpRequestException e => new CommandFailure(ExitCodes.Unreachable, "unreachable", e.Message),
        IOException or UnauthorizedAccessException => new CommandFailure(ExitCodes.Usage, "file", exception.Message),
        SignerUnavailableException e => new CommandFailure(ExitCodes.Unreachable, "unreachable", e.Message),
        OperationCanceledException => new CommandFailure(ExitCodes.Unreachable, "interrupted", "Interrupted before there was a result."),
        _ => null,
    };

    /// <summary>Creates the whole tree of commands.</summary>
    public static RootCommand Create(GlobalOptions options, CommandHost host)
    {
        var root = new RootCommand(Description)
        {
            UpdateCommand.Create(options, host),
            StatusCommand.Create(options, host),
            ReceiptCommand.Create(options, host),
            LookupCommand.Create(options, host),
            HistoryCommand.Create(options, host),
            MonitorCommand.Create(options, host),
            UserCommand.Create(options, host),
            EraseCommand.Create(options, host),
            OverdueCommand.Create(options, host),
            StateCommand.Create(options, host),
            AuditCommand.Create(options, host),
            AuditorCommand.Create(options, host),
            BoardCommand.Create(options, host),
            EvidenceCommand.Create(options, host),
            InspectCommand.Create(options, host),
            VerifyCommand.Create(options, host),
            KeyCommand.Create(options, host),
            TokenCommand.Create(options, host),
            WitnessCommand.Create(options, host),
        };
        options.AddTo(root);
        return root;
    }

    /// <summary>Returns the advice on what to do when a server gave no answer; null if there is no advice.</summary>
    public static string? Hint(OptiksServerException e) => e switch
    {
        { Failure: ServerFailure.Unreachable } =>
            "Is the service running? `make up` starts it; --query-url and --update-url (or OPTIKS_QUERY_URL, OPTIKS_UPDATE_URL) name another.",
        { Problem: ProblemNames.Unauthorized } =>
            "Set OPTIKS_API_KEY or give --api-key @FILE or --token-file FILE; a development key is in the file api-key of the server's data folder. Lookups carry it with --authorize-lookups only.",
        { Problem: ProblemNames.NotFound } =>
            "The server has nothing of this: check the name, the id and the URLs. Statuses of requests are kept for two days.",
        { Problem: ProblemNames.Forbidden } =>
            "The API key lacks the scope for this, or the token does not name the key: ask the operator.",
        { Problem: ProblemNames.NotCaughtUp or ProblemNames.Unavailable or ProblemNames.Overloaded } =>
            "Try again in a moment, or ask another replica with --query-url.",
        _ => null,
    };
}
