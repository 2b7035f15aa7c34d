namespace Optiks.UpdateTask.Leasing;

/// <summary>
/// Reports that the lease has ended, or may have ended, before a step that needs it. The task then becomes a standby again.
/// </summary>
internal sealed class LeaseLostException : Exception
{
    public LeaseLostException(string message)
        : base(message)
    {
    }
}
