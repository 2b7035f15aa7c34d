namespace Optiks.Native;

/// <summary>
/// Says in one sentence why liboptiks cannot be used and what to do. Hosts exit with <see cref="ExitCodes.Configuration"/>.
/// </summary>
public sealed class NativeLibraryException : Exception
{
    public NativeLibraryException()
    {
    }

    public NativeLibraryException(string message)
        : base(message)
    {
    }

    public NativeLibraryException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
