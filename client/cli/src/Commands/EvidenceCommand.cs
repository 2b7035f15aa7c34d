using System.CommandLine;
using Optiks.Client;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>Judges evidence that somebody else collected.</summary>
internal static class EvidenceCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var path = new Argument<string>("FILE") { Description = "a folder of evidence, or any file in it" };
        var verify = new Command(
            "verify",
            "Judge evidence offline: whether the log's own signature shows that it broke its rules, and what that means. Takes the trust anchor of --trust or what was pinned; else that of the evidence, and says so") { path };
        verify.SetAction(parse =>
        {
            NativeLibraryCheck.Ensure();
            string given = parse.GetValue(path)!;
            string folder = Directory.Exists(given) ? given : Path.GetDirectoryName(Path.GetFullPath(given))!;
            if (!Path.Exists(given))
            {
                throw new UsageException($"{given} does not exist.");
            }
            TrustAnchor? anchor = TrustArgument.Find(options, parse, host);
            EvidenceVerdict verdict;
            try
            {
                verdict = EvidenceJudge.Judge(folder, anchor);
            }
            catch (InvalidDataException e)
            {
                throw new UsageException($"{folder} is no evidence that can be judged: {e.Message}", e);
            }
            return Print(host, options.Json(parse), verdict, isAnchored: anchor is not null);
        });
        return new Command("evidence", "Judge evidence against a log that somebody else collected") { verify };
    }

    private static int Print(CommandHost host, bool json, EvidenceVerdict verdict, bool isAnchored)
    {
        string origin = verdict.Anchor.Configuration.Origin;
        if (json)
        {
            Report.Json(host, verdict.IsProof ? "valid" : "invalid", verdict.IsProof ? Reason.Valid.Name() : verdict.Breach.Name(),
                verdict.Epoch, writer =>
            {
                writer.WriteString("kind"u8, Name(verdict.Kind));
                writer.WriteString("breach"u8, verdict.IsProof ? verdict.Breach.Name() : null);
                writer.WriteString("proves"u8, verdict.Sentence);
                writer.WriteString("origin"u8, origin);
                writer.WriteString("log_key"u8, verdict.Anchor.LogKey.ToString());
                writer.WriteBoolean("own_trust_anchor"u8, isAnchored);
            });
        }
        else
        {
            host.Out.WriteLine(
                $"{DisplayText.Escape(origin)}: {(verdict.IsProof ? $"proven, {verdict.Breach.Name()}" : "proves nothing")}");
            host.Out.WriteLine($"  {verdict.Sentence}");
            if (!isAnchored)
            {
                host.Error.WriteLine(
                    $"""
                    This is judged by the trust anchor that lies with the evidence. Compare its key with the log's, or give --trust FILE:
                      {DisplayText.Escape(verdict.Anchor.LogKey.ToString())}
                    """);
            }
        }
        return verdict.IsProof ? ExitCodes.Success : ExitCodes.Invalid;
    }

    private static string Name(EvidenceKind kind) => kind switch
    {
        EvidenceKind.Fork => "fork",
        EvidenceKind.Record => "record",
        EvidenceKind.BrokenAppend => "broken-append",
        EvidenceKind.Promise => "promise",
        _ => "refused-proof",
    };
}
