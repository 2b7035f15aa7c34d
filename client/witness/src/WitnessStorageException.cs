namespace Optiks.Witness;

/// <summary>Reports that the state cannot be stored, so nothing was signed. The request may be repeated.</summary>
internal sealed class WitnessStorageException : Exception
{
    public WitnessStorageException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
