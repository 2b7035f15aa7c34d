using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>PeriodRule is what a client without time periods does (docs/spec/records.md section 6): it refuses every record of a later period than 0. Auditors follow periods.</summary>
public static class PeriodRule
{
    /// <summary>Detail of the refusal.</summary>
    public const string Detail = "the log began a new time period, which this version of the program does not verify: use one that does";

    /// <summary>Check of the period of a record that is otherwise valid.</summary>
    public static Reason Check(ulong period) => period == 0 ? Reason.Valid : Reason.RecordPeriod;
}
