using System.CommandLine;
using Optiks.Db.Periods;

namespace Optiks.Db;

/// <summary>Implements <c>optiks-db period</c>: shows the log's periods, requests the next one, and archives and destroys old
/// ones.</summary>
internal static class PeriodCommand
{
    public static Command Create(Func<ParseResult, Invocation> invocationOf, Option<string> trust, Option<bool> json)
    {
        var period = new Argument<ulong>("period") { Description = "Number of the period: see status." };
        var file = new Argument<string>("file") { Description = "File to write, which must not exist." };
        var status = new Command(
            "status", "Show for each period when it began, when it may end, and until when it is served. Changes nothing.") { json };
        status.SetAction((parsed, cancel) => PeriodStatus.RunAsync(invocationOf(parsed), cancel));
        var request = new Command(
            "switch",
            "Ask the update-task to begin the next period as soon as the log's configuration allows it. Can be repeated; counts until that period has begun.") { json };
        request.SetAction((parsed, cancel) => PeriodSwitchRequest.RunAsync(invocationOf(parsed), cancel));
        var archive = new Command(
            "archive",
            "Write the leaves of devices and keys of a period that is no longer served to a file, without secrets, keys, values and tags, and recompute the period's roots from it. Changes nothing in the database.")
        {
            period, file, trust, json,
        };
        archive.SetAction((parsed, cancel) =>
            PeriodArchive.RunAsync(invocationOf(parsed), parsed.GetValue(period), parsed.GetValue(file)!, parsed.GetValue(trust)!, cancel));
        var drop = new Command(
            "drop",
            "Permanently destroy the secrets, openings, keys and values of a period that is no longer served. The update-task does this automatically, and must be stopped. Can be repeated.") { period, json };
        drop.SetAction((parsed, cancel) => PeriodDrop.RunAsync(invocationOf(parsed), parsed.GetValue(period), cancel));
        return new Command("period",
            "Show the log's time periods, ask for the next one, and archive and destroy those that are no longer served.") { status,
                request, archive, drop };
    }
}
