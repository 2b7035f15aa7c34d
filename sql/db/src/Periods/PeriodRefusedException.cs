namespace Optiks.Db.Periods;

/// <summary>Thrown when a command about a period does nothing; the message says why, and what the operator can do.</summary>
internal sealed class PeriodRefusedException : Exception
{
    public PeriodRefusedException(FormattableString message)
        : base(FormattableString.Invariant(message))
    {
    }
}
