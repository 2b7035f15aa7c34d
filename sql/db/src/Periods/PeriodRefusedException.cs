namespace Optiks.Db.Periods;

/// <summary>Thrown when a command about a period refuses to do anything. The message says why, and what the operator can do.</summary>
internal sealed class PeriodRefusedException : Exception
{
    public PeriodRefusedException(FormattableString message)
        : base(FormattableString.Invariant(message))
    {
    }
}
