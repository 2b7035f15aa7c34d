using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>Prints the facts about the log's periods that concern an owner (docs/spec/periods.md sections 6 and 7).</summary>
internal static class PeriodReport
{
    /// <summary>
    /// Returns the reason to print for a result (docs/spec/reasons.md section 2): the reason of its alarm, otherwise <c>no_guarantee</c> if
    /// it has epochs without guarantee that nobody has accepted, otherwise <c>valid</c>.
    /// </summary>
    public static string Reason(string? alarm, IEnumerable<Missed> missed) =>
        alarm ?? (missed.Any(one => !one.IsAccepted) ? NoGuaranteeReason : Protocol.Reason.Valid.Name());

    /// <summary>The reason to print for a result with epochs without guarantee.</summary>
    public const string NoGuaranteeReason = "no_guarantee";

    public static void Write(Utf8JsonWriter writer, IEnumerable<ulong> handedOver, IEnumerable<Missed> missed)
    {
        writer.WriteStartArray("handed_over"u8);
        foreach (ulong period in handedOver)
        {
            writer.WriteNumberValue(period);
        }
        writer.WriteEndArray();
        writer.WriteStartArray("no_guarantee"u8);
        foreach (Missed one in missed)
        {
            writer.WriteStartObject();
            writer.WriteNumber("period"u8, one.Period);
            writer.WriteNumber("from_epoch"u8, one.FromEpoch);
            writer.WriteNumber("to_epoch"u8, one.ToEpoch);
            writer.WriteBoolean("accepted"u8, one.IsAccepted);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }

    public static void Show(TextWriter output, IEnumerable<ulong> handedOver, IEnumerable<Missed> missed)
    {
        foreach (ulong period in handedOver)
        {
            output.WriteLine($"  period {period} ended: verified up to its last epoch, and as a copy in period {period + 1}");
        }
        foreach (Missed one in missed)
        {
            output.WriteLine(
                $"  {(one.IsAccepted ? "" : "ALARM: ")}no guarantee for period {one.Period}: epochs {one.FromEpoch} to {one.ToEpoch}. Nobody can find out any more what was shown in them");
        }
    }

    /// <summary>Describes an alarm about a hand-over in words; null if the alarm is not about a hand-over.</summary>
    public static string? Sentence(Reason? handover, ulong period) => handover switch
    {
        Protocol.Reason.HandoverMissing => $"is missing as period {period} began",
        Protocol.Reason.HandoverValue =>
            $"is not a copy of what it was when period {period - 1} ended, although period {period} must begin with such a copy",
        Protocol.Reason.HandoverUnset => $"was there as period {period} began, and had never been set",
        _ => null,
    };
}
