using System.Globalization;
using System.Net;
using System.Text;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Auditor;

/// <summary>
/// Renders pages for people. The pages say which logs the auditor audits, up to which time it has audited them, and what it found wrong.
/// The HTML has no scripts, styles or external content, and encodes all text that comes from a log or a server.
/// </summary>
internal static class EvidencePage
{
    /// <summary>Returns the page that lists an auditor's logs.</summary>
    public static string Index(string auditor, IEnumerable<LogView> views)
    {
        var html = new StringBuilder();
        Begin(html, "Auditor of key transparency logs");
        html.Append(CultureInfo.InvariantCulture, $"<p>Auditor <code>{Text(auditor)}</code></p>\n<ul>\n");
        foreach (LogView view in views)
        {
            html.Append(CultureInfo.InvariantCulture,
                $"<li><a href=\"/{view.Log.Id}/\">{Text(view.Origin)}</a>: {Text(view.PublicDescription)}</li>\n");
        }
        return html.Append("</ul>\n</body>\n</html>\n").ToString();
    }

    /// <summary>Returns the page of one log.</summary>
    public static string Render(LogView view)
    {
        var html = new StringBuilder();
        Begin(html, $"Audit of {view.Origin}");
        html.Append(CultureInfo.InvariantCulture, $"<p><strong>{Text(view.PublicDescription)}</strong></p>\n");
        if (view.Finding is { } finding)
        {
            html.Append("<h2>What is wrong</h2>\n<table>\n");
            Row(html, "Check that failed", finding.Reason);
            Row(html, "Found", Time((ulong)Math.Max(0, finding.FoundAtMs)));
            Row(html, "Epochs", finding.To is { } to ? $"{finding.From} to {to}" : "none");
            Row(html, "Detail", finding.Detail ?? "none");
            Row(html, "Shown by", finding.IsProven
                ? "the log's own signature: the evidence convinces anyone"
                : "answers of its servers, which are not signed");
            html.Append(
                "</table>\n<p>The auditor signs no later checkpoint of this log. Its earlier signatures stay valid. Ask the auditor for the evidence.</p>\n");
        }
        if (view.Warning is { } warning)
        {
            html.Append(CultureInfo.InvariantCulture, $"<p>{Text(warning)}</p>\n");
        }
        html.Append("<h2>What is signed</h2>\n");
        if (view.Signed is { } signed)
        {
            Signed(html, view, signed);
        }
        else
        {
            html.Append("<p>Nothing yet.</p>\n");
        }
        html.Append(CultureInfo.InvariantCulture,
            $"<p>Verified, whether signed or not: up to epoch {view.VerifiedEpoch?.ToString(CultureInfo.InvariantCulture) ?? "none"}.</p>\n");
        html.Append("<p>For programs: <a href=\"checkpoint\">checkpoint</a>, <a href=\"coverage\">coverage</a>.</p>\n</body>\n</html>\n");
        return html.ToString();
    }

    private static void Signed(StringBuilder html, LogView view, SignedStatement signed)
    {
        EpochRecord record = EpochRecord.Decode(signed.Record);
        html.Append("<table>\n");
        Row(html, "Auditor", view.Auditor);
        Row(html, "Log key", view.Log.TrustAnchor.LogKey.ToString());
        Row(html, "Coverage",
            string.Create(CultureInfo.InvariantCulture, $"epochs {signed.FirstEpoch} to {record.Epoch}: every step was verified"));
        Row(html, "Taken on trust",
            signed.FirstEpoch == 0 ? "nothing" : string.Create(CultureInfo.InvariantCulture, $"the record of epoch {signed.FirstEpoch}"));
        Row(html, "Not compared",
            signed.Switches.IsEmpty
                ? "nothing"
                : $"devices and keys at the switches of the period, epochs {string.Join(", ", signed.Switches)}: their owners check what was handed over");
        Row(html, "Time of the last epoch", Time(record.TimeMs));
        Row(html, "Signed", Time(signed.SignedAt * 1000));
        Row(html, "Period", record.Period.ToString(CultureInfo.InvariantCulture));
        Row(html, "Root of the log", CoverageJson.Root(signed));
        Row(html, "Record hash", Base64UrlText.Encode(EpochRecord.Hash(signed.Record)));
        for (int i = 0; i < record.Structures.Count; i++)
        {
            StructureState state = record.Structures[i];
            Row(html, Structures.Names[i],
                $"{state.Count} leaves, root {Base64UrlText.Encode(state.Root.Span)}, VRF key {Base64UrlText.Encode(state.VrfPublicKey.Span)}");
        }
        html.Append("</table>\n");
    }

    private static void Begin(StringBuilder html, string title) =>
        html.Append(CultureInfo.InvariantCulture,
            $"<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{Text(title)}</title></head>\n<body>\n<h1>{Text(title)}</h1>\n");

    private static void Row(StringBuilder html, string name, string value) =>
        html.Append(CultureInfo.InvariantCulture, $"<tr><th scope=\"row\">{Text(name)}</th><td>{Text(value)}</td></tr>\n");

    // Escapes characters that are invisible or change the direction of writing.
    private static string Text(string text) => WebUtility.HtmlEncode(DisplayText.Escape(text));

    private static string Time(ulong milliseconds) =>
        UnixTime.FromMilliseconds(milliseconds).ToString("yyyy-MM-dd HH:mm:ss'Z'", CultureInfo.InvariantCulture);
}
