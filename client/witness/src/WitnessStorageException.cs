namespace Optiks.Witness;

/// <summary>Reports that the witness could not store its state, so it signed nothing. The log may repeat the request.</summary>
internal sealed class WitnessStorageException : Exception
{
    public WitnessStorageException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
