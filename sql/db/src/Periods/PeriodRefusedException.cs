namespace Optiks.Db.Periods;

/// <summary>The exception with which a command about a period refuses to do its work. The message gives the reason, and says what the
/// operator can do.</summary>
internal sealed class PeriodRefusedException : Exception
{
    public PeriodRefusedException(FormattableString message)
        : base(FormattableString.Invariant(message))
    {
    }
}
