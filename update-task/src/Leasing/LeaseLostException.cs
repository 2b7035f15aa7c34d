namespace Optiks.UpdateTask.Leasing;

/// <summary>Says that the lease ended, or may have ended, before a step that needs the lease. The holder becomes a standby again.</summary>
internal sealed class LeaseLostException : Exception
{
    public LeaseLostException(string message)
        : base(message)
    {
    }
}
