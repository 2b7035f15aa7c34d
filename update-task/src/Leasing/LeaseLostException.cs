namespace Optiks.UpdateTask.Leasing;

/// <summary>LeaseLostException: the lease ended, or may have, before a step that needs it. The holder goes back to being a standby.</summary>
internal sealed class LeaseLostException : Exception
{
    public LeaseLostException(string message)
        : base(message)
    {
    }
}
