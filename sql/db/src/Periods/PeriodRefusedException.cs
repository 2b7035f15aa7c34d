namespace Optiks.Db.Periods;

/// <summary>Says why a command about a period does nothing, and what the operator can do.</summary>
internal sealed class PeriodRefusedException : Exception
{
    public PeriodRefusedException(FormattableString message)
        : base(FormattableString.Invariant(message))
    {
    }
}
