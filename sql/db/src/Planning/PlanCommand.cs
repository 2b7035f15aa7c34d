using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace Optiks.Db.Planning;

/// <summary>Implements <c>optiks-db plan</c>, which computes the resources for a given load. It opens no database.</summary>
internal static class PlanCommand
{
    private const double Giga = 1e9;

    public static Command Create(TextWriter output, Option<bool> json)
    {
        Option<double> keys = Number("--keys", "Keys with a version at the same time: all devices and keys of all users.", null, 1, 1e12);
        Option<double> updates = Number("--updates-per-second", "Updates a second, on average over a day.", null, 0, 1e9);
        Option<double> lookups = Number("--lookups-per-second", "Lookups a second in the busiest hour.", null, 0, 1e12);
        var periods =
            new Option<int>("--periods")
            {
                Description = "Periods that are served, the current one included (Optiks:Log:RetainedPeriods).",
                DefaultValueFactory = _ => 2,
            };
        periods.Validators.Add(result => Require(result, value => value is >= 1 and <= 255, "takes 1 to 255."));
        Option<double> days = Number("--period-days", "Days that a period lasts.", 90, 1.0 / 24, 3_650);
        Option<double> value = Number("--value-octets", "Bytes of a value, on average.", 120, 0, 1_048_576);
        Option<double> epoch = Number("--epoch-seconds", "Seconds between epochs (Optiks:UpdateTask:EpochInterval).", 1, 0.1, 86_400);
        Option<double> memory = Number("--host-memory", "Memory of the largest host, in GB.", 256, 4, 1e6);
        var plan = new Command(
            "plan",
            "Estimate what a service needs: logs, hosts, memory, disks, database, and what auditors read. It uses measured figures, which it lists with their pages. Opens no database.")
        {
            keys, updates, lookups, periods, days, value, epoch, memory, json,
        };
        plan.SetAction((parsed, _) =>
        {
            var question = new PlanQuestion(
                parsed.GetValue(keys), parsed.GetValue(updates), parsed.GetValue(lookups), parsed.GetValue(periods), parsed.GetValue(days),
                parsed.GetValue(value), parsed.GetValue(epoch),
                parsed.GetValue(memory) * Giga);
            return RunAsync(Plan.Create(question), output, parsed.GetValue(json));
        });
        return plan;
    }

    private static async Task<int> RunAsync(Plan plan, TextWriter output, bool json)
    {
        await output.WriteLineAsync(json ? PlanText.Json(plan) : PlanText.Table(plan));
        return ExitCodes.Success;
    }

    private static Option<double> Number(string name, string description, double? usual, double least, double most)
    {
        var option = new Option<double>(name) { Description = description, Required = usual is null };
        if (usual is { } number)
        {
            option.DefaultValueFactory = _ => number;
        }
        option.Validators.Add(result =>
            Require(result, given => given >= least && given <= most,
                string.Create(CultureInfo.InvariantCulture, $"takes {least:G6} to {most:G}.")));
        return option;
    }

    // Reports an error unless the option's number meets a condition. The command-line library itself refuses text that is not a number.
    private static void Require(OptionResult result, Func<double, bool> holds, string otherwise)
    {
        if (result.Tokens is [var token] && double.TryParse(token.Value, CultureInfo.InvariantCulture, out double given) && !holds(given))
        {
            result.AddError($"{result.Option.Name} {otherwise}");
        }
    }
}
