namespace Optiks.QueryService.Following;

/// <summary>
/// EpochRefusedException says why an epoch that the database calls published is not served: it contradicts its record, its checkpoint or what was served before. Its message is fit
/// for anyone's eyes.
/// </summary>
internal sealed class EpochRefusedException : Exception
{
    public EpochRefusedException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
